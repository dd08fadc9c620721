// What a thread did: where it ran, by the color of the cap; where it was runnable; where it was blocked, and
// on what.
import { isExpected, isMissing } from "../engine/protocol";
import type { ThreadEntry, ThreadRowsAnswer } from "../engine/requests";
import { Latest } from "../engine/latest";
import { fitted } from "../draw/pen";
import type { Range } from "../state/range";
import { duration, percent } from "../text";
import { pixelOf } from "../theme";
import type { Track, Window } from "../track";
import { firstAfter } from "./order";
import { clear, imageOf, markCoarse, xOf, type Frame, type Point } from "./row";

/** Threads of which pictures are kept, and asked for at once. */
const mostKept = 600;
const mostAsked = 200;
const mostColumns = 2048;

/** A state of a thread: `state` is a place in the names of states. */
interface ThreadRun {
    from: number;
    to: number;
    state: number;
    cap: number | null;
}

/** All runs of a thread in a picture, in order of time; or, of a long interval, its columns: shares (0 … 255)
 *  of running, runnable and blocked from the column `first` on. */
type ThreadPicture = Runs | Shares;

interface Runs {
    runs: ThreadRun[];
    states: string[];
}

interface Shares {
    shares: [running: number[], runnable: number[], blocked: number[]];
    first: number;
    columns: Columned;
}

/** The interval that columns divide: that of a report is the whole run, whatever was asked for. */
interface Columned {
    from: number;
    to: number;
    width: number;
    /** ns: they are no finer. */
    step: number;
}

function picturesIn({ states, rows, from_ns: from, to_ns: to, width, slot_ns: slot = 0 }: ThreadRowsAnswer): Map<number, ThreadPicture> {
    const columns = { from, to, width, step: Math.max((to - from) / width, slot) };
    return new Map(
        rows.map(({ thread, runs, first = 0, running = [], runnable = [], blocked = [] }): [number, ThreadPicture] => {
            if (!runs) return [thread, { shares: [running, runnable, blocked], first, columns }];
            const found: ThreadRun[] = [];
            for (let i = 0; i + 3 < runs.length; i += 4) {
                found.push({ from: runs[i] ?? 0, to: runs[i + 1] ?? 0, state: runs[i + 2] ?? 0, cap: runs[i + 3] ?? null });
            }
            return [thread, { runs: found, states }];
        }),
    );
}

/** Asks about the threads in sight, all of a frame at once: about a window that changes with the view. */
class ThreadAnswers<T> {
    private readonly kept = new Map<number, { answer: T; window: Window }>();
    private wanted = new Set<number>();
    private asked: { window: Window; threads: Set<number> } | undefined;
    private missing = false;
    private readonly queue: Latest<{ window: Window; threads: number[] }, Map<number, T>>;

    constructor(
        track: Track,
        private readonly window: () => Window | undefined,
        ask: (window: Window, threads: string) => Promise<Map<number, T>>,
    ) {
        this.queue = new Latest(
            ({ window, threads }) => ask(window, threads.join()),
            ({ window }, answers) => {
                for (const [thread, answer] of answers) {
                    this.kept.delete(thread);
                    this.kept.set(thread, { answer, window });
                }
                for (const thread of this.kept.keys()) {
                    if (this.kept.size <= mostKept) break;
                    this.kept.delete(thread);
                }
                track.changed();
            },
            (_question, error) => {
                this.missing = isMissing(error);
                if (!this.missing && !isExpected(error)) track.fail(error.message);
            },
        );
        track.busy(() => this.wanted.size > 0 || !this.queue.idle);
    }

    get(thread: number): { answer: T; window: Window } | undefined {
        const found = this.kept.get(thread);
        const window = this.window();
        if (window && found?.window !== window && !this.missing) this.want(thread);
        return found;
    }

    shown(thread: number): T | undefined {
        return this.kept.get(thread)?.answer;
    }

    private want(thread: number): void {
        if (this.wanted.size === 0) queueMicrotask(() => this.ask());
        this.wanted.add(thread);
    }

    private ask(): void {
        const threads = this.wanted;
        const window = this.window();
        this.wanted = new Set();
        const isAsked = this.asked?.window === window && [...threads].every((thread) => this.asked?.threads.has(thread));
        if (!window || isAsked) return;
        const some = [...threads].slice(0, mostAsked);
        this.asked = { window, threads: new Set(some) };
        this.queue.put({ window, threads: some });
    }
}

const pictures = new WeakMap<Track, ThreadAnswers<ThreadPicture>>();
const times = new WeakMap<Track, ThreadAnswers<number>>();

function picturesOf(track: Track): ThreadAnswers<ThreadPicture> {
    let found = pictures.get(track);
    if (!found) {
        found = new ThreadAnswers(
            track,
            () => track.present,
            async ({ from, to, width }, threads) => picturesIn(await track.ask("thread_rows", { from, to, width: Math.min(width, mostColumns), threads })),
        );
        pictures.set(track, found);
    }
    return found;
}

/** How long threads ran in what is in view. */
function timesOf(track: Track): ThreadAnswers<number> {
    let found = times.get(track);
    if (!found) {
        found = new ThreadAnswers(
            track,
            () => track.numbersWindow,
            async ({ from, to }, threads) =>
                new Map((await track.ask("thread_times", { from, to, threads })).times.map(({ thread, running_ns }) => [thread, running_ns])),
        );
        times.set(track, found);
    }
    return found;
}

/** The share of the view in which a thread ran; "": not known yet. */
function shareOf(track: Track, view: Range, { thread, running_ns }: ThreadEntry): string {
    const own = track.range;
    const whole = view.from <= own.from && view.to >= own.to;
    const length = Math.min(view.to, own.to) - Math.max(view.from, own.from);
    if (whole) return percent(running_ns / length);
    const found = timesOf(track).get(thread);
    return found && track.isInView(found.window) && length > 0 ? percent(found.answer / length) : "";
}

const unknownCap = "#8a94a0";

/** Neighbours differ in hue and in lightness. */
const capColor = (cap: number | null): string =>
    cap === null ? unknownCap : `hsl(${(210 + cap * 137.5) % 360} 65% ${[68, 56, 76][cap % 3]}%)`;

const noState = "unknown";

/** What a state says, beginning with its class. */
const stateTexts: Record<string, string> = {
    running: "running",
    runnable: "runnable",
    mvar: "blocked on an MVar",
    mvar_read: "blocked reading an MVar",
    stm: "blocked in STM",
    black_hole: "blocked on a black hole",
    delay: "blocked in a delay",
    io: "blocked on input or output",
    foreign_call: "in a foreign call",
    throw_to: "blocked in throwTo",
    other: "blocked on something else",
    [noState]: "in an unknown state",
};

export const textOfState = (name: string): string => stateTexts[name] ?? name.replaceAll("_", " ");

function drawRuns(frame: Frame, { runs, states }: Runs): void {
    const { context, width, height, scale, view, palette } = frame;
    const inset = Math.round(scale);
    let drawn = -1;
    let last = "";
    context.font = `${10 * scale}px ${palette.font}`;
    for (let i = firstAfter(runs, view.from, ({ to }) => to); i < runs.length; i++) {
        const { from, to, state, cap } = runs[i]!;
        if (from >= view.to) break;
        const name = states[state] ?? noState;
        const left = Math.max(Math.round(xOf(frame, from)), 0);
        const right = Math.max(Math.min(Math.round(xOf(frame, to)), width), left + (name === "running" ? 1 : 0));
        // Of several states in a pixel, running is drawn.
        if (right <= left || (right <= drawn && name === last)) continue;
        drawn = right;
        last = name;
        const room = right - left - 8 * scale;
        if (name === "running") {
            context.fillStyle = capColor(cap);
            context.fillRect(left, inset, right - left, height - 2 * inset);
            const text = `cap ${cap}`;
            if (room > 14 * scale && context.measureText(text).width <= room) {
                context.fillStyle = palette.runningText;
                context.fillText(text, left + 4 * scale, height / 2 + scale / 2);
            }
        } else if (name === "runnable") {
            context.fillStyle = palette.runnable;
            context.fillRect(left, Math.round(height * 0.6), right - left, Math.round(height * 0.4) - inset);
        } else if (name !== noState) {
            context.fillStyle = palette.faint;
            context.fillRect(left, Math.round(height / 2), right - left, Math.max(Math.round(scale), 1));
            const text = room > 30 * scale ? fitted(context, textOfState(name), room) : "";
            if (text === textOfState(name)) {
                context.clearRect(left + 2 * scale, 0, context.measureText(text).width + 4 * scale, height);
                context.fillText(text, left + 4 * scale, height / 2 + scale / 2);
            }
        }
    }
}

/** The mean of columns between two places. */
function meanOf(columns: readonly number[], from: number, to: number): number {
    let sum = 0;
    for (let i = Math.max(Math.floor(from), 0); i < Math.min(to, columns.length); i++) sum += columns[i]! * (Math.min(i + 1, to) - Math.max(i, from));
    return sum / (to - from);
}

/** By pixels: there are thousands of columns in sight. */
function drawColumns(frame: Frame, { shares, first, columns }: Shares): void {
    const { context, width, height, scale, view, palette } = frame;
    const [running, runnable, blocked] = shares;
    const inset = Math.round(scale);
    const most = height - 2 * inset;
    const line = Math.round(height / 2);
    const image = imageOf(frame);
    const pixels = new Uint32Array(image.data.buffer).fill(0);
    const [run, wait, block] = [pixelOf(unknownCap), pixelOf(palette.runnable), pixelOf(palette.faint)];
    const perPixel = (view.to - view.from) / width / ((columns.to - columns.from) / columns.width);
    const origin = ((view.from - columns.from) / (columns.to - columns.from)) * columns.width - first;
    const size = (share: number) => (share === 0 ? 0 : Math.max(Math.round((share / 255) * most), inset));
    for (let x = 0; x < width; x++) {
        const begin = origin + x * perPixel;
        const [ran, waited, blocks] = [running, runnable, blocked].map((columns) => meanOf(columns, begin, begin + perPixel)) as [number, number, number];
        if (blocks > 0) for (let y = line; y < line + inset; y++) pixels[y * width + x] = block;
        const low = height - inset;
        const middle = low - size(ran);
        const high = Math.max(middle - size(waited), inset);
        for (let y = middle; y < low; y++) pixels[y * width + x] = run;
        for (let y = high; y < middle; y++) pixels[y * width + x] = wait;
    }
    context.putImageData(image, 0, 0);
}

/** Returns the share of the view in which it ran. */
export function drawThread(frame: Frame, track: Track, entry: ThreadEntry): string {
    clear(frame);
    const picture = picturesOf(track).get(entry.thread)?.answer;
    if (picture && "runs" in picture) drawRuns(frame, picture);
    else if (picture) drawColumns(frame, picture);
    if (picture && !("runs" in picture)) markCoarse(frame, picture.columns.step);
    return shareOf(track, frame.view, entry);
}

export function describeThread(track: Track, { thread, from_ns: fromNs, ended_ns: endedNs }: ThreadEntry, { ns }: Point): string[] {
    if (ns < fromNs) return ["not created yet"];
    if (endedNs !== null && ns >= endedNs) return ["has ended"];
    const picture = picturesOf(track).shown(thread);
    if (!picture) return [];
    if ("runs" in picture) {
        const run = picture.runs[firstAfter(picture.runs, ns, ({ to }) => to)];
        if (!run || run.from > ns) return [];
        const name = textOfState(picture.states[run.state] ?? noState);
        return [`${name}${run.cap === null || name !== "running" ? "" : ` on cap ${run.cap}`}, ${duration(run.to - run.from)}`];
    }
    const { from, to, width } = picture.columns;
    const column = Math.floor(((ns - from) / (to - from)) * width) - picture.first;
    return ["running", "runnable", "blocked"].flatMap((name, kind) => {
        const share = (picture.shares[kind]?.[column] ?? 0) / 255;
        return share > 0.995 ? [name] : share > 0.005 ? [`${name} ${percent(share)}`] : [];
    });
}

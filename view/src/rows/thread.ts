// What a thread did: where it ran, by the color of the cap; where it was runnable; where it was blocked, and
// on what.
import { isExpected, isMissing } from "../engine/protocol";
import type { ThreadEntry, ThreadRowsAnswer } from "../engine/requests";
import { Latest } from "../engine/latest";
import type { Range } from "../state/range";
import { duration, percent } from "../text";
import { pixelOf } from "../theme";
import type { Track, Window } from "../track";
import { firstAfter } from "./order";
import { clear, imageOf, isStripe, markCoarse, unknownText, xOf, type Frame, type Point } from "./row";
import { shareTexts } from "./shares";

/** Threads of which pictures are kept, and asked for at once. */
const mostKept = 600;
const mostAsked = 200;
const mostColumns = 2048;

/** What columns tell apart. */
const kinds = ["running", "runnable", "blocked", "unknown"] as const;
const [isRunning, isRunnable, isBlocked, isUnknown] = [0, 1, 2, 3] as const;

/** A state of a thread: `state` is a place in the names of states. */
interface ThreadRun {
    from: number;
    to: number;
    state: number;
    cap: number | null;
}

/** All runs of a thread in a picture, in order of time; or, of a long interval, its columns: shares (0 … 255)
 *  of `kinds` from the column `first` on. */
type ThreadPicture = Runs | Shares;

interface Runs {
    runs: ThreadRun[];
    states: string[];
}

interface Shares {
    shares: readonly (readonly number[])[];
    /** Null: it ran on several, or on one that is not known. */
    cap: number | null;
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
        rows.map(({ thread, runs, cap = null, first = 0, running = [], runnable = [], blocked = [], unknown = [] }): [number, ThreadPicture] => {
            if (!runs) return [thread, { shares: [running, runnable, blocked, unknown], cap, first, columns }];
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

/** Of several caps, or of one that is not known. */
const severalCaps = "#8a94a0";

/** Neighbours differ in hue and in lightness. */
function capColor(cap: number): number {
    const lightness = [0.68, 0.56, 0.76][cap % 3]!;
    const reach = 0.65 * Math.min(lightness, 1 - lightness);
    const part = (shift: number) => {
        const place = (shift + ((210 + cap * 137.5) % 360) / 30) % 12;
        return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
    };
    return ((255 << 24) | (part(4) << 16) | (part(8) << 8) | part(0)) >>> 0;
}

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
    [noState]: unknownText,
};

export const textOfState = (name: string): string => stateTexts[name] ?? name.replaceAll("_", " ");

/** What is drawn of a thread: of each pixel, the shares of `kinds` (0 … 1), and the cap on which it ran. */
interface Pixels {
    shares: readonly Float64Array[];
    /** None: it did not run; null: on several caps, or on one that is not known. */
    caps: (number | null | undefined)[];
}

const noPixels = (width: number): Pixels => ({ shares: kinds.map(() => new Float64Array(width)), caps: new Array<undefined>(width).fill(undefined) });

const kindOf = (state: string): number => (state === noState ? isUnknown : state === "runnable" ? isRunnable : state === "running" ? isRunning : isBlocked);

function pixelsOfRuns(frame: Frame, { runs, states }: Runs): Pixels {
    const { width, view } = frame;
    const made = noPixels(width);
    for (let i = firstAfter(runs, view.from, ({ to }) => to); i < runs.length; i++) {
        const { from, to, state, cap } = runs[i]!;
        if (from >= view.to) break;
        const kind = kindOf(states[state] ?? noState);
        const shares = made.shares[kind]!;
        const left = Math.max(xOf(frame, from), 0);
        const right = Math.min(xOf(frame, to), width);
        for (let x = Math.floor(left); x < right; x++) {
            shares[x]! += Math.min(x + 1, right) - Math.max(x, left);
            if (kind === isRunning) made.caps[x] = made.caps[x] === undefined || made.caps[x] === cap ? cap : null;
        }
    }
    return made;
}

/** The mean of columns between two places. */
function meanOf(columns: readonly number[], from: number, to: number): number {
    let sum = 0;
    for (let i = Math.max(Math.floor(from), 0); i < Math.min(to, columns.length); i++) sum += columns[i]! * (Math.min(i + 1, to) - Math.max(i, from));
    return sum / (to - from);
}

function pixelsOfColumns({ width, view }: Frame, { shares, cap, first, columns }: Shares): Pixels {
    const perPixel = (view.to - view.from) / width / ((columns.to - columns.from) / columns.width);
    const origin = ((view.from - columns.from) / (columns.to - columns.from)) * columns.width - first;
    const mean = (of: readonly number[]) => Float64Array.from({ length: width }, (_, x) => meanOf(of, origin + x * perPixel, origin + (x + 1) * perPixel) / 255);
    return { shares: shares.map(mean), caps: new Array<number | null>(width).fill(cap) };
}

/** A color of half its strength. */
const paler = (color: number): number => ((color & 0xffffff) | 0x80000000) >>> 0;

/** Running, runnable and what is not known stand on each other, as high as their shares; a share of less than half a
 *  pixel has a paler one. Of such a share of running, a mark below it says that there is one. A line says that the
 *  thread was blocked. */
function drawPixels(frame: Frame, { shares: [running, runnable, blocked, unknown], caps }: Pixels): void {
    const { context, width, height, scale, palette } = frame;
    const inset = Math.round(scale);
    const most = height - 2 * inset;
    const line = Math.round(height / 2);
    const image = imageOf(frame);
    const pixels = new Uint32Array(image.data.buffer).fill(0);
    const [several, waits, blocks] = [pixelOf(severalCaps), pixelOf(palette.runnable), pixelOf(palette.faint)];
    for (let x = 0; x < width; x++) {
        let top = height - inset;
        const stack = (share: number, colorAt: (y: number) => number) => {
            if (share < 1e-9) return;
            const size = Math.round(share * most);
            const end = Math.max(top - Math.max(size, 1), inset);
            for (let y = end; y < top; y++) pixels[y * width + x] = size === 0 ? paler(colorAt(y)) : colorAt(y);
            top = end;
        };
        if (blocked![x]! > 1e-9) for (let y = line; y < line + inset; y++) pixels[y * width + x] = blocks;
        const cap = caps[x] ?? null;
        const runs = cap === null ? several : capColor(cap);
        const ran = running![x]!;
        if (ran > 0 && Math.round(ran * most) === 0) for (let y = height - inset; y < height; y++) pixels[y * width + x] = runs;
        stack(ran, () => runs);
        stack(runnable![x]!, () => waits);
        stack(unknown![x]!, (y) => (isStripe(x, y) ? palette.unknown : 0));
    }
    context.putImageData(image, 0, 0);
}

/** On which cap it ran, and what it was blocked on, where the text fits. */
function writeRuns(frame: Frame, { runs, states }: Runs): void {
    const { context, width, height, scale, view, palette } = frame;
    context.font = `${10 * scale}px ${palette.font}`;
    for (let i = firstAfter(runs, view.from, ({ to }) => to); i < runs.length; i++) {
        const { from, to, state, cap } = runs[i]!;
        if (from >= view.to) break;
        const left = Math.max(Math.ceil(xOf(frame, from)), 0);
        const room = Math.min(Math.floor(xOf(frame, to)), width) - left - 8 * scale;
        const name = states[state] ?? noState;
        const kind = kindOf(name);
        if (room <= 14 * scale || (kind !== isRunning && kind !== isBlocked)) continue;
        const text = kind === isRunning ? `cap ${cap}` : textOfState(name);
        const long = context.measureText(text).width;
        if (long > room) continue;
        if (kind === isBlocked) context.clearRect(left + 2 * scale, 0, long + 4 * scale, height);
        context.fillStyle = kind === isRunning ? palette.runningText : palette.faint;
        context.fillText(text, left + 4 * scale, height / 2 + scale / 2);
    }
}

/** Returns the share of the view in which it ran. */
export function drawThread(frame: Frame, track: Track, entry: ThreadEntry): string {
    clear(frame);
    const picture = picturesOf(track).get(entry.thread)?.answer;
    if (picture) {
        const isRuns = "runs" in picture;
        const pixels = isRuns ? pixelsOfRuns(frame, picture) : pixelsOfColumns(frame, picture);
        drawPixels(frame, pixels);
        if (isRuns) writeRuns(frame, picture);
        else markCoarse(frame, picture.columns.step);
        if (pixels.shares[isUnknown]!.some((share) => share > 0)) track.threadsLack = true;
    }
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
    return shareTexts(["running", "runnable", "blocked", unknownText], picture.shares.map((shares) => (shares[column] ?? 0) / 255));
}

// What a thread did: where it ran, by the color of the cap; where it was runnable; where it was blocked, and
// on what.
import { isMissing } from "../engine/protocol";
import type { ThreadEntry, ThreadRowsAnswer } from "../engine/requests";
import { Latest } from "../engine/latest";
import { fitted } from "../draw/pen";
import { duration, percent } from "../text";
import { pixelOf } from "../theme";
import type { Track, Window } from "../track";
import { firstAfter } from "./order";
import { clear, imageOf, xOf, type Frame, type Point } from "./row";

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
}

function picturesIn({ states, rows, from_ns: from, to_ns: to, width }: ThreadRowsAnswer): Map<number, ThreadPicture> {
    const columns = { from, to, width };
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

interface Kept {
    picture: ThreadPicture;
    window: Window;
}

/** Asks for the pictures of the threads in sight, all of a frame at once. */
class ThreadPictures {
    private readonly kept = new Map<number, Kept>();
    private wanted = new Set<number>();
    private asked: { window: Window; threads: Set<number> } | undefined;
    private missing = false;
    private readonly queue: Latest<{ window: Window; threads: number[] }, Map<number, ThreadPicture>>;

    constructor(private readonly track: Track) {
        this.queue = new Latest(
            async ({ window: { from, to, width }, threads }) =>
                picturesIn(await track.ask("thread_rows", { from, to, width: Math.min(width, mostColumns), threads: threads.join() })),
            ({ window }, pictures) => {
                for (const [thread, picture] of pictures) {
                    this.kept.delete(thread);
                    this.kept.set(thread, { picture, window });
                }
                for (const thread of this.kept.keys()) {
                    if (this.kept.size <= mostKept) break;
                    this.kept.delete(thread);
                }
                track.changed();
            },
            (_question, error) => {
                this.missing = isMissing(error);
                if (!this.missing) track.fail(error.message);
            },
        );
        track.busy(() => !this.queue.idle);
    }

    get(thread: number): Kept | undefined {
        const found = this.kept.get(thread);
        const { present } = this.track;
        if (present && found?.window !== present && !this.missing) this.want(thread);
        return found;
    }

    shown(thread: number): Kept | undefined {
        return this.kept.get(thread);
    }

    private want(thread: number): void {
        if (this.wanted.size === 0) queueMicrotask(() => this.ask());
        this.wanted.add(thread);
    }

    private ask(): void {
        const threads = this.wanted;
        const window = this.track.present;
        this.wanted = new Set();
        const isAsked = this.asked?.window === window && [...threads].every((thread) => this.asked?.threads.has(thread));
        if (!window || (isAsked && !this.queue.idle)) return;
        this.asked = { window, threads };
        this.queue.put({ window, threads: [...threads].slice(0, mostAsked) });
    }
}

const pictures = new WeakMap<Track, ThreadPictures>();

function picturesOf(track: Track): ThreadPictures {
    let found = pictures.get(track);
    if (!found) pictures.set(track, (found = new ThreadPictures(track)));
    return found;
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

function drawRuns(frame: Frame, { runs, states }: Runs): number {
    const { context, width, height, scale, view, palette } = frame;
    const inset = Math.round(scale);
    let running = 0;
    let drawn = -1;
    let last = "";
    context.font = `${10 * scale}px ${palette.font}`;
    for (let i = firstAfter(runs, view.from, ({ to }) => to); i < runs.length; i++) {
        const { from, to, state, cap } = runs[i]!;
        if (from >= view.to) break;
        const name = states[state] ?? noState;
        if (name === "running") running += Math.min(to, view.to) - Math.max(from, view.from);
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
    return running / (view.to - view.from);
}

/** By pixels: there are thousands of columns in sight. */
function drawColumns(frame: Frame, { shares, first, columns }: Shares): number {
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
    let sum = 0;
    for (let x = 0; x < width; x++) {
        const begin = Math.floor(origin + x * perPixel);
        const end = Math.max(Math.ceil(origin + (x + 1) * perPixel), begin + 1);
        if (end <= 0 || begin >= running.length) continue;
        let [ran, waited, blocks] = [0, 0, 0];
        for (let i = Math.max(begin, 0); i < Math.min(end, running.length); i++) {
            ran = Math.max(ran, running[i]!);
            waited = Math.max(waited, runnable[i]!);
            blocks = Math.max(blocks, blocked[i]!);
        }
        sum += running[Math.floor(origin + (x + 0.5) * perPixel)] ?? 0;
        if (blocks > 0) for (let y = line; y < line + inset; y++) pixels[y * width + x] = block;
        const low = height - inset;
        const middle = low - size(ran);
        const high = Math.max(middle - size(waited), inset);
        for (let y = middle; y < low; y++) pixels[y * width + x] = run;
        for (let y = high; y < middle; y++) pixels[y * width + x] = wait;
    }
    context.putImageData(image, 0, 0);
    return sum / width / 255;
}

/** Returns the share of the view in which it ran. */
export function drawThread(frame: Frame, track: Track, { thread }: ThreadEntry): string {
    clear(frame);
    const kept = picturesOf(track).get(thread);
    if (!kept) return "";
    const { picture } = kept;
    return percent("runs" in picture ? drawRuns(frame, picture) : drawColumns(frame, picture));
}

export function describeThread(track: Track, { thread, from_ns: fromNs, ended_ns: endedNs }: ThreadEntry, { ns }: Point): string[] {
    if (ns < fromNs) return ["not created yet"];
    if (endedNs !== null && ns >= endedNs) return ["has ended"];
    const kept = picturesOf(track).shown(thread);
    if (!kept) return [];
    const { picture } = kept;
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

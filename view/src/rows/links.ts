// What connects threads: wakeups, creations and migrations of the thread under the pointer, as arrows; and
// the chain of wakeups that led to the end of a wait, for the thread that was clicked.
import { errorOf, isMissing } from "../engine/protocol";
import type { ChainStep, Link } from "../engine/requests";
import { duration, grouped, time, visible } from "../text";
import type { Palette } from "../theme";
import type { Track, Window } from "../track";
import { threadName } from "./cap";
import { instantsPicture } from "./instants";
import { textOfState } from "./thread";

/** The pointer has to rest for this long. */
const restMilliseconds = 120;
/** Pixels of the style sheet between arrows of a color from one row to another: nearer ones cannot be told apart. */
const leastGap = 8;

/** What the arrows are drawn with. Heights are of the middles of rows; null: there is no such row. */
export interface LinksFrame {
    context: CanvasRenderingContext2D;
    scale: number;
    palette: Palette;
    x(ns: number): number;
    threadY(thread: number): number | null;
    capY(cap: number): number | null;
    width: number;
}

interface Asked {
    track: Track;
    thread: number;
    window: Window;
}

export class Links {
    private timer: ReturnType<typeof setTimeout> | undefined;
    private stop = new AbortController();
    private asked: Asked | undefined;
    private shown: (Asked & { links: Link[] }) | undefined;
    private missing = false;
    /** In view, but too near to others. */
    private hidden = 0;
    /** Of the thread that was clicked. */
    chain: { track: Track; steps: ChainStep[]; texts: readonly string[] } | undefined;

    constructor(private readonly changed: () => void) {}

    /** The pointer is over a thread, or over none. */
    hover(track: Track | undefined, thread: number | null): void {
        const window = track?.present;
        // Only where single events can be distinguished.
        const wanted =
            track && window && thread !== null && !this.missing && track.picture(instantsPicture)?.value.complete
                ? { track, thread, window }
                : undefined;
        if (same(wanted, this.asked)) return;
        this.asked = wanted;
        clearTimeout(this.timer);
        this.stop.abort();
        if (this.shown?.track !== wanted?.track || this.shown?.thread !== wanted?.thread) this.shown = undefined;
        if (!wanted) return;
        this.stop = new AbortController();
        const { signal } = this.stop;
        this.timer = setTimeout(() => void this.ask(wanted, signal), restMilliseconds);
    }

    private async ask(asked: Asked, signal: AbortSignal): Promise<void> {
        const { track, thread, window } = asked;
        try {
            const { links } = await track.ask("links", { thread, from: window.from, to: window.to }, { signal });
            this.shown = { ...asked, links };
            this.changed();
        } catch (error) {
            if (!signal.aborted) this.refuse(track, errorOf(error));
        }
    }

    /** Finds what led to the wait of a thread at a time; none: forgets it. */
    async click(track: Track | undefined, thread: number | null, ns: number): Promise<void> {
        this.chain = undefined;
        this.changed();
        if (!track || thread === null || this.missing) return;
        try {
            const { chain } = await track.ask("links", { thread, time: Math.round(ns) });
            this.chain = { track, steps: chain, texts: chainTexts(chain) };
            this.changed();
        } catch (error) {
            this.refuse(track, errorOf(error));
        }
    }

    private refuse(track: Track, error: Error): void {
        this.missing = isMissing(error);
        if (!this.missing) track.fail(error.message);
    }

    /** There are no arrows. */
    get isEmpty(): boolean {
        return !this.shown && !this.chain;
    }

    /** Draws the arrows of a track, as far as they can be told apart. */
    draw(track: Track, frame: LinksFrame): void {
        if (this.shown?.track === track) {
            const { drawn, hidden } = apart(frame, this.shown.links.flatMap((link) => linkArrow(frame, link) ?? []));
            if (hidden !== this.hidden) this.changed();
            this.hidden = hidden;
            for (const arrow of drawn) drawArrow(frame, arrow);
        }
        if (this.chain?.track !== track) return;
        for (const { thread, by, cap, woken_ns: wokenNs } of this.chain.steps) {
            if (wokenNs === null) continue;
            const from = (by === null ? null : frame.threadY(by)) ?? (cap === null ? null : frame.capY(cap));
            const arrow = arrowOf(frame, wokenNs, from, thread === null ? null : frame.threadY(thread), frame.palette.accent, 2.5);
            if (arrow) drawArrow(frame, arrow);
        }
    }

    /** What is said of the arrows at the pointer. */
    get remark(): string[] {
        return this.shown && this.hidden > 0 ? [`${grouped(this.hidden)} ${this.hidden === 1 ? "arrow is" : "arrows are"} too dense to be shown: zoom in`] : [];
    }

    /** The chain in words, a text for each step, the cause first; empty: there is none. */
    get texts(): readonly string[] {
        return this.chain?.texts ?? [];
    }
}

const same = (a: Asked | undefined, b: Asked | undefined): boolean =>
    a?.track === b?.track && a?.thread === b?.thread && a?.window === b?.window;

/** What ended a wait that no thread ended, or a foreign call of the runtime's own threads. */
function causeOf({ state, label }: ChainStep): string {
    if (label === "TimerManager") return "a timeout";
    if (label?.startsWith("IOManager")) return "input or output was ready, such as a message from another program";
    return { delay: "a timeout", io: "input or output was ready" }[state] ?? "";
}

function stepText(step: ChainStep): string {
    const { thread, label, state, from_ns: fromNs, woken_ns: wokenNs, by, by_label: byLabel } = step;
    const name = visible(threadName({ thread, label }), 60);
    const what = state === "created" ? "was created" : `was ${textOfState(state)}`;
    if (wokenNs === null) return `${name} ${what} and still is`;
    const at = `at ${time(wokenNs, 1000)}`;
    const whom = by === null ? "by no thread" : `by ${visible(threadName({ thread: by, label: byLabel }), 60)}`;
    if (state === "created") return by === null ? `${name} ${what} ${at}` : `${name} ${what} ${whom} ${at}`;
    const cause = by === null && causeOf(step) ? `: ${causeOf(step)}` : "";
    const end = state === "foreign_call" ? "which returned" : cause ? "until" : `woken ${whom}`;
    return `${name} ${what} for ${duration(wokenNs - fromNs)}, ${end} ${at}${cause}`.replace("until at", "until");
}

/** The engine follows a chain for so many steps. */
const mostSteps = 64;

function chainTexts(steps: readonly ChainStep[]): string[] {
    if (steps.length === 0) return ["No earlier wait of this thread is known."];
    const earlier = steps.length < mostSteps ? [] : ["What came before is not followed further"];
    return [...earlier, ...steps.map(stepText).reverse()];
}

/** An arrow in view; pixels of the canvas. */
interface Arrow {
    at: number;
    from: number;
    to: number;
    color: string;
    line: number;
}

/** Of arrows in order of time, those that are not too near to the one before; none, if these are less than half: a
 *  few of many would mislead. */
function apart({ scale }: LinksFrame, arrows: readonly Arrow[]): { drawn: readonly Arrow[]; hidden: number } {
    const last = new Map<string, number>();
    const apart = arrows.filter(({ at, from, to, color }) => {
        const key = `${from} ${to} ${color}`;
        const isApart = at - (last.get(key) ?? -Infinity) >= leastGap * scale;
        if (isApart) last.set(key, at);
        return isApart;
    });
    const drawn = apart.length * 2 < arrows.length ? [] : apart;
    return { drawn, hidden: arrows.length - drawn.length };
}

function linkArrow(frame: LinksFrame, { kind, time_ns: timeNs, cap, to_cap: toCap, thread, by }: Link): Arrow | null {
    const { palette } = frame;
    const ofCap = (number: number | null) => (number === null ? null : frame.capY(number));
    if (kind === "migrated") return arrowOf(frame, timeNs, ofCap(cap), ofCap(toCap), palette.migrated, 1.5);
    const from = (by === null ? null : frame.threadY(by)) ?? ofCap(cap);
    const to = (thread === null ? null : frame.threadY(thread)) ?? ofCap(toCap);
    return arrowOf(frame, timeNs, from, to, kind === "created" || kind === "creates" ? palette.created : palette.woken, 1.5);
}

/** null: its rows are not shown, or its time is not in view. */
function arrowOf({ x, width }: LinksFrame, ns: number, from: number | null, to: number | null, color: string, line: number): Arrow | null {
    const at = x(ns);
    return from === null || to === null || from === to || at < 0 || at > width ? null : { at, from, to, color, line };
}

function drawArrow({ context, scale }: LinksFrame, { at, from, to, color, line }: Arrow): void {
    const size = 4 * scale * Math.sign(to - from);
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = line * scale;
    context.beginPath();
    context.moveTo(at, from);
    context.lineTo(at, to - size);
    context.stroke();
    context.beginPath();
    context.moveTo(at, to);
    context.lineTo(at - Math.abs(size), to - 1.6 * size);
    context.lineTo(at + Math.abs(size), to - 1.6 * size);
    context.fill();
    context.beginPath();
    context.arc(at, from, 2 * scale, 0, 2 * Math.PI);
    context.fill();
}

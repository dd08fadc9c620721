// The panes beside the timeline: tabs, of which one is shown. Only the pane that is shown asks the engine,
// about the selection, or what is in view.
import { errorOf, isExpected, Refused } from "../engine/protocol";
import type { State } from "../state/state";
import { sameRange, span, type Range } from "../state/range";
import { duration, percent, time } from "../text";
import { whyEmpty } from "../rows/empty";
import { trackName } from "../timeline";
import type { Track } from "../track";
import type { Pane, Question } from "./pane";
import { element } from "./table";

/** The view has to rest for this long, so that moving it is not slowed down. */
const restMilliseconds = 120;
/** Panes that read events follow a log that grows this often. */
const growMilliseconds = 1000;

interface Wanted {
    pane: Pane;
    track: Track;
    range: Range;
    whole: boolean;
    version: number;
    key: string;
}

const byId = (id: string) => document.getElementById(id) as HTMLElement;

export class PaneHost {
    private readonly host = byId("pane");
    private readonly tabs = byId("tabs");
    private readonly head = element("div", "", "head");
    private readonly body = element("div", "", "body");
    private readonly bar = element("progress");
    private pane: Pane;
    private shown: Wanted | undefined;
    private asked: Wanted | undefined;
    private stop = new AbortController();
    private tracks: readonly Track[] = [];
    private chosen = 0;
    private version = 0;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private due = 0;
    /** What the timer was set for. */
    private waited: Wanted | undefined;
    private answeredAt = 0;
    /** What the pane goes on to show while the view moves to a row of it. */
    private held: { range: Range; selection: Range | null } | null = null;
    /** Called after another pane was chosen. */
    changed: () => void = () => undefined;
    /** Called after a pane was filled. */
    filled: () => void = () => undefined;

    constructor(
        private readonly state: State,
        private readonly panes: readonly Pane[],
        private readonly failed: (message: string) => void,
    ) {
        this.pane = panes[0]!;
        this.bar.max = 1;
        this.bar.setAttribute("aria-label", "Reading the range");
        this.host.append(this.head, this.bar, this.body);
        this.makeTabs();
        state.listen(() => this.update());
    }

    get track(): Track | undefined {
        return this.tracks[this.chosen] ?? this.tracks[0];
    }

    get name(): string {
        return this.pane.name;
    }

    /** The pane shows the present range. */
    get settled(): boolean {
        const wanted = this.wanted();
        return !wanted || !wanted.track.hasEvents || same(wanted, this.shown);
    }

    setTracks(tracks: readonly Track[]): void {
        if (tracks.length <= 1) this.held = null;
        this.tracks = tracks;
        this.update();
    }

    /** More of the logs was read. */
    grown(): void {
        this.version++;
        this.update();
    }

    /** Shows another pane; others are ignored. */
    choose(name: string, focus = false): void {
        const found = this.panes.find((pane) => pane.name === name);
        if (!found) return;
        if (found !== this.pane) {
            this.pane = found;
            this.shown = undefined;
            this.head.replaceChildren();
            this.body.replaceChildren();
            this.host.scrollTop = 0;
            this.markTabs();
            this.update();
            this.changed();
        }
        if (focus) this.tab(found).focus();
    }

    /** The next in the order of the tabs. */
    next(): void {
        const index = this.panes.indexOf(this.pane) + 1;
        this.choose(this.panes[index % this.panes.length]!.name);
    }

    /** The pane stays as it is while the view moves, until something else is selected. */
    hold(): void {
        const { shown } = this;
        if (!shown || this.state.selection || this.held) return;
        this.held = { range: shown.range, selection: null };
        this.fillHead(shown);
    }

    private release(): void {
        if (!this.held) return;
        this.held = null;
        if (this.shown) this.fillHead(this.shown);
        this.update();
    }

    /** Moves the view, to show what a row of the pane is about. */
    show(range: Range): void {
        this.hold();
        const length = Math.max(span(range), 1000);
        this.state.cursor = range.from;
        this.state.setView({ from: range.from - length * 2, to: range.to + length * 2 });
    }

    /** The cursor or the notes have changed. */
    refresh(): void {
        this.pane.refresh?.();
    }

    // Tabs

    private tab({ name }: Pane): HTMLElement {
        return byId(`tab-${name}`);
    }

    private makeTabs(): void {
        for (const pane of this.panes) {
            const made = element("button", pane.title);
            made.id = `tab-${pane.name}`;
            made.setAttribute("role", "tab");
            made.setAttribute("aria-controls", "pane");
            made.addEventListener("click", () => this.choose(pane.name));
            this.tabs.append(made);
        }
        this.tabs.addEventListener("keydown", (event) => {
            const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
            const step = steps[event.key];
            if (step === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            const count = this.panes.length;
            const now = this.panes.indexOf(this.pane);
            const next = Number.isFinite(step) ? (now + step + count) % count : step < 0 ? 0 : count - 1;
            this.choose(this.panes[next]!.name, true);
        });
        this.markTabs();
    }

    private markTabs(): void {
        for (const pane of this.panes) {
            const made = this.tab(pane);
            made.setAttribute("aria-selected", String(pane === this.pane));
            made.tabIndex = pane === this.pane ? 0 : -1;
        }
        this.host.setAttribute("aria-labelledby", `tab-${this.pane.name}`);
    }

    // Questions

    private wanted(): Wanted | undefined {
        const { track, pane, version } = this;
        const { selection, view } = this.state;
        if (!track?.overview) return undefined;
        if (this.held && !sameRange(this.held.selection, selection)) this.held = null;
        const range = selection ?? this.held?.range ?? { from: Math.floor(view.from), to: Math.ceil(view.to) };
        const own = track.range;
        const whole = !selection && range.from <= own.from && range.to >= own.to;
        const key = pane.key?.(() => this.update()) ?? "";
        return { pane, track, range, whole, version, key };
    }

    private update(): void {
        const wanted = this.wanted();
        if (!wanted || same(wanted, this.shown)) return;
        if (this.asked && !same(wanted, this.asked) && !onlyGrown(wanted, this.asked)) this.cancel();
        this.host.setAttribute("aria-busy", "true");
        const { isJob } = wanted.pane;
        const now = performance.now();
        const grows = isJob && this.shown && onlyGrown(wanted, this.shown);
        const due = grows ? Math.max(this.answeredAt + growMilliseconds, now + restMilliseconds) : now + restMilliseconds;
        // Asked when the view is at rest: while it moves, the engine draws the timeline.
        const moved = this.waited !== undefined && !onlyGrown(wanted, this.waited);
        if (this.timer !== undefined && due >= this.due && !moved) return;
        clearTimeout(this.timer);
        this.due = due;
        this.waited = wanted;
        this.timer = setTimeout(() => this.ask(), due - now);
    }

    private cancel(): void {
        this.stop.abort();
        this.asked = undefined;
    }

    private ask(): void {
        this.timer = undefined;
        const wanted = this.wanted();
        if (!wanted || this.asked || same(wanted, this.shown)) return;
        const { pane, track, range, whole } = wanted;
        const missing = pane.missing?.(track) ?? null;
        const [title, ...rest] = whyEmpty(track);
        if (title) {
            this.shown = undefined;
            this.head.replaceChildren(element("h2", title), ...this.chooser());
            replace(this.body, rest.map((text) => element("p", text, "missing")));
            this.host.setAttribute("aria-busy", "false");
            return;
        }
        // Reading events would delay reading the log.
        if (pane.isJob && !track.overview?.complete) {
            if (!this.shown) this.fillHead(wanted, "The log is being read.");
            return;
        }
        if (missing !== null) {
            this.fill(wanted, () => [element("p", missing, "missing")]);
            return;
        }
        const stop = new AbortController();
        this.stop = stop;
        this.asked = wanted;
        this.bar.removeAttribute("value");
        this.bar.classList.toggle("working", pane.isJob === true);
        const question: Question = {
            track,
            range,
            whole,
            signal: stop.signal,
            progress: (share) => {
                this.bar.value = share;
                this.bar.title = percent(share);
            },
        };
        const done = (finish: () => void) => {
            if (stop.signal.aborted) return;
            this.asked = undefined;
            this.answeredAt = performance.now();
            finish();
            this.update();
        };
        pane.ask(question).then(
            (show) => done(() => this.fill(wanted, show)),
            (reason) =>
                done(() => {
                    const error = errorOf(reason);
                    const { from, to } = track.range;
                    const isEmpty = error instanceof Refused && error.code === "no_events";
                    const message = isEmpty ? `There are no events in this range: the log has some from ${time(from, 1000)} to ${time(to, 1000)}.` : error.message;
                    this.fill(wanted, () => [element("p", message, "missing")]);
                    if (!isExpected(error) && this.tracks.includes(track)) this.failed(error.message);
                }),
        );
    }

    private fill(wanted: Wanted, make: () => Element[]): void {
        this.shown = wanted;
        if (!this.tracks.includes(wanted.track)) return;
        let made: Element[];
        try {
            made = make();
        } catch (error) {
            const { message } = errorOf(error);
            made = [element("p", message, "missing")];
            this.failed(message);
        }
        const scroll = this.host.scrollTop;
        this.fillHead(wanted);
        replace(this.body, made);
        this.host.scrollTop = scroll;
        this.host.dataset.log = wanted.track.engine.name;
        this.host.dataset.pane = wanted.pane.name;
        this.host.dataset.range = `${wanted.range.from}-${wanted.range.to}`;
        this.host.setAttribute("aria-busy", "false");
        this.bar.classList.remove("working");
        wanted.pane.refresh?.();
        this.filled();
    }

    private fillHead({ range: asked, whole, track }: Wanted, note = ""): void {
        // Of several logs, one may be a part of what is in view.
        const range = whole ? track.range : asked;
        const step = Math.max(span(range) / 1000, 1);
        const title = element("h2", this.state.selection ? "Selection" : whole ? (track.overview?.complete ? "Whole run" : "What was read so far") : "In view");
        const made: HTMLElement[] = [
            title,
            element("p", `${time(range.from, step)} to ${time(range.to, step)} (${duration(span(range))})`, "range"),
        ];
        if (note) made.push(element("p", note, "missing"));
        if (this.held) {
            const release = element("button", "Follow the view", "small");
            release.addEventListener("click", () => {
                this.release();
                this.host.focus();
            });
            title.append(release);
        }
        this.head.replaceChildren(...made, ...this.chooser());
    }

    /** Which of several logs the numbers are of. */
    private chooser(): HTMLElement[] {
        if (this.tracks.length < 2) return [];
        const made = element("select");
        made.setAttribute("aria-label", "Log that the numbers are of");
        this.tracks.forEach((track, index) => {
            const option = element("option", trackName(track));
            option.value = String(index);
            option.selected = index === this.chosen;
            made.append(option);
        });
        made.addEventListener("change", () => {
            this.chosen = Number(made.value);
            this.update();
        });
        return [made];
    }
}

const onlyGrown = (a: Wanted, b: Wanted): boolean =>
    a.pane === b.pane && a.track === b.track && a.key === b.key && (sameRange(a.range, b.range) || (a.whole && b.whole));

const same = (a: Wanted, b: Wanted | undefined): boolean =>
    b !== undefined && a.version === b.version && onlyGrown(a, b) && sameRange(a.range, b.range);

/** Elements that stay are not touched, so that they keep the focus and where they are scrolled to. */
function replace(host: Element, made: Element[]): void {
    if (made.length === host.children.length && made.every((item, index) => item === host.children[index])) return;
    host.replaceChildren(...made);
}

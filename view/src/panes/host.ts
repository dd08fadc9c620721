// The panes beside the timeline: tabs, of which one is shown; on wide screens, there may be two sides of them. Only
// the pane that is shown asks the engine, about the selection, or what is in view.
import { errorOf, isExpected, Refused } from "../engine/protocol";
import type { State } from "../state/state";
import { sameRange, span, type Range } from "../state/range";
import { duration, percent, time } from "../text";
import { isIn, whyEmpty, whyNotIn } from "../rows/empty";
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
    /** The earlier of two logs that are compared; then `track` is the later one. */
    old: Track | undefined;
    track: Track;
    range: Range;
    whole: boolean;
    version: number;
    key: string;
}

const byId = (id: string) => document.getElementById(id) as HTMLElement;

export class PaneHost {
    private readonly host: HTMLElement;
    private readonly tabs: HTMLElement;
    private readonly head = element("div", "", "head");
    private readonly lines = element("div");
    /** Which of several logs the numbers are of, or what has changed. */
    private readonly chooser = element("select");
    private readonly body = element("div", "", "body");
    private readonly bar = element("progress");
    private pane: Pane;
    private shown: Wanted | undefined;
    private asked: Wanted | undefined;
    private stop = new AbortController();
    private tracks: readonly Track[] = [];
    private chosen = 0;
    /** What has changed is shown, by panes that have it. */
    private compares = false;
    private version = 0;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private due = 0;
    /** What the timer was set for. */
    private waited: Wanted | undefined;
    private answeredAt = 0;
    /** What the pane goes on to show while the view moves to a row of it. */
    private held: { range: Range; selection: Range | null } | null = null;
    /** The other side: no pane is on both. */
    beside: PaneHost | undefined;
    /** Called after another pane or log was chosen. */
    changed: () => void = () => undefined;
    /** Called after a pane was filled. */
    filled: () => void = () => undefined;

    constructor(
        private readonly state: State,
        private readonly panes: readonly Pane[],
        private readonly failed: (message: string) => void,
        /** What the names of its elements end with. */
        private readonly suffix = "",
        private shows = true,
    ) {
        this.host = byId(`pane${suffix}`);
        this.tabs = byId(`tabs${suffix}`);
        this.pane = panes[0]!;
        this.bar.max = 1;
        this.bar.setAttribute("aria-label", "Reading the range");
        this.host.append(this.head, this.bar, this.body);
        this.chooser.setAttribute("aria-label", "Log that the numbers are of");
        this.chooser.addEventListener("change", () => {
            const index = Number(this.chooser.value);
            this.compares = index === this.tracks.length;
            if (!this.compares) this.chosen = index;
            this.update();
            this.changed();
        });
        this.makeTabs();
        state.listen(() => this.update());
    }

    get track(): Track | undefined {
        return this.tracks[this.chosen] ?? this.tracks[0];
    }

    get name(): string {
        return this.pane.name;
    }

    get isShown(): boolean {
        return this.shows;
    }

    get hasFocus(): boolean {
        return this.shows && this.host.contains(document.activeElement);
    }

    /** Shows the side, or hides it: then it asks nothing. */
    setShown(shows: boolean): void {
        this.shows = shows;
        if (!shows) this.cancel();
        else if (this.beside?.pane === this.pane) this.choose(this.panes.filter(isOffered).find((pane) => pane !== this.pane)!.name);
        this.update();
    }

    /** Which of several logs the panes are of, as the address has it. */
    get of(): string {
        if (this.tracks.length < 2) return "";
        return this.compares ? "change" : this.chosen > 0 ? String(this.chosen + 1) : "";
    }

    setOf(of: string): void {
        this.compares = of === "change";
        this.chosen = Math.max((Number(of) || 1) - 1, 0);
        this.update();
    }

    /** The name of the pane that is shown at first. */
    get first(): string {
        return (this.panes.find((pane) => pane.isOfAll && isOffered(pane)) ?? this.panes[0]!).name;
    }

    /** The pane shows the present range. */
    get settled(): boolean {
        const wanted = this.wanted();
        return !wanted || !wanted.track.hasEvents || same(wanted, this.shown);
    }

    setTracks(tracks: readonly Track[]): void {
        if (tracks.length <= 1) this.held = null;
        this.tracks = tracks;
        for (const pane of this.panes) this.tab(pane).hidden = !isOffered(pane);
        this.dimTabs();
        if (!isOffered(this.pane)) this.choose(this.first);
        this.update();
    }

    /** More of the logs was read. */
    grown(): void {
        this.version++;
        this.dimTabs();
        this.update();
    }

    /** Shows another pane; others are ignored. */
    choose(name: string, focus = false): void {
        const found = this.panes.find((pane) => pane.name === name);
        if (!found || !isOffered(found)) return;
        if (found !== this.pane) {
            const { beside, pane } = this;
            this.turnTo(found);
            if (beside?.shows && beside.pane === found) beside.turnTo(pane);
            this.changed();
        }
        if (focus) this.tab(found).focus();
    }

    private turnTo(pane: Pane): void {
        this.cancel();
        this.pane = pane;
        this.shown = undefined;
        this.head.replaceChildren();
        this.body.replaceChildren();
        this.host.scrollTop = 0;
        this.markTabs();
        this.update();
    }

    /** The next in the order of the tabs. */
    next(): void {
        const offered = this.panes.filter(isOffered);
        const index = offered.indexOf(this.pane) + 1;
        this.choose(offered[index % offered.length]!.name);
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
        return byId(`tab-${name}${this.suffix}`);
    }

    private makeTabs(): void {
        for (const pane of this.panes) {
            const made = element("button", pane.title);
            made.id = `tab-${pane.name}${this.suffix}`;
            made.hidden = !isOffered(pane);
            made.setAttribute("role", "tab");
            made.setAttribute("aria-controls", this.host.id);
            made.addEventListener("click", () => this.choose(pane.name));
            this.tabs.append(made);
        }
        this.tabs.addEventListener("keydown", (event) => {
            const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
            const step = steps[event.key];
            if (step === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            const offered = this.panes.filter(isOffered);
            const count = offered.length;
            const now = offered.indexOf(this.pane);
            const next = Number.isFinite(step) ? (now + step + count) % count : step < 0 ? 0 : count - 1;
            this.choose(offered[next]!.name, true);
        });
        this.markTabs();
    }

    private markTabs(): void {
        for (const pane of this.panes) {
            const made = this.tab(pane);
            made.setAttribute("aria-selected", String(pane === this.pane));
            made.tabIndex = pane === this.pane ? 0 : -1;
        }
        this.dimTabs();
        this.host.setAttribute("aria-labelledby", `tab-${this.pane.name}${this.suffix}`);
    }

    /** Tabs of panes for which no log has anything are dimmed. */
    private dimTabs(): void {
        for (const pane of this.panes) {
            const why = this.tracks.map((track) => pane.missing?.(track) ?? null);
            const lacks = why.length > 0 && why.every((text) => text !== null);
            const made = this.tab(pane);
            made.classList.toggle("lacks", lacks);
            made.title = lacks ? why[0]! : "";
        }
    }

    // Questions

    private wanted(): Wanted | undefined {
        const { pane, version } = this;
        const old = this.compares && this.canCompare() ? this.tracks[0] : undefined;
        const track = old ? this.tracks[1] : this.track;
        const { selection, view } = this.state;
        if (!this.shows || !track?.overview) return undefined;
        if (this.held && !sameRange(this.held.selection, selection)) this.held = null;
        const range = selection ?? this.held?.range ?? { from: Math.floor(view.from), to: Math.ceil(view.to) };
        const whole = this.isWhole(range, this.extent({ pane, old, track }));
        const key = pane.key?.(() => this.update()) ?? "";
        return { pane, old, track, range, whole, version, key };
    }

    /** The whole of what is shown. */
    private extent({ pane, old, track }: Pick<Wanted, "pane" | "old" | "track">): Range {
        return pane.isOfAll || old ? this.state.bounds : track.range;
    }

    private isWhole(range: Range, own: Range): boolean {
        return !this.state.selection && range.from <= own.from && range.to >= own.to;
    }

    /** Can the pane show what has changed between the logs that are open? */
    private canCompare(): boolean {
        const [old, latest, ...others] = this.tracks;
        return this.pane.askBoth !== undefined && others.length === 0 && old?.engine !== latest?.engine;
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
        // The view may have come back to what is shown.
        if (wanted && same(wanted, this.shown)) this.host.setAttribute("aria-busy", "false");
        if (!wanted || this.asked || same(wanted, this.shown)) return;
        const { pane, old, track, range, whole } = wanted;
        const asked = old ? [old, track] : [track];
        const missing = this.missing(wanted);
        const [title, ...rest] = asked.flatMap(whyEmpty);
        if (title) {
            this.shown = undefined;
            this.setHead([element("h2", title)], true);
            replace(this.body, rest.map((text) => element("p", text, "missing")));
            this.host.setAttribute("aria-busy", "false");
            return;
        }
        // Reading events would delay reading the log.
        if (pane.isJob && asked.some(({ overview }) => !overview?.complete)) {
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
        const shares = asked.map(() => 0);
        const [first, second] = asked.map(
            (track, index): Question => ({
                track,
                range,
                whole: old ? this.isWhole(range, track.range) : whole,
                signal: stop.signal,
                progress: (share) => {
                    shares[index] = share;
                    this.bar.value = shares.reduce((sum, one) => sum + one, 0) / shares.length;
                    this.bar.title = percent(this.bar.value);
                },
            }),
        );
        const done = (finish: () => void) => {
            if (stop.signal.aborted) return;
            this.asked = undefined;
            this.answeredAt = performance.now();
            finish();
            this.update();
        };
        (second ? pane.askBoth!(first!, second) : pane.ask(first!)).then(
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

    /** Why the pane cannot be filled; null: it can be. */
    private missing({ pane, old, track, range }: Wanted): string | null {
        if (!old) return pane.missing?.(track) ?? null;
        for (const one of [old, track]) {
            const lacks = pane.missing?.(one);
            if (lacks) return `${trackName(one)}: ${lacks}`;
        }
        const out = [old, track].find((one) => !isIn(range, one));
        return out ? whyNotIn(out) : null;
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

    private fillHead(wanted: Wanted, note = ""): void {
        const { whole, old, track, pane } = wanted;
        // Of several logs, one may be a part of what is in view.
        const range = whole ? this.extent(wanted) : wanted.range;
        const step = Math.max(span(range) / 1000, 1);
        const title = element("h2", this.state.selection ? "Selection" : whole ? (track.overview?.complete ? "Whole run" : "What was read so far") : "In view");
        const made: HTMLElement[] = [
            title,
            element("p", `${time(range.from, step)} to ${time(range.to, step)} (${duration(span(range))})`, "range"),
        ];
        if (old) made.push(element("p", `From ${trackName(old)} to ${trackName(track)}`, "remark"));
        if (note) made.push(element("p", note, "missing"));
        if (this.held) {
            const release = element("button", "Follow the view", "small");
            release.addEventListener("click", () => {
                this.release();
                this.host.focus();
            });
            title.append(release);
        }
        this.setHead(made, !pane.isOfAll);
    }

    private setHead(lines: HTMLElement[], choice: boolean): void {
        this.lines.replaceChildren(...lines);
        const isShown = choice && this.tracks.length > 1;
        if (isShown) this.fillChooser();
        replace(this.head, isShown ? [this.lines, this.chooser] : [this.lines]);
    }

    private fillChooser(): void {
        const names = this.tracks.map(trackName);
        if (this.canCompare()) names.push("What has changed");
        replace(
            this.chooser,
            names.map((name, index) => {
                const option = this.chooser.options[index];
                return option?.text === name ? option : new Option(name, String(index));
            }),
        );
        const chosen = this.tracks[this.chosen] ? this.chosen : 0;
        this.chooser.value = String(this.canCompare() && this.compares ? this.tracks.length : chosen);
    }
}

const isOffered = (pane: Pane): boolean => pane.isOffered?.() ?? true;

const onlyGrown = (a: Wanted, b: Wanted): boolean =>
    a.pane === b.pane && a.old === b.old && a.track === b.track && a.key === b.key && (sameRange(a.range, b.range) || (a.whole && b.whole));

const same = (a: Wanted, b: Wanted | undefined): boolean =>
    b !== undefined && a.version === b.version && onlyGrown(a, b) && sameRange(a.range, b.range);

/** Elements that stay are not touched, so that they keep the focus and where they are scrolled to. */
function replace(host: Element, made: Element[]): void {
    if (made.length === host.children.length && made.every((item, index) => item === host.children[index])) return;
    host.replaceChildren(...made);
}

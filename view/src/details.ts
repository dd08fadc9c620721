// Details of one thing that was chosen, by a click or by keys: what it is, how long it took, what led to it and
// followed, the spans around it and in it, and what caps did meanwhile. It leads to others of its kind.
import { errorOf, isExpected } from "./engine/protocol";
import type { Collection, ElementSpan, StatAnswer } from "./engine/requests";
import { sharesBar } from "./panes/stat";
import { element } from "./panes/table";
import { capShares } from "./rows/cap";
import { unknownText } from "./rows/row";
import { sharesAt } from "./rows/shares";
import { findThing, insideText, type Choice, type Fact, type Thing, type Way } from "./rows/thing";
import { textOfState } from "./rows/thread";
import { between, sameRange, span, type Range } from "./state/range";
import type { State } from "./state/state";
import { bytes, duration, percent, visible } from "./text";
import type { Place, Timeline } from "./timeline";
import type { Track } from "./track";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** Further caps are shown together. */
const mostCaps = 8;
/** The runtime logs the statistics of a collection so soon after its end. */
const statisticsNanoseconds = 10e6;
/** Rows without anything are passed over, at most so many. */
const mostRows = 50;
/** Pixels of the style sheet between a click and what it chooses. */
const nearPixels = 4;

const none: Record<Way, string> = { next: "There is no later one.", previous: "There is no earlier one.", longest: "There is no other one." };

interface Found {
    thing: Thing;
    track: Track;
}

interface Chosen extends Found {
    /** Of its row. */
    key: string;
    /** It was chosen by keys: the view and the rows follow. */
    follows: boolean;
}

const of = (track: Track, thing: Thing | null): Found | null => thing && { thing, track };

export class Details {
    private readonly root = byId("details");
    private readonly title = byId("details-name");
    private readonly list = this.root.querySelector("dl") as HTMLElement;
    private readonly more = this.root.querySelector(".more") as HTMLElement;
    private chosen: Chosen | null = null;
    /** Of what is being found. */
    private asked: AbortController | null = null;
    private stop = new AbortController();

    constructor(
        private readonly state: State,
        private readonly timeline: Timeline,
        private readonly failed: (message: string) => void,
    ) {
        byId("details-previous").addEventListener("click", () => this.step("previous"));
        byId("details-next").addEventListener("click", () => this.step("next"));
        byId("details-longest").addEventListener("click", () => this.step("longest"));
        byId("details-select").addEventListener("click", () => this.select());
        byId("details-close").addEventListener("click", () => {
            this.clear();
            this.timeline.element.focus();
        });
        // It grows as more is known: what was chosen by keys stays in sight.
        new ResizeObserver(() => {
            if (this.chosen?.follows) this.timeline.scrollTo(this.chosen.key);
        }).observe(this.root);
    }

    /** Chooses what is at a point of a row. */
    choose({ item, point, isExplained }: Place): void {
        const { row, track, key } = item;
        this.ask(
            () => key,
            async (signal) => {
                const { choice } = row;
                const ask = async () => (choice ? this.at(track, { ...choice, ...row.choiceAt?.(point) }, point.ns, point.pixel, signal) : null);
                return of(track, await orOwn(ask, () => row.thingAt?.(point) ?? null));
            },
            { isExplained },
        );
    }

    /** Goes to another of the same kind; without any, to one in the first row in sight. */
    step(way: Way, any = false): void {
        const { chosen } = this;
        if (chosen) this.ask(() => chosen.key, async () => of(chosen.track, await chosen.thing.step(way, any)), { follows: true, none: none[way] });
        else this.enter(0, way);
    }

    /** Goes to the same time in another row. */
    row(by: number): void {
        this.enter(by, "next");
    }

    /** The row in which something is chosen: "GROUP/ROW". */
    get place(): string | null {
        return this.timeline.places.find(({ key }) => key === this.chosen?.key)?.place ?? null;
    }

    /** Nothing is being found. */
    get settled(): boolean {
        return this.asked === null;
    }

    /** Selects its range. False: there is none, or it is selected. */
    select(): boolean {
        const range = this.chosen?.thing.range;
        if (!range || span(range) === 0) return false;
        const wanted = between(range.from, range.to, this.state.bounds);
        if (sameRange(wanted, this.state.selection) || span(wanted) === 0) return false;
        this.state.setSelection(wanted);
        return true;
    }

    /** Extends the selection to it; without one, selects from the cursor to it; without that, sets the cursor there. */
    extend(): void {
        const range = this.chosen?.thing.range;
        if (!range) return;
        const { cursor, selection, bounds } = this.state;
        const before = selection ?? (cursor === null ? null : { from: cursor, to: cursor });
        if (!before) {
            this.state.cursor = range.from;
            return;
        }
        const wanted = between(Math.min(before.from, range.from), Math.max(before.to, range.to), bounds);
        if (span(wanted) > 0) this.state.setSelection(wanted);
    }

    clear(): void {
        this.stop.abort();
        this.chosen = null;
        this.root.hidden = true;
        this.timeline.chosen = null;
        this.timeline.explain(undefined, null, 0);
    }

    private at(track: Track, choice: Choice, time: number, pixel: number, signal: AbortSignal): Promise<Thing | null> {
        return findThing(track, choice, { time, within: nearPixels * pixel }, textOfState, signal);
    }

    /** Chooses something in a row that is so many rows after the present one, or in the first one after it that has
     *  something. */
    private enter(by: number, way: Way): void {
        const places = this.timeline.places;
        const now = this.chosen ? places.findIndex(({ key }) => key === this.chosen?.key) : -1;
        const start = now < 0 ? 0 : now + by;
        const { view, cursor } = this.state;
        const range = this.chosen?.thing.range;
        const ns = range ? (range.from + range.to) / 2 : (cursor ?? (way === "previous" ? view.to : view.from));
        let key = "";
        this.ask(
            () => key,
            async (signal) => {
                for (let i = 0; i < Math.min(places.length, mostRows); i++) {
                    const item = places[(start + i * (by || 1) + places.length * mostRows) % places.length]!;
                    const { from, to } = item.track.range;
                    const found = await this.inRow(item, Math.min(Math.max(ns, from), to), way, signal);
                    key = item.key;
                    if (found) return { thing: found, track: item.track };
                }
                return null;
            },
            { follows: true },
        );
    }

    /** That at a time in a row, or the nearest one. */
    private async inRow({ row, track }: Place["item"], ns: number, way: Way, signal: AbortSignal): Promise<Thing | null> {
        const { choice } = row;
        const pixel = this.timeline.pixel;
        const own = () => row.thingAt?.({ ns, pixel, y: row.height / 2 }) ?? null;
        if (!choice) return own();
        const other = (which: Way) => findThing(track, choice, { which, time: ns }, textOfState, signal);
        const ask = async () => {
            const here = way === "longest" ? null : await this.at(track, choice, ns, pixel, signal);
            return here ?? (await other(way)) ?? (await other(way === "next" ? "previous" : "next"));
        };
        return orOwn(ask, own);
    }

    /** Shows what is found. By keys, the view follows, and what is not found is said. */
    private ask(
        keyOf: () => string,
        find: (signal: AbortSignal) => Promise<Found | null>,
        { follows = false, isExplained = false, none: why = none.longest }: { follows?: boolean; isExplained?: boolean; none?: string },
    ): void {
        this.stop.abort();
        const stop = new AbortController();
        this.stop = stop;
        this.asked = stop;
        const done = (found: Found | null, why: string) => {
            if (this.asked === stop) this.asked = null;
            this.timeline.schedule();
            if (stop.signal.aborted) return;
            if (found) this.show({ ...found, key: keyOf(), follows }, isExplained, stop.signal);
            else if (follows) this.say(why);
            else if (isExplained) this.showNothing();
            else this.clear();
        };
        find(stop.signal).then(
            (found) => done(found, why),
            (reason) => {
                const error = errorOf(reason);
                done(null, error.message);
                if (!stop.signal.aborted && !isExpected(error)) this.failed(error.message);
            },
        );
    }

    private say(text: string): void {
        this.root.hidden = false;
        if (this.chosen) this.title.textContent = `${this.chosen.thing.name} — ${text}`;
        else this.title.textContent = text;
    }

    /** A thread that does nothing at the time: what led to its last wait is shown. */
    private showNothing(): void {
        this.chosen = null;
        this.timeline.chosen = null;
        this.list.replaceChildren();
        this.more.replaceChildren();
        this.say("The thread does nothing at this time.");
    }

    private show(chosen: Chosen, isExplained: boolean, signal: AbortSignal): void {
        const { thing, track, key } = chosen;
        const { range } = thing;
        this.chosen = chosen;
        this.root.hidden = false;
        this.title.textContent = span(range) > 0 ? `${thing.name}, ${duration(span(range))}` : thing.name;
        this.root.dataset.from = String(range.from);
        this.root.dataset.to = String(range.to);
        byId<HTMLButtonElement>("details-select").disabled = span(range) === 0;
        this.list.replaceChildren(...thing.facts.map(factLine));
        this.more.replaceChildren(...this.spans("Lies in", thing.around, chosen), ...this.spans(insideText(thing), thing.inside, chosen));
        this.timeline.chosen = { key, range };
        if (chosen.follows) this.follow(chosen);
        this.timeline.schedule();
        if (!isExplained) this.timeline.explain(track, thing.thread, range.from);
        void this.tellMore(chosen, signal);
    }

    /** Moves the view, if it is not in it. */
    private follow({ thing: { range }, key }: Chosen): void {
        const { view } = this.state;
        const length = span(view);
        const middle = (range.from + range.to) / 2;
        if (span(range) > length) this.state.setView({ from: range.from - span(range) / 10, to: range.to + span(range) / 10 }, "details");
        else if (range.from < view.from || range.to > view.to) this.state.setView({ from: middle - length / 2, to: middle + length / 2 }, "details");
        this.timeline.scrollTo(key);
    }

    private spans(title: string, spans: readonly ElementSpan[], { track, key, thing }: Chosen): HTMLElement[] {
        if (spans.length === 0) return [];
        const line = element("p", `${title}: `);
        for (const { name, from_ns: from, to_ns: to } of spans) {
            const button = element("button", `${visible(name, 80)} (${duration(to - from)})`, "small span");
            const choice: Choice = { kind: "span", name, ...(thing.thread === null ? {} : { thread: thing.thread }) };
            const find = async () => of(track, await findThing(track, choice, { which: "next", time: from - 1 }, textOfState));
            button.addEventListener("click", () => this.ask(() => key, find, { follows: true }));
            line.append(button);
        }
        return [line];
    }

    /** What other requests know of its range. */
    private async tellMore({ thing: { range, isCollection }, track }: Chosen, signal: AbortSignal): Promise<void> {
        if (span(range) === 0) return;
        const keys = { from: range.from, to: range.to };
        try {
            if (isCollection) {
                const { collections } = await track.ask("gc", { from: range.from, to: range.to + statisticsNanoseconds }, { signal });
                const own = collections.find(({ start_ns: start }) => start === range.from);
                if (own && !signal.aborted) this.list.append(...collectionFacts(own).map(factLine));
            }
            const stat = await track.ask("stat", keys);
            if (!signal.aborted) this.more.append(...meanwhile(stat, track, range));
        } catch (error) {
            if (!signal.aborted && !isExpected(errorOf(error))) this.failed(errorOf(error).message);
        }
    }
}

/** What the engine finds or, if it has nothing, what the page knows: a report may lack single things. */
async function orOwn(ask: () => Promise<Thing | null>, own: () => Thing | null): Promise<Thing | null> {
    try {
        return (await ask()) ?? own();
    } catch (error) {
        const mine = own();
        if (!mine || !isExpected(errorOf(error))) throw error;
        return mine;
    }
}

function factLine([name, text]: Fact): HTMLElement {
    const line = element("div");
    line.append(element("dt", name), element("dd", text));
    return line;
}

function collectionFacts({ reason, safepoint_ns: safepoint, live_bytes: live, copied_bytes: copied, threads, work_balance: balance }: Collection): Fact[] {
    const known = <T>(name: string, value: T | null, text: (value: T) => string): Fact[] => (value === null ? [] : [[name, text(value)]]);
    return [
        ...known("Reason", reason, (text) => visible(text, 80)),
        ...known("Waited for caps", safepoint, duration),
        ...known("Copied", copied, bytes),
        ...known("Live after it", live, bytes),
        ...known("Threads", threads, String),
        ...known("Work balance", balance, percent),
    ];
}

/** What each cap did in the range. */
function meanwhile({ caps }: StatAnswer, track: Track, { from, to }: Range): HTMLElement[] {
    const parts = caps.length > mostCaps ? [{ name: "All caps", caps }] : caps.map((cap) => ({ name: `cap ${cap.cap}`, caps: [cap] }));
    if (caps.every(({ running_ns: running }) => running === null)) return [];
    const made = element("div", "", "meanwhile");
    for (const { name, caps } of parts) {
        const bar = sharesBar(caps, `${name} meanwhile`);
        made.append(element("span", name), bar, element("span", bar.title.split(", ").filter((text) => !text.endsWith(" 0.0 %")).join(", ") || "idle"));
    }
    // A cap of which the log has nothing has no numbers.
    (track.overview?.caps ?? []).forEach((cap, index) => {
        if (caps.length > mostCaps || caps.some((known) => known.cap === cap)) return;
        const texts = sharesAt(track, { ns: (from + to) / 2, pixel: to - from, y: 0 }, capShares(index));
        if (texts.includes(unknownText)) made.append(element("span", `cap ${cap}`), element("span"), element("span", unknownText));
    });
    return [made];
}

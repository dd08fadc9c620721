// Searches the texts of the events of all logs, with the labels and messages in them. All matches are
// counted and marked in the map; the next and the previous are found one by one.
import { errorOf } from "./engine/protocol";
import type { Match } from "./engine/requests";
import type { State } from "./state/state";
import { span, type Range } from "./state/range";
import { grouped, percent, time, visible } from "./text";
import type { Track } from "./track";

/** How many matches there are in columns of equal length of a section. */
export interface Marks extends Range {
    columns: number[];
}

const columns = 1000;
/** Matches that scripts get. */
const mostMatches = 1000;
const typingMilliseconds = 250;

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Search {
    private readonly bar = byId<HTMLFormElement>("search");
    private readonly field = byId<HTMLInputElement>("search-text");
    private readonly regex = byId<HTMLInputElement>("search-regex");
    private readonly found = byId("search-found");
    private stop = new AbortController();
    private asked = "";
    private timer: ReturnType<typeof setTimeout> | undefined;
    private current: { match: Match; track: Track } | undefined;
    /** Where the matches are. */
    marks: readonly Marks[] = [];
    /** Called after `marks` have changed. */
    changed: () => void = () => undefined;

    constructor(
        private readonly state: State,
        private readonly tracks: () => readonly Track[],
    ) {
        const later = () => {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => void this.count(), typingMilliseconds);
        };
        this.field.addEventListener("input", later);
        this.regex.addEventListener("change", later);
        this.bar.addEventListener("submit", (event) => {
            event.preventDefault();
            void this.go(true);
        });
        this.bar.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && event.shiftKey && event.target === this.field) {
                event.preventDefault();
                void this.go(false);
            } else if (event.key === "Escape") {
                event.preventDefault();
                this.close();
            }
        });
        byId("search-next").addEventListener("click", () => void this.go(true));
        byId("search-previous").addEventListener("click", () => void this.go(false));
        byId("search-close").addEventListener("click", () => this.close());
    }

    open(): void {
        this.bar.hidden = false;
        this.field.focus();
        this.field.select();
    }

    close(): void {
        this.clear();
        this.field.value = "";
        this.bar.hidden = true;
        byId("timeline").focus();
    }

    /** Forgets what was found: another log is opened, or something else is searched. */
    clear(): void {
        this.stop.abort();
        clearTimeout(this.timer);
        this.asked = "";
        this.current = undefined;
        this.marks = [];
        this.found.textContent = "";
        this.changed();
    }

    /** Logs have moved: finds the matches anew. */
    again(): void {
        this.clear();
        void this.count();
    }

    /** As if `text` were typed. The matches in order of time, 1,000 at most. */
    async search(text: string): Promise<Match[]> {
        this.bar.hidden = false;
        this.field.value = text;
        void this.count();
        if (!text) return [];
        const ask = (track: Track) => track.ask("events", { ...this.keys(), count: mostMatches });
        const answers = await Promise.all(this.tracks().map(ask));
        return answers
            .flatMap(({ events }) => events)
            .sort((a, b) => a.time_ns - b.time_ns)
            .slice(0, mostMatches);
    }

    private keys(): { text: string; regex?: 1 } {
        return { text: this.field.value, ...(this.regex.checked ? { regex: 1 } : {}) };
    }

    /** Counts and marks the matches, unless that was done. */
    private async count(): Promise<void> {
        clearTimeout(this.timer);
        const asked = `${this.regex.checked} ${this.field.value}`;
        if (asked === this.asked) return;
        this.clear();
        if (!this.field.value) return;
        this.asked = asked;
        this.stop = new AbortController();
        const { signal } = this.stop;
        this.found.textContent = "Searching …";
        const progress = (share: number) => {
            if (!signal.aborted && !this.current) this.found.textContent = `Searching … ${percent(share)}`;
        };
        try {
            let count = 0;
            const marks: Marks[] = [];
            for (const track of this.tracks()) {
                const found = await track.ask("search_all", { ...this.keys(), width: columns }, { progress, signal });
                count += found.matches;
                marks.push({ ...track.range, columns: found.columns });
            }
            this.marks = marks;
            this.bar.dataset.matches = String(count);
            const text = count === 1 ? "1 match" : `${grouped(count)} matches`;
            this.found.textContent = this.current ? `${text}. ${this.found.textContent ?? ""}` : text;
            this.changed();
        } catch (error) {
            if (!signal.aborted) this.found.textContent = visible(errorOf(error).message);
        }
    }

    /** Goes to the next match after the cursor, or to the one before it; after the last, to the first. */
    async go(forward: boolean): Promise<void> {
        if (!this.field.value) {
            this.open();
            return;
        }
        const counted = this.count();
        const { signal } = this.stop;
        try {
            const next = (await this.nearest(forward, false, signal)) ?? (await this.nearest(forward, true, signal));
            await counted;
            if (signal.aborted || !next) return;
            this.current = next;
            this.show(next.match);
        } catch (error) {
            if (!signal.aborted) this.found.textContent = visible(errorOf(error).message);
        }
    }

    private async nearest(forward: boolean, wraps: boolean, signal: AbortSignal): Promise<{ match: Match; track: Track } | undefined> {
        const { cursor, view } = this.state;
        const { current } = this;
        const at = current && cursor === current.match.time_ns ? current : undefined;
        const from = at?.match.time_ns ?? cursor ?? (forward ? view.from : view.to);
        const found = await Promise.all(
            this.tracks().map(async (track, index, all) => {
                const range: { from?: number; to?: number; beyond?: number } = {};
                // Of logs before this one in the list, what is at the same time was passed.
                const passed = at ? Math.sign(index - all.indexOf(at.track)) * (forward ? 1 : -1) < 0 : false;
                if (!wraps) {
                    if (forward) range.from = Math.ceil(from) + (passed ? 1 : 0);
                    else range.to = Math.floor(from) + (passed ? 0 : 1);
                    if (at?.track === track) range.beyond = at.match.position;
                    const empty = forward ? range.from! > track.range.to : range.to! <= track.range.from;
                    if (empty) return undefined;
                }
                const keys = { ...this.keys(), ...range, ...(forward ? {} : { backward: 1 as const }) };
                const { match } = await track.ask("search", keys, { signal });
                return match ? { match, track } : undefined;
            }),
        );
        const sign = forward ? 1 : -1;
        return found.reduce(
            (best, one) => (!one || (best && (one.match.time_ns - best.match.time_ns) * sign >= 0) ? best : one),
            undefined,
        );
    }

    private show(match: Match): void {
        const { view } = this.state;
        this.state.cursor = match.time_ns;
        if (match.time_ns < view.from || match.time_ns > view.to) {
            this.state.setView({ from: match.time_ns - span(view) / 2, to: match.time_ns + span(view) / 2 }, "search");
        }
        const count = Number(this.bar.dataset.matches ?? 0);
        const step = Math.max(span(this.state.view) / 1000, 1);
        this.found.textContent = `${grouped(count)} ${count === 1 ? "match" : "matches"}. ${time(match.time_ns, step)} ${visible(match.text || match.event || "", 100)}`;
    }
}

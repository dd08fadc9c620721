// Fills the panes beside the timeline with what the engine says about the selection, or the view.
import { Latest } from "../engine/latest";
import type { State } from "../state/state";
import { sameRange, span, type Range } from "../state/range";
import { duration, time } from "../text";
import { trackName } from "../timeline";
import type { Track } from "../track";
import type { Pane } from "./pane";
import { element } from "./table";

/** The view has to rest for this long, so that moving it is not slowed down. */
const restMilliseconds = 120;

interface Question {
    track: Track;
    range: Range;
    whole: boolean;
    version: number;
}

export class PaneHost {
    private readonly host = document.getElementById("pane") as HTMLElement;
    private readonly queue: Latest<Question, unknown>;
    private shown: Question | undefined;
    private tracks: readonly Track[] = [];
    private chosen = 0;
    private version = 0;
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(
        private readonly state: State,
        private readonly pane: Pane,
        failed: (message: string) => void,
    ) {
        this.queue = new Latest(
            // Of the whole run, the numbers have what only a whole run has: its begin and its end.
            ({ track, range, whole }) => (whole ? track.ask(pane.request, {}) : rangeAnswer(track, pane.request, range)),
            (question, answer) => this.fill(question, answer),
            ({ track }, error) => {
                this.host.classList.remove("busy");
                if (this.tracks.includes(track)) failed(error.message);
            },
        );
        state.listen(() => this.update());
    }

    get track(): Track | undefined {
        return this.tracks[this.chosen] ?? this.tracks[0];
    }

    get settled(): boolean {
        return this.queue.idle && this.timer === undefined;
    }

    setTracks(tracks: readonly Track[]): void {
        this.tracks = tracks;
        this.update();
    }

    /** More of the logs was read. */
    grown(): void {
        this.version++;
        this.update();
    }

    private wanted(): Question | undefined {
        const { track } = this;
        const { selection, view } = this.state;
        if (!track?.overview) return undefined;
        const range = selection ?? { from: Math.floor(view.from), to: Math.ceil(view.to) };
        const own = track.range;
        const whole = !selection && range.from <= own.from && range.to >= own.to;
        return { track, range, whole, version: this.version };
    }

    private update(): void {
        const wanted = this.wanted();
        if (!wanted) return;
        const { shown } = this;
        if (shown && shown.track === wanted.track && shown.version === wanted.version && sameRange(shown.range, wanted.range)) return;
        this.host.classList.add("busy");
        this.timer ??= setTimeout(() => {
            this.timer = undefined;
            const question = this.wanted();
            if (question) this.queue.put(question);
        }, restMilliseconds);
    }

    private fill(question: Question, answer: unknown): void {
        if (!this.tracks.includes(question.track)) return;
        this.shown = question;
        this.host.classList.remove("busy");
        const { range, track, whole } = question;
        const step = Math.max(span(range) / 1000, 1);
        const head = [
            element("h2", this.state.selection ? "Selection" : whole ? "Whole run" : "In view"),
            element("p", `${time(range.from, step)} to ${time(range.to, step)} (${duration(span(range))})`, "range"),
        ];
        const scroll = this.host.scrollTop;
        this.host.replaceChildren(...head, ...this.chooser(), ...this.pane.show(answer, range));
        this.host.scrollTop = scroll;
        this.host.dataset.log = track.engine.name;
        this.update();
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

/** What the engine says about a range, in whole ns. */
export function rangeAnswer(track: Track, name: string, range: Range): Promise<unknown> {
    return track.ask(name, { from: range.from, to: range.to });
}

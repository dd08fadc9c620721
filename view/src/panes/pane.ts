// A pane shows an answer of the engine about a range, and is updated when the range changes.
import type { Range } from "../state/range";
import type { Track } from "../track";

export interface Question {
    readonly track: Track;
    readonly range: Range;
    /** The range is the whole section: its numbers have what only a whole run has, its begin and its end. */
    readonly whole: boolean;
    /** Tells how much of a job is done, 0 … 1. */
    readonly progress: (share: number) => void;
    /** Aborted when the answer would not be shown any more. */
    readonly signal: AbortSignal;
}

export interface Pane {
    /** In the address, and of the elements of the pane. */
    readonly name: string;
    readonly title: string;
    /** Reads the events of the range: is not asked while the log is read for the first time. */
    readonly isJob?: boolean;
    /** A message if the log lacks what the pane needs, with the flag that records it; null: it has it. */
    missing?(track: Track): string | null;
    /** What the answer depends on beside the range: it is asked again when this has changed. `again` tells
     *  the page to look. */
    key?(again: () => void): string;
    ask(question: Question): Promise<unknown>;
    /** Throws an Error if the answer has another form. Elements that were shown before keep the focus. */
    show(answer: unknown, question: Question): Element[];
    /** Called when what the page shows beside the range has changed: the cursor, notes. */
    refresh?(): void;
}

/** The keys of a request about the range. */
export const rangeKeys = ({ range, whole }: { range: Range; whole: boolean }): Record<string, number> =>
    whole ? {} : { from: range.from, to: range.to };

/** Asks for the members of a verb's JSON, in steps. */
export const job = (name: string, keys: Record<string, string | number> = {}) => (question: Question) =>
    question.track.job(name, { ...rangeKeys(question), ...keys }, question.progress, question.signal);

export const recorded = (kind: string, message: string) => (track: Track) =>
    track.overview?.recorded[kind] === false ? message : null;

// A pane shows an answer of the engine about a range, and is updated when the range changes.
import type { Answers, Keys, Recorded, RequestName } from "../engine/requests";
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

interface PaneBase {
    /** In the address, and of the elements of the pane. */
    readonly name: string;
    readonly title: string;
    /** Reads the events of the range: is not asked while the log is read for the first time. */
    readonly isJob?: boolean;
    /** It is about all logs, not about one of them. */
    readonly isOfAll?: boolean;
    /** Is there such a pane for the logs that are open? Without it, there is. */
    isOffered?(): boolean;
    /** A message if the log lacks what the pane needs, with the flag that records it; null: it has it. */
    missing?(track: Track): string | null;
    /** What the answer depends on beside the range: it is asked again when this has changed. `again` tells
     *  the page to look. */
    key?(again: () => void): string;
    /** Sorts its table by the column of a member of its rows. */
    sortBy?(column: string): void;
    /** Called when what the page shows beside the range has changed: the cursor, notes. */
    refresh?(): void;
}

export interface PaneOf<T> extends PaneBase {
    ask(question: Question): Promise<T>;
    /** Elements that were shown before keep the focus. */
    show(answer: T, question: Question): Element[];
    /** What has changed between two logs, by their answers. `question`: about the later one. */
    change?(old: T, latest: T, question: Question): Element[];
}

export interface Pane extends PaneBase {
    /** What shows the answer. */
    ask(question: Question): Promise<() => Element[]>;
    /** Likewise, what has changed between two logs. */
    askBoth?(old: Question, latest: Question): Promise<() => Element[]>;
}

export function paneOf<T>(pane: PaneOf<T>): Pane {
    return {
        ...pane,
        async ask(question) {
            const answer = await pane.ask(question);
            return () => pane.show(answer, question);
        },
        ...(pane.change && {
            async askBoth(old: Question, latest: Question) {
                const [before, after] = await Promise.all([pane.ask(old), pane.ask(latest)]);
                return () => pane.change!(before, after, latest);
            },
        }),
    };
}

/** The keys of a request about the range. */
export const rangeKeys = ({ range, whole }: { range: Range; whole: boolean }): Record<string, number> =>
    whole ? {} : { from: range.from, to: range.to };

/** Names of the requests about a range. */
type RangeName = { [N in RequestName]: { from?: number; to?: number } extends Keys[N] ? N : never }[RequestName];

/** Asks about the range of a question. */
export const about =
    <N extends RangeName>(name: N, keys?: Keys[N]) =>
    (question: Question): Promise<Answers[N]> =>
        question.track.ask(name, { ...rangeKeys(question), ...keys } as Keys[N], question);

/** A pane that shows the answer to one request about the range. */
export const requestPane = <N extends RangeName>({
    request,
    keys,
    ...pane
}: Omit<PaneOf<Answers[N]>, "ask"> & { request: N; keys?: Keys[N] }): Pane =>
    paneOf<Answers[N]>({ ...pane, ask: about(request, keys) });

export const recorded = (kind: keyof Recorded, message: string) => (track: Track) =>
    track.overview?.recorded?.[kind] === false ? message : null;

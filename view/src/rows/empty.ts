// A log without events: what is happening, and what to do.
import type { Range } from "../state/range";
import { time } from "../text";
import { trackName } from "../timeline";
import type { Track } from "../track";
import type { Group } from "./row";

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const flushes = "from GHC 9.2 on it also writes in intervals: +RTS --eventlog-flush-interval=1";

/** Sentences, the most important one first; none: the log has events. */
export function whyEmpty({ overview, hasEvents }: Track): string[] {
    if (hasEvents || !overview) return [];
    if (overview.waiting) return [`${capital(overview.waiting)}.`, "The page shows the log as soon as it begins."];
    if (!overview.complete) return ["The log is being read."];
    if (overview.grows)
        return [
            "The program has not written an event yet.",
            `GHC's runtime writes when 2 MiB have accumulated, and at its end; ${flushes}`,
        ];
    return [
        "The log has no events.",
        "Run the program with +RTS -l.",
        `If it was killed, GHC's runtime had not written any: it writes when 2 MiB have accumulated, and at its end; ${flushes}`,
    ];
}

export const isIn = ({ from, to }: Range, { range }: Track): boolean => range.to >= from && range.from < to;

/** Of a log that is not in a range. */
export const whyNotIn = (track: Track): string =>
    `${trackName(track)} has no events in this range: it lasts from ${time(track.range.from, 1000)} to ${time(track.range.to, 1000)}.`;

/** The only group of a log without events. */
export const emptyGroup: Group = {
    id: "empty",
    name: "No events",
    isOpen: () => true,
    note: (track) => whyEmpty(track)[0] ?? null,
    rows: () => [],
};

// The numbers beside rows: those of hectic stat for exactly what is in view, as the panes show them.
import type { StatAnswer, StatCap } from "../engine/requests";
import { percent } from "../text";
import { numbersKind, type Track } from "../track";

const statNumbers = numbersKind("stat", (stat) => stat);

/** A number of hectic stat as text; "": it is not known, or not yet. */
export function statText(track: Track, of: (stat: StatAnswer) => number | null | undefined, text: (value: number) => string): string {
    const stat = track.numbers(statNumbers);
    const value = stat && of(stat);
    return value === null || value === undefined ? "" : text(value);
}

/** What hectic stat says about each cap; none: it is not known, or not yet. */
export const statCaps = (track: Track): readonly StatCap[] => track.numbers(statNumbers)?.caps ?? [];

/** The share of its time in which a cap ran threads; null: it is not known. */
export const shareOfCap = ({ running_ns, present_ns }: StatCap): number | null =>
    running_ns === null || present_ns === 0 ? null : running_ns / present_ns;

/** The share of the time of some caps in which they ran threads. */
export const runningShare = (track: Track, isOf: (cap: StatCap) => boolean): string =>
    statText(
        track,
        ({ caps }) => {
            const chosen = caps.filter(isOf);
            const present = chosen.reduce((sum, { present_ns }) => sum + present_ns, 0);
            const isKnown = present > 0 && chosen.every(({ running_ns }) => running_ns !== null);
            return isKnown ? chosen.reduce((sum, { running_ns }) => sum + running_ns!, 0) / present : null;
        },
        percent,
    );

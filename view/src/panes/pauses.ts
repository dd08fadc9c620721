// Collections: their pauses as a histogram with percentiles, and a table of them.
import type { Collection, GcAnswer, StatAnswer } from "../engine/requests";
import type { Range } from "../state/range";
import { bytes, percent, time } from "../text";
import { countColumn, distribution, distributionChange, distributionPicture, lengthColumn, nothing, numberColumn, textColumn } from "./fields";
import { List } from "./list";
import { about, paneOf, recorded, type Pane } from "./pane";
import { table, type Cell } from "./table";

/** Of one run, or of several with their names. */
function percentiles(...runs: (readonly [name: string, stat: StatAnswer])[]): HTMLElement {
    const numbers = runs.flatMap(([, { gc }]) => (gc.generations ?? []).map(({ generation }) => generation));
    const parts: [string, (gc: StatAnswer["gc"]) => Parameters<typeof distribution>[0]][] = [...new Set(numbers)]
        .sort((a, b) => a - b)
        .map((number) => {
            const of = ({ generations }: StatAnswer["gc"]) => generations && (generations.find(({ generation }) => generation === number)?.pause ?? nothing);
            return [`Gen ${number}`, of];
        });
    parts.push(["All", ({ pause }) => pause]);
    const rows = parts.flatMap(([part, of]) => runs.map(([name, { gc }]): [string, ...Cell[]] => [part + name, ...distribution(of(gc))]));
    return table("Percentiles", ["", "count", "p50", "p90", "p99", "max"], rows);
}

export function pausesPane(show: (range: Range) => void): Pane {
    const list = new List<Collection>({
        caption: "Collections",
        columns: [
            numberColumn("start", "start_ns", (ns) => time(ns, 1000), 13),
            lengthColumn("pause", "pause_ns"),
            lengthColumn("safepoint", "safepoint_ns", 10),
            countColumn("gen", "generation", 5),
            textColumn("reason", "reason", 14),
            numberColumn("live", "live_bytes", bytes, 9),
            numberColumn("copied", "copied_bytes", bytes, 9),
            countColumn("threads", "threads", 8),
            { ...numberColumn("balance", "work_balance", percent, 8), leastFirst: true },
        ],
        sort: 1,
        open: ({ start_ns: from, end_ns }) => show({ from: from ?? 0, to: end_ns ?? from ?? 0 }),
        filter: "Filter collections by reason",
    });
    return paneOf<{ stat: StatAnswer; gc: GcAnswer }>({
        name: "pauses",
        title: "Pauses",
        isJob: true,
        sortBy: (column) => list.sortBy(column),
        missing: recorded("gc", "This log has no events of collections. Record them with +RTS -lg (part of -l)."),
        ask: async (question) => ({ stat: await about("stat")(question), gc: await about("gc")(question) }),
        show({ stat, gc }) {
            list.set(gc.collections, gc.left_out, "with the longest pauses");
            return [...distributionPicture("Length of the pauses", "pauses", gc.pauses), percentiles(["", stat]), list.element];
        },
        change: (old, latest) => [
            ...distributionChange("Length of the pauses", "pauses", old.gc.pauses, latest.gc.pauses),
            percentiles([", old", old.stat], [", new", latest.stat]),
        ],
    });
}

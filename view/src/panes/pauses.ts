// Collections: their pauses as a histogram with percentiles, and a table of them.
import type { Collection, GcAnswer, StatAnswer } from "../engine/requests";
import type { Range } from "../state/range";
import { bytes, percent, time } from "../text";
import { countColumn, distribution, distributionPicture, lengthColumn, numberColumn, textColumn } from "./fields";
import { List } from "./list";
import { about, paneOf, recorded, type Pane } from "./pane";
import { table, type Cell } from "./table";

export function pausesPane(show: (range: Range) => void): Pane {
    const list = new List<Collection>({
        caption: "Collections",
        columns: [
            numberColumn("start", "start_ns", (ns) => time(ns, 1000), 13),
            lengthColumn("pause", "pause_ns"),
            countColumn("gen", "generation", 5),
            textColumn("reason", "reason", 14),
            lengthColumn("safepoint", "safepoint_ns", 10),
            numberColumn("live", "live_bytes", bytes, 9),
            numberColumn("copied", "copied_bytes", bytes, 9),
            countColumn("threads", "threads", 8),
            numberColumn("balance", "work_balance", percent, 8),
        ],
        sort: 1,
        open: ({ start_ns: from, end_ns }) => show({ from: from ?? 0, to: end_ns ?? from ?? 0 }),
        filter: "Filter collections by reason",
    });
    return paneOf<{ stat: StatAnswer; gc: GcAnswer }>({
        name: "pauses",
        title: "Pauses",
        isJob: true,
        missing: recorded("gc", "This log has no events of collections. Record them with +RTS -lg (part of -l)."),
        ask: async (question) => ({ stat: await about("stat")(question), gc: await about("gc")(question) }),
        show({ stat, gc }) {
            list.set(gc.collections, gc.left_out, "with the longest pauses");
            const percentiles: [string, ...Cell[]][] = [
                ...(stat.gc.generations ?? []).map(({ generation, pause }): [string, ...Cell[]] => [`Gen ${generation}`, ...distribution(pause)]),
                ["All", ...distribution(stat.gc.pause)],
            ];
            return [
                ...distributionPicture("Length of the pauses", "pauses", gc.pauses),
                table("Percentiles", ["", "count", "p50", "p90", "p99", "max"], percentiles),
                list.element,
            ];
        },
    });
}

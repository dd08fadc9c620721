// Collections: their pauses as a histogram with percentiles, and a table of them.
import { fieldsOf, parseStats } from "../engine/protocol";
import type { Range } from "../state/range";
import { bytes, duration, grouped, percent, time } from "../text";
import { countColumn, distributionPicture, leftOut, lengthColumn, number, rowsOf, textColumn, type Row } from "./fields";
import { List } from "./list";
import { job, rangeKeys, recorded, type Pane } from "./pane";
import { table, type Cell } from "./table";

const sizeColumn = (title: string, key: string) => ({ title, value: (row: Row) => number(row, key), text: bytes, width: 9 });

export function pausesPane(show: (range: Range) => void): Pane {
    const list = new List<Row>({
        caption: "Collections",
        columns: [
            { title: "start", value: (row) => number(row, "start_ns"), text: (ns) => time(ns, 1000), width: 13 },
            lengthColumn("pause", "pause_ns"),
            countColumn("gen", "generation", 5),
            textColumn("reason", "reason", 14),
            lengthColumn("safepoint", "safepoint_ns", 10),
            sizeColumn("live", "live_bytes"),
            sizeColumn("copied", "copied_bytes"),
            countColumn("threads", "threads", 8),
            { title: "balance", value: (row) => number(row, "work_balance"), text: percent, width: 8 },
        ],
        sort: 1,
        open: (row) => {
            const from = number(row, "start_ns") ?? 0;
            show({ from, to: number(row, "end_ns") ?? from });
        },
        filter: "Filter collections by reason",
    });
    return {
        name: "pauses",
        title: "Pauses",
        isJob: true,
        missing: recorded("gc", "This log has no events of collections. Record them with +RTS -lg (part of -l)."),
        async ask(question) {
            const [stats, collections] = [
                parseStats(await question.track.ask("stat", rangeKeys(question))),
                await job("gc")(question),
            ];
            return { stats, collections };
        },
        show(answer) {
            const { stats, collections } = answer as { stats: ReturnType<typeof parseStats>; collections: unknown };
            const rows = rowsOf(collections, "collections");
            list.set(rows, leftOut(collections));
            const percentiles: [string, ...Cell[]][] = stats.flatMap(({ gc }) =>
                [...(gc.generations ?? []).map(({ generation, pause }) => ({ name: `Gen ${generation}`, pause })), { name: "All", pause: gc.pause }].map(
                    ({ name, pause }): [string, ...Cell[]] => [
                        name,
                        ...[pause && grouped(pause.count)],
                        ...([pause?.p50_ns, pause?.p90_ns, pause?.p99_ns, pause?.max_ns].map((ns) =>
                            ns === null || ns === undefined ? null : duration(ns),
                        )),
                    ],
                ),
            );
            return [
                ...distributionPicture("Length of the pauses", "pauses", fieldsOf(fieldsOf(collections).pauses)),
                table("Percentiles", ["", "count", "p50", "p90", "p99", "max"], percentiles),
                list.element,
            ];
        },
    };
}

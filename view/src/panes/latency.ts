// How long threads that could run waited for a cap.
import { fieldsOf, listOf } from "../engine/protocol";
import type { Range } from "../state/range";
import { time } from "../text";
import { countColumn, distribution, distributionPicture, leftOut, lengthColumn, number, rowsOf, text, textColumn, type Row } from "./fields";
import { List } from "./list";
import { job, recorded, type Pane } from "./pane";
import { table, type Cell } from "./table";
import { threadTitle } from "./threads";

/** What a thread did before it could run. */
const causes: Record<string, string> = { created: "Created", yielded: "Yielded", woken: "Woken" };

export function latencyPane(show: (range: Range) => void): Pane {
    const worst = new List<Row>({
        caption: "The longest waits",
        columns: [
            { title: "thread", value: threadTitle, width: 16 },
            lengthColumn("waited", "wait_ns"),
            { title: "from", value: (row) => number(row, "from_ns"), text: (ns) => time(ns, 1000), width: 13 },
            textColumn("after", "after", 11),
            countColumn("cap", "cap", 5),
        ],
        sort: 1,
        open: (row) => {
            const from = number(row, "from_ns") ?? 0;
            show({ from, to: number(row, "to_ns") ?? from + (number(row, "wait_ns") ?? 0) });
        },
        filter: "Filter waits by thread",
    });
    const threads = new List<Row>({
        caption: "By thread",
        columns: [
            { title: "thread", value: threadTitle, width: 16 },
            countColumn("waits", "count"),
            lengthColumn("max", "max_ns"),
            lengthColumn("mean", "mean_ns"),
            lengthColumn("total", "total_ns"),
        ],
        sort: 2,
        open: (row) => {
            const from = number(row, "max_from_ns") ?? 0;
            show({ from, to: from + (number(row, "max_ns") ?? 0) });
        },
        filter: "Filter threads by label",
    });
    return {
        name: "latency",
        title: "Latency",
        isJob: true,
        missing: recorded("threads", "This log has no events of threads. Record them with +RTS -ls (part of -l)."),
        ask: job("latency"),
        show(answer) {
            const all = fieldsOf(answer);
            threads.set(rowsOf(answer, "threads"), leftOut(answer));
            worst.set(listOf(all.worst).map(fieldsOf));
            return [
                ...distributionPicture("From runnable to running", "waits for a cap", all),
                table("Waits for a cap", ["", "count", "p50", "p90", "p99", "max"], [
                    ["All", ...distribution(all)],
                    ...listOf(all.causes)
                        .map(fieldsOf)
                        .map((row): [string, ...Cell[]] => [causes[text(row, "after") ?? ""] ?? "Other", ...distribution(row)]),
                ]),
                worst.element,
                threads.element,
            ];
        },
    };
}

// How long threads that could run waited for a cap.
import type { Wait, WaitSum } from "../engine/requests";
import type { Range } from "../state/range";
import { time } from "../text";
import { countColumn, distribution, distributionChange, distributionPicture, lengthColumn, nothing, numberColumn, textColumn } from "./fields";
import { List } from "./list";
import { recorded, requestPane, type Pane } from "./pane";
import { table, type Cell } from "./table";
import { threadTitle } from "./threads";

/** What a thread did before it could run. */
const causes: Record<string, string> = { created: "Created", yielded: "Yielded", woken: "Woken" };

export function latencyPane(show: (range: Range) => void): Pane {
    const worst = new List<Wait>({
        caption: "The longest waits",
        columns: [
            { title: "thread", value: threadTitle, width: 16 },
            lengthColumn("waited", "wait_ns"),
            numberColumn("from", "from_ns", (ns) => time(ns, 1000), 13),
            textColumn("after", "after", 11),
            countColumn("cap", "cap", 5),
        ],
        sort: 1,
        open: ({ from_ns: from, to_ns: to }) => show({ from, to }),
        filter: "Filter waits by thread",
    });
    const threads = new List<WaitSum>({
        caption: "By thread",
        columns: [
            { title: "thread", value: threadTitle, width: 16 },
            countColumn("waits", "count"),
            lengthColumn("max", "max_ns"),
            lengthColumn("mean", "mean_ns"),
            lengthColumn("total", "total_ns"),
        ],
        sort: 2,
        open: ({ max_from_ns: from, max_ns }) => show({ from, to: from + max_ns }),
        filter: "Filter threads by label",
    });
    return requestPane({
        name: "latency",
        title: "Latency",
        isJob: true,
        missing: recorded("threads", "This log has no events of threads. Record them with +RTS -ls (part of -l)."),
        request: "latency",
        show(answer) {
            threads.set(answer.threads, answer.left_out, "that waited longest");
            worst.set(answer.worst, answer.count - answer.worst.length, "longest");
            return [
                ...distributionPicture("From runnable to running", "waits for a cap", answer),
                table("Waits for a cap", ["", "count", "p50", "p90", "p99", "max"], [
                    ["All", ...distribution(answer)],
                    ...answer.causes.map((cause): [string, ...Cell[]] => [causes[cause.after ?? ""] ?? "Other", ...distribution(cause)]),
                ]),
                worst.element,
                threads.element,
            ];
        },
        change: (old, latest) => [
            ...distributionChange("From runnable to running", "waits for a cap", old, latest),
            table("Waits for a cap", ["", "count", "p50", "p90", "p99", "max"], [
                ["All, old", ...distribution(old)],
                ["All, new", ...distribution(latest)],
                ...Object.entries(causes).flatMap(([after, name]) => {
                    const both = [old, latest].map((run) => run.causes.find((cause) => cause.after === after));
                    if (both.every((cause) => cause === undefined)) return [];
                    return both.map((cause, index): [string, ...Cell[]] => [`${name}, ${index ? "new" : "old"}`, ...distribution(cause ?? nothing)]);
                }),
            ]),
        ],
    });
}

// Spans of the user by name, with percentiles, and the longest of them.
import type { SlowSpan, SpanLabel } from "../engine/requests";
import type { Range } from "../state/range";
import { time } from "../text";
import { count, countColumn, distributionPicture, lengthColumn, numberColumn, textColumn } from "./fields";
import { List } from "./list";
import { requestPane, type Pane } from "./pane";
import { element, table } from "./table";

export function spansPane(show: (range: Range) => void): Pane {
    const names = new List<SpanLabel>({
        caption: "By name",
        columns: [
            textColumn("label", "label", 16),
            countColumn("count", "count"),
            lengthColumn("total", "total_ns"),
            lengthColumn("p50", "p50_ns"),
            lengthColumn("p90", "p90_ns"),
            lengthColumn("p99", "p99_ns"),
            lengthColumn("max", "max_ns"),
            textColumn("kind", "kind", 8),
        ],
        sort: 2,
        open: ({ first_ns, last_ns }) => show({ from: first_ns ?? 0, to: last_ns ?? 0 }),
        filter: "Filter names of spans and markers",
    });
    const slowest = new List<SlowSpan>({
        caption: "The longest spans",
        columns: [
            textColumn("label", "label", 16),
            lengthColumn("length", "duration_ns"),
            numberColumn("start", "start_ns", (ns) => time(ns, 1000), 13),
            countColumn("thread", "thread"),
            countColumn("cap", "cap", 5),
        ],
        sort: 1,
        open: ({ start_ns: from, end_ns }) => show({ from: from ?? 0, to: end_ns ?? from ?? 0 }),
        filter: "Filter the longest spans by label",
    });
    return requestPane({
        name: "spans",
        title: "Spans",
        isJob: true,
        request: "spans",
        show(answer) {
            const { spans: rows, slowest: each } = answer;
            if (rows.length === 0) {
                return [
                    element(
                        "p",
                        "There are no spans or markers in this range. A program writes them by " +
                            "Debug.Trace.traceMarkerIO, or by traceEventIO with the texts START NAME and STOP NAME. " +
                            "Record them with +RTS -lu (part of -l).",
                        "missing",
                    ),
                ];
            }
            names.set(rows, answer.left_out);
            slowest.set(each, Math.max(answer.span_count - each.length, 0), "longest");
            return [
                names.element,
                ...distributionPicture("Length of the spans", "spans", answer.lengths),
                ...(each.length > 0 ? [slowest.element] : []),
                table("Totals", [], [
                    ["Spans", count(answer.span_count)],
                    ["Markers", count(answer.marker_count)],
                    ["STOP without START", count(answer.unstarted)],
                    ["START without STOP", count(answer.unstopped)],
                ]),
            ];
        },
    });
}

// Spans of the user by name, with percentiles, and the longest of them.
import { fieldsOf, listOf } from "../engine/protocol";
import type { Range } from "../state/range";
import { duration, grouped, time } from "../text";
import { buckets, histogram } from "./chart";
import { countColumn, leftOut, lengthColumn, number, rowsOf, text, textColumn, type Row } from "./fields";
import { List } from "./list";
import { job, type Pane } from "./pane";
import { element, table } from "./table";

export function spansPane(show: (range: Range) => void): Pane {
    const names = new List<Row>({
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
        open: (row) => show({ from: number(row, "first_ns") ?? 0, to: number(row, "last_ns") ?? 0 }),
        filter: "Filter names of spans and markers",
    });
    const slowest = new List<Row>({
        caption: "The longest spans",
        columns: [
            textColumn("label", "label", 16),
            lengthColumn("length", "duration_ns"),
            { title: "start", value: (row) => number(row, "start_ns"), text: (ns) => time(ns, 1000), width: 13 },
            countColumn("thread", "thread"),
            countColumn("cap", "cap", 5),
        ],
        sort: 1,
        open: (row) => {
            const from = number(row, "start_ns") ?? 0;
            show({ from, to: number(row, "end_ns") ?? from });
        },
        filter: "Filter the longest spans by label",
    });
    return {
        name: "spans",
        title: "Spans",
        isJob: true,
        ask: job("spans"),
        show(answer) {
            const rows = rowsOf(answer, "spans");
            const fields = fieldsOf(answer);
            const each = listOf(fields.slowest).map(fieldsOf);
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
            names.set(rows, leftOut(answer));
            slowest.set(each, Math.max((number(fields, "span_count") ?? 0) - each.length, 0));
            const lengths = each.map((row) => number(row, "duration_ns")).filter((value) => value !== null);
            const count = (key: string) => {
                const value = number(fields, key);
                return value === null ? null : grouped(value);
            };
            const longest = each[0];
            return [
                names.element,
                ...(longest
                    ? [
                          element("h3", "Length of the spans"),
                          histogram(
                              `Histogram of ${grouped(lengths.length)} spans, the longest ${text(longest, "label") ?? ""}, ` +
                                  duration(lengths.reduce((a, b) => Math.max(a, b), 0)),
                              buckets(lengths),
                          ),
                          slowest.element,
                      ]
                    : []),
                table("Totals", [], [
                    ["Spans", count("span_count")],
                    ["Markers", count("marker_count")],
                    ["STOP without START", count("unstarted")],
                    ["START without STOP", count("unstopped")],
                ]),
            ];
        },
    };
}

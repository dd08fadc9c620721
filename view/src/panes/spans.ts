// Spans of the user by name, with percentiles, and the longest of them.
import type { SlowSpan, SpanLabel, SpansAnswer } from "../engine/requests";
import type { Range } from "../state/range";
import { duration, grouped, time, visible } from "../text";
import { changeColumns, count, countColumn, distributionChange, distributionPicture, leftOutText, lengthColumn, numberColumn, textColumn, type Both } from "./fields";
import { List } from "./list";
import { recorded, requestPane, type Pane } from "./pane";
import { element, table } from "./table";

const none =
    "There are no spans or markers in this range. A program writes them by Debug.Trace.traceMarkerIO, or by traceEventIO with the " +
    "texts START NAME and STOP NAME. Record them with +RTS -lu (part of -l).";

/** A label in one or both of two runs. */
interface SpanChange {
    runs: readonly [SpanLabel | undefined, SpanLabel | undefined];
    /** What a run without the label has; null: it may be one of those that are left out. */
    without: Both;
}

function changesOf(old: SpansAnswer, latest: SpansAnswer): SpanChange[] {
    const without: Both = [old.left_out > 0 ? null : 0, latest.left_out > 0 ? null : 0];
    const [before, after] = [old, latest].map(({ spans }) => new Map(spans.map((row) => [`${row.kind} ${row.label}`, row])));
    const names = new Set([...before!.keys(), ...after!.keys()]);
    return [...names].map((name) => ({ runs: [before!.get(name), after!.get(name)], without }));
}

const eitherOf = ({ runs }: SpanChange): SpanLabel => (runs[1] ?? runs[0])!;

/** A sum of both runs: markers have no length. */
const sums =
    (key: "total_ns" | "count") =>
    (row: SpanChange): Both => {
        const [old, latest] = row.runs.map((run, index) => (run ? run[key] : eitherOf(row)[key] === null ? null : row.without[index]!));
        return [old!, latest!];
    };

const percentiles =
    (key: "p50_ns" | "p99_ns") =>
    ({ runs: [old, latest] }: SpanChange): Both => [old?.[key] ?? null, latest?.[key] ?? null];

/** The label as the program wrote it: the answer has # for the number at its end. */
export function fullLabel({ label, subscript }: Pick<SlowSpan, "label" | "subscript">): string {
    if (!Number.isSafeInteger(subscript)) return visible(label);
    if (/[^\p{L}]#$/u.test(label)) return visible(label.slice(0, -1) + subscript);
    return visible(subscript > 0 ? `${subscript} ${label}` : label);
}

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
            { title: "label", value: fullLabel, width: 16 },
            lengthColumn("length", "duration_ns"),
            numberColumn("start", "start_ns", (ns) => time(ns, 1000), 13),
            countColumn("thread", "thread"),
            countColumn("cap", "cap", 5),
        ],
        sort: 1,
        open: ({ start_ns: from, end_ns }) => show({ from: from ?? 0, to: end_ns ?? from ?? 0 }),
        filter: "Filter the longest spans by label",
    });
    const changes = new List<SpanChange>({
        caption: "By name",
        columns: [
            { title: "label", value: (row) => visible(eitherOf(row).label), width: 16 },
            ...changeColumns<SpanChange>("total", sums("total_ns"), duration),
            ...changeColumns<SpanChange>("count", sums("count"), (value) => grouped(value), 7),
            ...changeColumns<SpanChange>("p50", percentiles("p50_ns"), duration),
            ...changeColumns<SpanChange>("p99", percentiles("p99_ns"), duration),
            { title: "kind", value: (row) => eitherOf(row).kind, width: 8 },
        ],
        sort: 1,
        filter: "Filter names of spans and markers",
    });
    return requestPane({
        name: "spans",
        title: "Spans",
        isJob: true,
        missing: recorded("messages", none),
        request: "spans",
        show(answer) {
            const { spans: rows, slowest: each } = answer;
            if (rows.length === 0) {
                return [element("p", none, "missing")];
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
        change(old, latest) {
            const rows = changesOf(old, latest);
            if (rows.length === 0) return [element("p", "Neither log has spans or markers in this range.", "missing")];
            changes.set(rows);
            const note = element("p", leftOutText("Names", [old.left_out, latest.left_out]), "remark");
            return [changes.element, note, ...distributionChange("Length of the spans", "spans", old.lengths, latest.lengths)];
        },
    });
}

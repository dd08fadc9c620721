// How threads spent their time.
import { fieldsOf, listOf } from "../engine/protocol";
import type { Range } from "../state/range";
import { duration, grouped, percent } from "../text";
import { countColumn, leftOut, lengthColumn, number, rowsOf, text, textColumn, type Row } from "./fields";
import { List } from "./list";
import { job, recorded, type Pane } from "./pane";
import { table } from "./table";

const blocked = ["mvar_ns", "mvar_read_ns", "stm_ns", "black_hole_ns", "delay_ns", "io_ns", "foreign_call_ns", "throw_to_ns", "other_ns"];

export const threadTitle = (row: Row): string => {
    const label = text(row, "label");
    const id = number(row, "thread") ?? 0;
    return label ? `${label} (${id})` : `thread ${id}`;
};

const sumOf = (row: Row, keys: readonly string[]): number | null =>
    keys.reduce<number | null>((sum, key) => {
        const value = number(row, key);
        return value === null ? sum : (sum ?? 0) + value;
    }, null);

export function threadsPane(show: (range: Range) => void): Pane {
    let end = 0;
    const list = new List<Row>({
        caption: "Threads",
        columns: [
            { title: "thread", value: threadTitle, width: 16 },
            lengthColumn("running", "running_ns"),
            lengthColumn("runnable", "runnable_ns"),
            { title: "blocked", value: (row) => sumOf(row, blocked), text: duration, width: 9 },
            countColumn("runs", "runs"),
            lengthColumn("lifetime", "lifetime_ns"),
            countColumn("migrations", "migrations", 11),
            textColumn("kind", "kind", 9),
        ],
        sort: 1,
        open: (row) => {
            const from = number(row, "born_ns") ?? 0;
            show({ from, to: Math.max(number(row, "ended_ns") ?? end, from + 1) });
        },
        filter: "Filter threads by label or kind",
    });
    return {
        name: "threads",
        title: "Threads",
        isJob: true,
        missing: recorded("threads", "This log has no events of threads. Record them with +RTS -ls (part of -l)."),
        ask: job("threads"),
        show(answer, { range }) {
            end = range.to;
            list.set(rowsOf(answer, "threads"), leftOut(answer));
            const states = listOf(fieldsOf(answer).totals).map(fieldsOf);
            const waits = states.filter((row) => (number(row, "total_ns") ?? 0) > 0);
            const fields = fieldsOf(answer);
            const count = (key: string) => {
                const value = number(fields, key);
                return value === null ? null : grouped(value);
            };
            return [
                list.element,
                ...(waits.length > 0
                    ? [
                          table(
                              "All threads together",
                              ["", "total", "share"],
                              waits.map((row) => [
                                  text(row, "state") ?? "",
                                  duration(number(row, "total_ns") ?? 0),
                                  number(row, "share") === null ? null : percent(number(row, "share")!),
                              ]),
                          ),
                      ]
                    : []),
                table("Totals", [], [
                    ["Threads", count("count")],
                    ["Created in the range", count("born")],
                    ["Ended in the range", count("ended")],
                    ["Most alive at a time", count("live_max")],
                    ["Runs", count("runs")],
                    ["Migrations", count("migrations")],
                ]),
            ];
        },
    };
}

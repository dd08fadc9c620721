// Sparks: what became of them, and how long they took.
import { fieldsOf, listOf } from "../engine/protocol";
import { duration, grouped } from "../text";
import { distributionPicture, number, rowsOf, text, type Row } from "./fields";
import { job, recorded, type Pane } from "./pane";
import { element, table, type Cell } from "./table";

const fates = ["created", "converted", "overflowed", "dud", "gcd", "fizzled"] as const;
const count = (row: Row, key: string): Cell => {
    const value = number(row, key);
    return value === null ? null : grouped(value);
};
const length = (row: Row, key: string): Cell => {
    const value = number(row, key);
    return value === null ? null : duration(value);
};

const eachSpark = "The log has no events of single sparks: their durations are unknown. Record them with +RTS -lf.";

export function sparksPane(): Pane {
    return {
        name: "sparks",
        title: "Sparks",
        isJob: true,
        missing: recorded("sparks", "This log has no events of sparks. Record them with +RTS -lp (part of -l), or -lf for each spark."),
        ask: job("sparks"),
        show(answer) {
            const rows = rowsOf(answer, "sparks");
            const sum = (key: string): Cell => {
                const known = rows.map((row) => number(row, key)).filter((value) => value !== null);
                return known.length > 0 ? grouped(known.reduce((a, b) => a + b, 0)) : null;
            };
            const lengths = listOf(fieldsOf(answer).durations).map(fieldsOf)[0] ?? {};
            return [
                table(
                    "Fate of sparks",
                    ["", ...rows.map((row) => `cap ${number(row, "cap") ?? ""}`).slice(0, 4), "all"],
                    [...fates, "run", "stolen", "lost"].map((fate) => [
                        fate === "gcd" ? "collected" : fate,
                        ...rows.slice(0, 4).map((row) => count(row, fate)),
                        sum(fate),
                    ]),
                ),
                ...(rows.length > 4
                    ? [
                          table("By cap", ["", "created", "converted", "fizzled", "pool"], rows.map((row) => [
                              `cap ${number(row, "cap") ?? ""}`,
                              ...["created", "converted", "fizzled", "pool_max"].map((key) => count(row, key)),
                          ])),
                      ]
                    : []),
                ...distributionPicture("Length of sparks", "sparks", fieldsOf(fieldsOf(answer).sizes)),
                text(fieldsOf(answer), "source") === "events"
                    ? table("", ["evaluated", "mean", "p50", "p90", "p99", "max"].map((name) => (name === "evaluated" ? "" : name)), [
                          [
                              `${count(lengths, "evaluated") ?? 0} evaluated`,
                              ...["mean_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"].map((key) => length(lengths, key)),
                          ],
                      ])
                    : element("p", eachSpark, "missing"),
            ];
        },
    };
}

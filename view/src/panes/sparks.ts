// Sparks: what became of them, and how long they took.
import type { SparkSum } from "../engine/requests";
import { count, distributionPicture, length } from "./fields";
import { recorded, requestPane, type Pane } from "./pane";
import { element, table, type Cell } from "./table";

const fates = ["created", "converted", "overflowed", "dud", "gcd", "fizzled", "run", "stolen", "lost"] as const;
const capName = ({ cap }: SparkSum): string => `cap ${cap ?? ""}`;

const eachSpark = "The log has no events of single sparks: their durations are unknown. Record them with +RTS -lf.";

export function sparksPane(): Pane {
    return requestPane({
        name: "sparks",
        title: "Sparks",
        isJob: true,
        missing: recorded("sparks", "This log has no events of sparks. Record them with +RTS -lp (part of -l), or -lf for each spark."),
        request: "sparks",
        show({ sparks: rows, durations, sizes, source }) {
            const sum = (key: (typeof fates)[number]): Cell => {
                const known = rows.map((row) => row[key]).filter((value) => value !== null);
                return known.length > 0 ? count(known.reduce((a, b) => a + b, 0)) : null;
            };
            const [lengths] = durations;
            return [
                table(
                    "Fate of sparks",
                    ["", ...rows.map(capName).slice(0, 4), "all"],
                    fates.map((fate) => [
                        fate === "gcd" ? "collected" : fate,
                        ...rows.slice(0, 4).map((row) => count(row[fate])),
                        sum(fate),
                    ]),
                ),
                ...(rows.length > 4
                    ? [
                          table("By cap", ["", "created", "converted", "fizzled", "pool"], rows.map((row) => [
                              capName(row),
                              ...[row.created, row.converted, row.fizzled, row.pool_max].map(count),
                          ])),
                      ]
                    : []),
                ...distributionPicture("Length of sparks", "sparks", sizes),
                source === "events"
                    ? table("", ["", "mean", "p50", "p90", "p99", "max"], [
                          [
                              `${count(lengths?.evaluated) ?? 0} evaluated`,
                              ...[lengths?.mean_ns, lengths?.p50_ns, lengths?.p90_ns, lengths?.p99_ns, lengths?.max_ns].map(length),
                          ],
                      ])
                    : element("p", eachSpark, "missing"),
            ];
        },
    });
}

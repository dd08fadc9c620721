// How threads spent their time.
import type { ThreadSum } from "../engine/requests";
import type { Range } from "../state/range";
import { duration, percent, visible } from "../text";
import { count, countColumn, lengthColumn, textColumn } from "./fields";
import { List } from "./list";
import { recorded, requestPane, type Pane } from "./pane";
import { textOfState } from "../rows/thread";
import { table } from "./table";

const blocked = ["mvar_ns", "mvar_read_ns", "stm_ns", "black_hole_ns", "delay_ns", "io_ns", "foreign_call_ns", "throw_to_ns", "other_ns"] as const;

export const threadTitle = ({ label, thread }: { label: string | null; thread: number }): string =>
    label ? `${visible(label)} (${thread})` : `thread ${thread}`;

function blockedOf(row: ThreadSum): number | null {
    const known = blocked.map((key) => row[key]).filter((value) => value !== null);
    return known.length > 0 ? known.reduce((a, b) => a + b) : null;
}

export function threadsPane(show: (range: Range) => void): Pane {
    let end = 0;
    const list = new List<ThreadSum>({
        caption: "Threads",
        columns: [
            { title: "thread", value: threadTitle, width: 16 },
            lengthColumn("running", "running_ns"),
            lengthColumn("runnable", "runnable_ns"),
            { title: "blocked", value: blockedOf, text: duration, width: 9 },
            countColumn("runs", "runs"),
            lengthColumn("lifetime", "lifetime_ns"),
            countColumn("migrations", "migrations", 11),
            textColumn("kind", "kind", 9),
        ],
        sort: 1,
        open: ({ born_ns, ended_ns }) => show({ from: born_ns ?? 0, to: Math.max(ended_ns ?? end, (born_ns ?? 0) + 1) }),
        filter: "Filter threads by label or kind",
    });
    return requestPane({
        name: "threads",
        title: "Threads",
        isJob: true,
        missing: recorded("threads", "This log has no events of threads. Record them with +RTS -ls (part of -l)."),
        request: "threads",
        show(answer, { range }) {
            end = range.to;
            list.set(answer.threads, answer.left_out, "that ran longest");
            const waits = answer.program_totals.filter(({ total_ns }) => (total_ns ?? 0) > 0);
            return [
                list.element,
                ...(waits.length > 0
                    ? [
                          table(
                              "All threads together, without the runtime's",
                              ["", "total", "share"],
                              waits.map(({ state, total_ns, share }) => [textOfState(state), duration(total_ns ?? 0), share === null ? null : percent(share)]),
                          ),
                      ]
                    : []),
                table("Totals", [], [
                    ["Threads", count(answer.count)],
                    ["Created in the range", count(answer.born)],
                    ["Ended in the range", count(answer.ended)],
                    ["Most alive at a time", count(answer.live_max)],
                    ["Runs", count(answer.runs)],
                    ["Migrations", count(answer.migrations)],
                ]),
            ];
        },
    });
}

// A row for each thread, by its label. The list of threads is sorted and filtered here;
// pictures are requested only for the threads in sight.
import type { Engine } from "../engine/engine";
import type { ThreadEntry, ThreadListAnswer } from "../engine/requests";
import { element } from "../panes/table";
import { grouped, percent, visible } from "../text";
import { listKind, type Track } from "../track";
import { threadName } from "./cap";
import type { Group, Row } from "./row";
import { describeThread, drawThread } from "./thread";

const threadList = listKind("thread_list", (answer) => answer);

const orders: Record<string, { text: string; compare(a: ThreadEntry, b: ThreadEntry): number }> = {
    running: { text: "Longest running first", compare: (a, b) => b.running_ns - a.running_ns || a.thread - b.thread },
    label: {
        text: "By label",
        compare: (a, b) =>
            Number(a.label === null) - Number(b.label === null) ||
            collator.compare(a.label ?? "", b.label ?? "") ||
            a.thread - b.thread,
    },
    birth: { text: "By creation", compare: (a, b) => a.from_ns - b.from_ns || a.thread - b.thread },
};
const collator = new Intl.Collator("en", { numeric: true });

/** How the threads of a track are listed. */
interface Choice {
    order: string;
    filter: string;
}

/** Of each section. */
const choices = new WeakMap<Engine, Choice[]>();

function choiceOf({ engine, section }: Track): Choice {
    const own = choices.get(engine) ?? [];
    choices.set(engine, own);
    return (own[section] ??= { order: "running", filter: "" });
}

/** The rows of the threads of a list, until the list or the choice changes. */
interface Listed {
    list: ThreadListAnswer;
    order: string;
    filter: string;
    rows: Row[];
}

const listed = { program: new WeakMap<Track, Listed>(), runtime: new WeakMap<Track, Listed>() };

function rowOf(track: Track, entry: ThreadEntry): Row {
    const name = threadName(entry);
    return {
        id: String(entry.thread),
        name,
        title: entry.label === null ? name : `${visible(entry.label, 200)} (thread ${entry.thread})`,
        height: 18,
        thread: entry.thread,
        threadAt: () => entry.thread,
        choice: { kind: "thread", thread: entry.thread },
        draw: (frame) => drawThread(frame, track, entry),
        describe: (point) => [
            ...(entry.label === null ? [] : [`thread ${entry.thread}`]),
            ...describeThread(track, entry, point),
        ],
    };
}

function rowsOf(track: Track, kind: keyof typeof listed): Row[] {
    const list = track.list(threadList).value;
    if (!list) return [];
    const { order, filter } = kind === "program" ? choiceOf(track) : { order: "label", filter: "" };
    const before = listed[kind].get(track);
    if (before?.list === list && before.order === order && before.filter === filter) return before.rows;
    const wanted = filter.toLowerCase();
    const rows = list.threads
        .filter((entry) => entry.kind === kind)
        .filter(({ thread, label }) => String(thread) === wanted || (label ?? `thread ${thread}`).toLowerCase().includes(wanted))
        .sort(orders[order]!.compare)
        .map((entry) => rowOf(track, entry));
    listed[kind].set(track, { list, order, filter, rows });
    return rows;
}

function controls(track: Track, changed: () => void): HTMLElement {
    const made = element("span", "", "choice");
    const choice = choiceOf(track);
    const filter = element("input");
    filter.type = "search";
    filter.placeholder = "Filter";
    filter.setAttribute("aria-label", "Filter threads by label or number");
    filter.value = choice.filter;
    filter.addEventListener("input", () => {
        choice.filter = filter.value.trim();
        changed();
    });
    const order = element("select");
    order.setAttribute("aria-label", "Order of threads");
    for (const [value, { text }] of Object.entries(orders)) order.append(new Option(text, value, false, value === choice.order));
    order.addEventListener("change", () => {
        choice.order = order.value;
        changed();
    });
    const legend = element("span", "", "states");
    const states = [
        ["by-cap", "running, by cap", "As high as its share of the time of a pixel; less than half a pixel is paler, and marked below"],
        ["several", "several caps", "Running on several caps, or on one that is not known: in long views"],
        ["runnable", "runnable", "As high as its share"],
        ["blocked", "blocked", ""],
    ] as const;
    for (const [name, text, title] of states) {
        const item = element("span");
        item.title = title;
        item.append(element("i", "", name), text);
        legend.append(item);
    }
    made.append(filter, order, legend);
    return made;
}

/** Up to this size of a log, bytes, the group is open at first. */
const smallLog = 1 << 26;

export const threadGroups: readonly Group[] = [
    {
        id: "threads",
        name: "Threads",
        isOpen: ({ overview }) => (overview?.read_bytes ?? 0) <= smallLog,
        controls,
        lacks: (track) => (track.overview?.recorded?.threads === false ? "The log has no threads. +RTS -ls records them." : null),
        note(track) {
            const { value, progress, missing } = track.peek(threadList);
            if (missing) return null;
            if (!value) return progress === null ? "" : `Reading ${percent(progress)}`;
            const threads = value.threads.filter(({ kind }) => kind === "program").length;
            const shown = rowsOf(track, "program").length;
            const count = shown === threads ? grouped(threads) : `${grouped(shown)} of ${grouped(threads)}`;
            return value.left_out > 0 ? `${count}; ${grouped(value.left_out)} that ran least are left out` : count;
        },
        rows: (track) => (track.overview?.recorded?.threads === false ? [] : rowsOf(track, "program")),
    },
    {
        id: "runtime",
        name: "Runtime's threads",
        isOpen: () => false,
        note(track) {
            const { value, missing } = track.peek(threadList);
            const count = value?.threads.filter(({ kind }) => kind === "runtime").length ?? 0;
            return missing || count === 0 ? null : String(count);
        },
        rows: (track) => rowsOf(track, "runtime"),
    },
];

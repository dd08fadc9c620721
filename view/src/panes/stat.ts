// The numbers of hectic stat.
import type { Distribution, StatAnswer, StatCap } from "../engine/requests";
import { bytes, duration, grouped, percent } from "../text";
import { requestPane } from "./pane";
import { element, table, type Cell } from "./table";

type Number = number | null | undefined;
const shown = (value: Number, as: (value: number) => string): Cell =>
    value === null || value === undefined ? null : as(value);
const count = (value: Number) => shown(value, grouped);
const size = (value: Number) => shown(value, bytes);
const length = (value: Number) => shown(value, duration);
const share = (part: Number, whole: Number): Cell =>
    part === null || part === undefined || !whole ? null : percent(part / whole);

const sum = (caps: readonly StatCap[], key: "running_ns" | "gc_ns" | "wait_begin_ns" | "wait_end_ns" | "wait_out_ns" | "unknown_ns" | "present_ns"): number =>
    caps.reduce((total, cap) => total + (cap[key] ?? 0), 0);

/** What all caps did, as a bar; the rows of caps have the numbers. */
export function sharesBar(caps: readonly StatCap[], name = "All caps"): HTMLElement {
    const made = element("div", "", "shares");
    made.setAttribute("role", "img");
    const whole = sum(caps, "present_ns");
    const texts: string[] = [];
    for (const [name, key, text] of [
        ["running", "running_ns", "running"],
        ["collecting", "gc_ns", "GC"],
        ["waiting-begin", "wait_begin_ns", "waiting for the GC to begin"],
        ["waiting-end", "wait_end_ns", "waiting for the GC to end"],
        ["waiting-out", "wait_out_ns", "no part in the GC"],
        ["unknown", "unknown_ns", "not known"],
    ] as const) {
        const part = whole > 0 ? sum(caps, key) / whole : 0;
        if (name === "unknown" && part === 0) continue;
        const piece = element("i", "", name);
        piece.style.width = `${part * 100}%`;
        made.append(piece);
        texts.push(`${text} ${percent(part)}`);
    }
    made.setAttribute("aria-label", `${name}: ${texts.join(", ")}`);
    made.title = texts.join(", ");
    return made;
}

function timeTable({ time, from_ns, to_ns }: StatAnswer): HTMLElement {
    const total = time.total_ns ?? to_ns - from_ns;
    return table("Time", ["", "elapsed", "share"], [
        ["Mutator", length(time.mutator_ns), share(time.mutator_ns, total)],
        ["GC", length(time.gc_ns), share(time.gc_ns, total)],
        ["Initialization", length(time.init_ns), share(time.init_ns, total)],
        ["Exit", length(time.exit_ns), share(time.exit_ns, total)],
        ...(time.unrecorded_ns ? [["Off", length(time.unrecorded_ns), share(time.unrecorded_ns, total)] as [string, ...Cell[]]] : []),
        ["Total", length(time.total_ns), share(time.total_ns, total)],
        ["Productivity", "", shown(time.productivity, percent)],
    ]);
}

function memoryTable({ memory, time }: StatAnswer): HTMLElement {
    return table("Memory", [], [
        ["Allocated", size(memory.allocated_bytes)],
        ["Allocated per second of mutator", size(time.allocated_bytes_per_mutator_second)],
        ["Copied in GC", size(memory.copied_bytes)],
        ["Largest residency", size(memory.residency_max_bytes)],
        ["Largest heap", size(memory.heap_max_bytes)],
        ["Largest slop", size(memory.slop_max_bytes)],
        ["Largest fragmentation", size(memory.fragmentation_max_bytes)],
    ]);
}

function pauseRow(name: string, pause: Distribution | null): [string, ...Cell[]] {
    return [name, count(pause?.count), length(pause?.total_ns), length(pause?.p50_ns), length(pause?.p99_ns), length(pause?.max_ns)];
}

function collectionsTable({ gc }: StatAnswer): HTMLElement {
    return table("GC pauses", ["", "count", "total", "p50", "p99", "max"], [
        ...(gc.generations ?? []).map((generation) => pauseRow(`Gen ${generation.generation}`, generation.pause)),
        pauseRow("All", gc.pause),
        pauseRow("Safepoint", gc.time_to_safepoint),
    ]);
}

function capsTable({ caps }: StatAnswer): HTMLElement {
    const some = caps.some((cap) => cap.unknown_ns > 0); /* logging was off, or events were dropped */
    return table("Caps", ["", "running", "GC", "wait", "idle", ...(some ? ["unknown"] : []), "allocated"], caps.map((cap): [string, ...Cell[]] => [
        `cap ${cap.cap}`,
        share(cap.running_ns, cap.present_ns),
        share(cap.gc_ns, cap.present_ns),
        share(cap.gc_wait_ns, cap.present_ns),
        share(cap.idle_ns, cap.present_ns),
        ...(some ? [share(cap.unknown_ns, cap.present_ns)] : []),
        size(cap.allocated_bytes),
    ]));
}

function waitsTable({ caps }: StatAnswer): HTMLElement {
    return table("Waiting for GC", ["", "to begin", "to end", "no part in it"], caps.map((cap): [string, ...Cell[]] => [
        `cap ${cap.cap}`,
        share(cap.wait_begin_ns, cap.present_ns),
        share(cap.wait_end_ns, cap.present_ns),
        share(cap.wait_out_ns, cap.present_ns),
    ]));
}

function threadsTable({ caps, tasks, sparks }: StatAnswer): HTMLElement {
    const total = (key: "runs" | "switches" | "migrations_in"): Number => {
        const values = caps.map((cap) => cap[key]);
        return values.some((value) => value === null || value === undefined)
            ? null
            : values.reduce<number>((all, value) => all + (value ?? 0), 0);
    };
    return table("Threads and sparks", [], [
        ["Runs of threads", count(total("runs"))],
        ["Switches between threads", count(total("switches"))],
        ["Migrations", count(total("migrations_in"))],
        ["Workers", count(tasks?.workers)],
        ["Sparks created", count(sparks?.created)],
        ["Sparks converted", count(sparks?.converted)],
        ["Sparks fizzled, dud, overflowed", sparks ? count((sparks.fizzled ?? 0) + (sparks.dud ?? 0) + (sparks.overflowed ?? 0)) : null],
    ]);
}

const manyCaps = 8;

export const statPane = requestPane({
    name: "stat",
    title: "Statistics",
    request: "stat",
    show(stat) {
        const totals = [timeTable(stat), collectionsTable(stat), memoryTable(stat), threadsTable(stat)];
        const waits = stat.caps.some(({ gc_wait_ns: ns }) => (ns ?? 0) > 0) ? [waitsTable(stat)] : [];
        const caps = stat.caps.length > 0 ? [capsTable(stat), ...waits] : [];
        return [
            ...(stat.caps.length > 0 ? [sharesBar(stat.caps)] : []),
            // A long table comes last.
            ...(stat.caps.length > manyCaps ? [...totals, ...caps] : [...caps, ...totals]),
        ];
    },
});

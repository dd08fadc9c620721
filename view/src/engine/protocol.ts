// The requests of hectic/view.h, and their answers. An answer is checked before it is used: the server
// may be of another version.

export function request(name: string, keys: Record<string, string | number>): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(keys)) query.set(key, String(value));
    const text = query.toString().replaceAll("+", "%20");
    return text ? `${name}?${text}` : name;
}

export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
export const knownNumber = (value: unknown): number | null =>
    typeof value === "number" && Number.isFinite(value) ? value : null;
export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

export interface Overview {
    /** Their number. */
    sections: number;
    fromNs: number;
    toNs: number;
    /** The last event, if the log was cut and events after `toNs` do not count. */
    leftOutToNs: number | null;
    caps: number[];
    program: string | null;
    /** The log has several processes: the section is one of them. */
    process: { pid: number | null } | null;
    /** Which kinds of events there are, by the names of hectic/view.h. */
    recorded: Record<string, unknown>;
    /** 0 … 1 of the log was read. */
    progress: number;
    /** Everything so far was read. */
    complete: boolean;
    readBytes: number;
    /** Damaged, and skipped. */
    skippedBytes: number;
}

export function parseOverview(answer: unknown): Overview {
    const fields = fieldsOf(answer);
    return {
        sections: Math.max(listOf(fields.sections).length, 1),
        fromNs: numberOf(fields.from_ns),
        toNs: Math.max(numberOf(fields.to_ns), numberOf(fields.from_ns)),
        leftOutToNs: knownNumber(fields.left_out_to_ns),
        caps: listOf(fields.caps).map(numberOf),
        program: textOf(fields.program),
        process: "process" in fields ? { pid: knownNumber(fields.pid) } : null,
        recorded: fieldsOf(fields.recorded),
        progress: numberOf(fields.progress),
        complete: fields.complete === true,
        readBytes: numberOf(fields.read_bytes),
        skippedBytes: numberOf(fields.skipped_bytes),
    };
}

/** How far the answer to a job is. */
export function parseStep(answer: unknown): { complete: boolean; progress: number } {
    const fields = fieldsOf(answer);
    if (typeof fields.complete !== "boolean") throw new Error("job: unexpected format");
    return { complete: fields.complete, progress: numberOf(fields.progress) };
}

/** Shares of the time of each cap in columns of equal length. */
export interface Columns {
    width: number;
    caps: number;
    exact: boolean;
    /** 4 bytes for each column, cap by cap: running, collecting, waiting (0 … 255), 0. */
    shares: Uint8Array;
}

export function parseColumns(answer: unknown): Columns {
    if (!(answer instanceof ArrayBuffer) || answer.byteLength < 16) throw new Error("columns: not bytes");
    const view = new DataView(answer);
    const width = view.getUint32(4, true);
    const caps = view.getUint32(8, true);
    // "HCOL"
    if (view.getUint32(0) !== 0x48434f4c || answer.byteLength < 16 + width * caps * 4) {
        throw new Error("columns: unexpected format");
    }
    const shares = new Uint8Array(answer, 16, width * caps * 4);
    return { width, caps, exact: view.getUint32(12, true) === 1, shares };
}

/** What ran on a cap without interruption. */
export interface LabelSpan {
    cap: number;
    fromNs: number;
    toNs: number;
    thread: number | null;
    label: string | null;
    /** Why the thread stopped. */
    stop: string | null;
}

export function parseLabels(answer: unknown): LabelSpan[] {
    return listOf(fieldsOf(answer).labels).map((item) => {
        const fields = fieldsOf(item);
        return {
            cap: numberOf(fields.cap),
            fromNs: numberOf(fields.from_ns),
            toNs: numberOf(fields.to_ns),
            thread: knownNumber(fields.thread),
            label: textOf(fields.label),
            stop: textOf(fields.stop),
        };
    });
}

/** An event of a cap at a point of time. */
export interface Instant {
    cap: number;
    timeNs: number;
    /** As in the catalogue of events. */
    event: string;
    thread: number | null;
    label: string | null;
    /** Where the thread goes, or where a spark is taken from. */
    otherCap: number | null;
}

export function parseInstants(answer: unknown): { instants: Instant[]; complete: boolean } {
    const { instants, complete } = fieldsOf(answer);
    const parsed = listOf(instants).map((item) => {
        const fields = fieldsOf(item);
        return {
            cap: numberOf(fields.cap),
            timeNs: numberOf(fields.time_ns),
            event: textOf(fields.event) ?? "",
            thread: knownNumber(fields.thread),
            label: textOf(fields.label),
            otherCap: knownNumber(fields.other_cap),
        };
    });
    return { instants: parsed, complete: complete === true };
}

/** What connects a thread to others. `by` does it to `thread`, from `cap` on. */
export interface Link {
    /** created, woken, migrated; creates, wakes: what it does to others. */
    kind: string;
    timeNs: number;
    cap: number | null;
    toCap: number | null;
    thread: number | null;
    by: number | null;
}

/** A wait, and the thread that ended it; wokenNs null: it has not ended. */
export interface ChainStep {
    thread: number | null;
    label: string | null;
    /** In which it waited, or "created". */
    state: string;
    fromNs: number;
    wokenNs: number | null;
    cap: number | null;
    by: number | null;
    byLabel: string | null;
}

export interface ThreadLinks {
    links: Link[];
    chain: ChainStep[];
}

export function parseLinks(answer: unknown): ThreadLinks {
    const { links, chain } = fieldsOf(answer);
    return {
        links: listOf(links).map((item) => {
            const fields = fieldsOf(item);
            return {
                kind: textOf(fields.kind) ?? "",
                timeNs: numberOf(fields.time_ns),
                cap: knownNumber(fields.cap),
                toCap: knownNumber(fields.to_cap),
                thread: knownNumber(fields.thread),
                by: knownNumber(fields.by),
            };
        }),
        chain: listOf(chain).map((item) => {
            const fields = fieldsOf(item);
            return {
                thread: knownNumber(fields.thread),
                label: textOf(fields.label),
                state: textOf(fields.state) ?? "",
                fromNs: numberOf(fields.from_ns),
                wokenNs: knownNumber(fields.woken_ns),
                cap: knownNumber(fields.cap),
                by: knownNumber(fields.by),
                byLabel: textOf(fields.by_label),
            };
        }),
    };
}

/** A thread, as a row of it needs it. */
export interface ThreadEntry {
    thread: number;
    label: string | null;
    isRuntime: boolean;
    /** Its birth, or, if that is not in the log, its first event. */
    fromNs: number;
    endedNs: number | null;
    runningNs: number;
}

export interface ThreadList {
    threads: ThreadEntry[];
    /** Those that ran least. */
    leftOut: number;
}

export function parseThreadList(answer: unknown): ThreadList {
    const { threads, left_out } = fieldsOf(answer);
    const entries = listOf(threads).map((item) => {
        const fields = fieldsOf(item);
        return {
            thread: numberOf(fields.thread),
            label: textOf(fields.label),
            isRuntime: fields.kind === "runtime",
            fromNs: numberOf(fields.from_ns),
            endedNs: knownNumber(fields.ended_ns),
            runningNs: numberOf(fields.running_ns),
        };
    });
    return { threads: entries, leftOut: numberOf(left_out) };
}

/** A state of a thread: `state` is a place in the names of states. */
export interface ThreadRun {
    from: number;
    to: number;
    state: number;
    cap: number | null;
}

/** All runs of a thread in a picture, in order of time; or, of a long interval, its columns: shares (0 … 255)
 *  of running, runnable and blocked from the column `first` on. */
export type ThreadPicture =
    | { runs: ThreadRun[]; states: string[] }
    | { shares: [running: number[], runnable: number[], blocked: number[]]; first: number; columns: Columned };

/** The interval that columns divide: that of a report is the whole run, whatever was asked for. */
export interface Columned {
    from: number;
    to: number;
    width: number;
}

export function parseThreadRows(answer: unknown): Map<number, ThreadPicture> {
    const { states, rows, from_ns: from, to_ns: to, width } = fieldsOf(answer);
    const names = listOf(states).map((name) => textOf(name) ?? "");
    const columns = { from: numberOf(from), to: numberOf(to), width: Math.max(numberOf(width), 1) };
    return new Map(
        listOf(rows).map((item): [number, ThreadPicture] => {
            const { thread, runs, first, running, runnable, blocked } = fieldsOf(item);
            if (!Array.isArray(runs)) {
                const shares = [running, runnable, blocked].map((list) => listOf(list).map(numberOf));
                return [numberOf(thread), { shares: shares as [number[], number[], number[]], first: numberOf(first), columns }];
            }
            const parsed: ThreadRun[] = [];
            for (let i = 0; i + 3 < runs.length; i += 4) {
                const [from, to, state] = [numberOf(runs[i]), numberOf(runs[i + 1]), numberOf(runs[i + 2])];
                parsed.push({ from, to, state, cap: knownNumber(runs[i + 3]) });
            }
            return [numberOf(thread), { runs: parsed, states: names }];
        }),
    );
}

export const curveNames = ["heap_size", "blocks", "live", "allocated"] as const;
export type CurveName = (typeof curveNames)[number];

/** The least and the largest value in each column; null where there is none. Of what is allocated, both
 *  are the sum of the column. */
export interface Curve {
    min: (number | null)[];
    max: (number | null)[];
}

export type Curves = Record<CurveName, Curve>;

export function parseCurves(answer: unknown): Curves {
    const fields = fieldsOf(answer);
    const curve = (name: CurveName): Curve => {
        const { min, max } = fieldsOf(fields[name]);
        return { min: listOf(min).map(knownNumber), max: listOf(max).map(knownNumber) };
    };
    return Object.fromEntries(curveNames.map((name) => [name, curve(name)])) as Curves;
}

/** The object of hectic stat --json: null is what the log does not say. */
export interface Distribution {
    count: number;
    total_ns: number;
    mean_ns: number | null;
    p50_ns: number | null;
    p90_ns: number | null;
    p99_ns: number | null;
    max_ns: number | null;
}

export interface StatCap {
    cap: number;
    present_ns: number;
    running_ns: number | null;
    gc_ns: number | null;
    gc_wait_ns: number | null;
    idle_ns: number | null;
    allocated_bytes: number | null;
    runs: number | null;
    switches: number | null;
    migrations_in: number | null;
    migrations_out: number | null;
}

export interface Stat {
    pid?: unknown;
    from_ns: number;
    to_ns: number;
    memory: Record<string, number | null>;
    time: Record<string, number | null>;
    gc: {
        generations: { generation: number; collections: number; parallel: number; pause: Distribution | null }[] | null;
        pause: Distribution | null;
        time_to_safepoint: Distribution | null;
        work_balance: number | null;
    };
    sparks: Record<string, number | null> | null;
    tasks: Record<string, number | null> | null;
    caps: StatCap[];
}

/** One for each process of the log. */
export function parseStats(answer: unknown): Stat[] {
    const list = Array.isArray(answer) ? answer : [answer];
    for (const item of list) {
        const { from_ns, caps, gc, time, memory } = fieldsOf(item);
        if (typeof from_ns !== "number" || !Array.isArray(caps) || !gc || !time || !memory) {
            throw new Error("statistics: unexpected format");
        }
    }
    return list as Stat[];
}

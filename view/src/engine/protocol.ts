// The requests of hectic/view.h, and their answers. An answer is checked before it is used: the server
// may be of another version.

export function request(name: string, keys: Record<string, string | number>): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(keys)) query.set(key, String(value));
    const text = query.toString().replaceAll("+", "%20");
    return text ? `${name}?${text}` : name;
}

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const knownNumber = (value: unknown): number | null =>
    typeof value === "number" && Number.isFinite(value) ? value : null;
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

export interface Overview {
    sections: number;
    fromNs: number;
    toNs: number;
    caps: number[];
    program: string | null;
    /** 0 … 1 of the log was read. */
    progress: number;
    complete: boolean;
}

export function parseOverview(answer: unknown): Overview {
    const fields = fieldsOf(answer);
    const sections = Array.isArray(fields.sections) ? fields.sections.length : numberOf(fields.sections);
    return {
        sections: Math.max(sections, 1),
        fromNs: numberOf(fields.from_ns),
        toNs: Math.max(numberOf(fields.to_ns), numberOf(fields.from_ns)),
        caps: listOf(fields.caps).map((cap) => numberOf(typeof cap === "object" ? fieldsOf(cap).cap : cap)),
        program: textOf(fields.program),
        progress: numberOf(fields.progress),
        complete: fields.complete === true,
    };
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
        throw new Error("columns: of another form");
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
    const list = Array.isArray(answer) ? answer : listOf(fieldsOf(answer).spans ?? fieldsOf(answer).labels);
    return list.map((item) => {
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

export const curveNames = ["heap_size", "blocks", "live", "allocated"] as const;
export type CurveName = (typeof curveNames)[number];

/** The least and the largest value in each column; null where there is none. */
export interface Curve {
    min: (number | null)[];
    max: (number | null)[];
}

export type Curves = Record<CurveName, Curve>;

export function parseCurves(answer: unknown): Curves {
    const fields = fieldsOf(answer);
    const curve = (name: CurveName): Curve => {
        const { min, max } = fieldsOf(fields[`${name}_bytes`] ?? fields[name]);
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

export function parseStat(answer: unknown): Stat {
    const fields = fieldsOf(answer);
    if (typeof fields.from_ns !== "number" || !Array.isArray(fields.caps) || !fields.gc || !fields.time) {
        throw new Error("statistics: of another form");
    }
    return answer as Stat;
}

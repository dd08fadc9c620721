// How requests are written, and answers are checked: the server may be of another version.
import { members, timeKeys, type Answers, type ErrorAnswer, type ErrorCode, type Report, type RequestName } from "./requests";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An answer as an engine gives it: JSON, or bytes. */
export type Answer = Json | ArrayBuffer;

/** A request that failed. */
export class Refused extends Error {
    constructor(
        message: string,
        readonly code: ErrorCode,
    ) {
        super(message);
    }

    /** The engine does not have this: it is of an older server, or a report. */
    get isMissing(): boolean {
        return this.code === "unknown_request" || this.code === "not_held";
    }
}

export const isMissing = (error: Error): boolean => error instanceof Refused && error.isMissing;

/** What a report leaves out, and ranges without events. */
export const isExpected = (error: Error): boolean =>
    error instanceof Refused && (error.isMissing || error.code === "left_out" || error.code === "no_events");

export const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

export function request(name: RequestName, keys: object): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(keys)) query.set(key, String(value));
    const text = query.toString().replaceAll("+", "%20");
    return text ? `${name}?${text}` : name;
}

interface Member {
    name: string;
    isOptional: boolean;
    type: string;
}

const parsed = new Map<string, readonly Member[]>();

function membersOf(record: string): readonly Member[] {
    let found = parsed.get(record);
    if (!found) {
        const words = (members[record] ?? "").split(" ").filter((word) => word.includes(":"));
        found = words.map((word) => {
            const [name = "", type = ""] = word.split(":");
            return { name: name.replace("~", ""), isOptional: name.endsWith("~"), type };
        });
        parsed.set(record, found);
    }
    return found;
}

function isOf(value: Json | undefined, type: string): boolean {
    if (type.endsWith("?")) return value === null || isOf(value, type.slice(0, -1));
    if (type.endsWith("[]")) {
        const inner = type.slice(0, -2);
        return Array.isArray(value) && value.every((item) => isOf(item, inner));
    }
    if (type === "run_times") return isOf(value, "number?[]");
    if (type === "number" || type === "time") return typeof value === "number";
    if (type === "text") return typeof value === "string";
    if (type === "flag") return typeof value === "boolean";
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return membersOf(type).every(({ name, isOptional, type }) => (value[name] === undefined ? isOptional : isOf(value[name], type)));
}

const isBytes = (answer: Answer): answer is ArrayBuffer => answer instanceof ArrayBuffer;

function isAnswer<N extends RequestName>(name: N, answer: Answer | Answers[N]): answer is Answers[N] {
    const value = answer as Answer;
    return name in members ? !isBytes(value) && isOf(value, name) : isBytes(value);
}

/** A value of a type with all its times so many ns later. */
function valueLater(value: Json, type: string, by: number): Json {
    if (value === null) return null;
    if (type.endsWith("?")) return valueLater(value, type.slice(0, -1), by);
    if (type === "time") return (value as number) + by;
    if (type === "run_times") return (value as number[]).map((item, index) => (index % 4 < 2 ? item + by : item));
    if (type.endsWith("[]")) {
        const inner = type.slice(0, -2);
        return inner in members || inner.startsWith("time") ? (value as Json[]).map((item) => valueLater(item, inner, by)) : value;
    }
    if (!(type in members)) return value;
    const record = { ...(value as Record<string, Json>) };
    for (const { name, type: inner } of membersOf(type)) if (record[name] !== undefined) record[name] = valueLater(record[name], inner, by);
    return record;
}

/** With all its times so many ns later; bytes have none. Throws an Error if the answer has another form. */
export function answerOf<N extends RequestName>(name: N, answer: Answer, by = 0): Answers[N] {
    const isMoved = by !== 0 && !isBytes(answer) && isOf(answer, name);
    const value: Answer | Answers[N] = isMoved ? valueLater(answer, name, by) : answer;
    if (!isAnswer(name, value)) throw new Error(`${name}: unexpected format`);
    return value;
}

/** The keys of a request with all their times so many ns earlier, but not before the clock began; null: all of its
 *  interval is. */
export function keysEarlier(keys: object & { to?: number }, by: number): object | null {
    if (keys.to !== undefined && keys.to <= by) return null;
    return Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, timeKeys.has(key) ? Math.max((value as number) - by, 0) : (value as unknown)]));
}

/** The progress of a request that takes long; null: this is its answer. */
export function progressOf(answer: Answer): number | null {
    const isStep = !isBytes(answer) && typeof answer === "object" && answer !== null && !Array.isArray(answer);
    if (!isStep || typeof answer.complete !== "boolean") throw new Error("job: unexpected format");
    if (answer.complete) return null;
    return typeof answer.progress === "number" ? answer.progress : 0;
}

/** What the answer to a request that failed says; `otherwise`: if it is none. */
export function refusalOf(answer: Answer | undefined, otherwise: string): Refused {
    if (answer === undefined || !isAnswer("error", answer)) return new Refused(otherwise, "failed");
    const { message, code = "failed" }: ErrorAnswer = answer;
    return new Refused(message || otherwise, code as ErrorCode);
}

/** Checks what comes from elsewhere than an engine: it has the form of a record. */
const recordOf =
    <T>(name: string) =>
    (value: Json): T => {
        const is = (one: Json | T): one is T => isOf(one as Json, name);
        const found: Json | T = value;
        if (!is(found)) throw new Error(`${name}: unexpected format`);
        return found;
    };

export const reportOf = recordOf<Report>("report");

/** What a cap did, as pictures show it; the rest of its time it was idle. */
export const activities = ["running", "collecting", "waitingBegin", "waitingEnd", "waitingOut", "unknown"] as const;

/** Shares of the time of each cap in columns of equal length. */
export interface Columns {
    width: number;
    caps: number;
    /** ns: no finer than this; 0: they are exact. */
    slot: number;
    /** For each column, cap by cap, the shares in `activities`: 0 … 255. */
    shares: Uint8Array;
}

export function columnsOf(answer: ArrayBuffer): Columns {
    if (answer.byteLength < 16) throw new Error("columns: not bytes");
    const view = new DataView(answer);
    const width = view.getUint32(4, true);
    const caps = view.getUint32(8, true);
    // "HCOL"
    if (view.getUint32(0) !== 0x48434f4c || answer.byteLength < 16 + width * caps * activities.length) {
        throw new Error("columns: unexpected format");
    }
    const shares = new Uint8Array(answer, 16, width * caps * activities.length);
    const shift = view.getUint32(12, true);
    return { width, caps, slot: shift === 0 ? 0 : 2 ** shift, shares };
}

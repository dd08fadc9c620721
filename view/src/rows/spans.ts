// User spans of each thread, nested; markers and messages.
import { fitted } from "../draw/pen";
import type { MessageRow, MessageRowsAnswer, SpanRowsAnswer } from "../engine/requests";
import { span } from "../state/range";
import { duration, grouped, time, visible } from "../text";
import { listKind, numbersKind, pictureKind, type Track } from "../track";
import { threadName } from "./cap";
import { columnsOf, leftOutText } from "./gc";
import { firstAfter } from "./order";
import { clear, markCoarse, xOf, type Frame, type Group, type Point, type Row } from "./row";

interface UserSpan {
    depth: number;
    from: number;
    to: number;
    name: string;
}

interface SpanRow {
    thread: number | null;
    cap: number | null;
    label: string | null;
    /** Those of at least two columns: by depth, in order of time. */
    spans: UserSpan[][];
    depths: ReturnType<typeof columnsOf>[];
}

interface SpanRows {
    total: number;
    leftOut: string;
    rows: SpanRow[];
}

const mostRows = 30;
const depthHeight = 15;

function spanRowsOf(answer: SpanRowsAnswer): SpanRows {
    const { row_count = 0, rows = [] } = answer;
    return {
        total: row_count,
        leftOut: leftOutText("spans", answer),
        rows: rows.map((row) => {
            const spans: UserSpan[][] = [];
            for (const { depth, from_ns: from, to_ns: to, name } of row.spans) {
                const at = Math.min(depth, 7);
                while (spans.length <= at) spans.push([]);
                spans[at]!.push({ depth: at, from, to, name });
            }
            const { thread, cap, label } = row;
            return { thread, cap, label, spans, depths: row.depths.map(columnsOf) };
        }),
    };
}

const keys = { by: "thread", count: mostRows } as const;
const spanList = listKind("span_rows", spanRowsOf, { ...keys, width: 1000 });
const spanPicture = pictureKind("span_rows", spanRowsOf, { keys, most: 2048 });
/** How many spans of each row end in view. */
const spanNumbers = numbersKind(
    "span_rows",
    ({ rows = [], left_out_from_ns: leftOut }) => (leftOut === null ? new Map(rows.map((row) => [keyOf(row), row.span_count])) : undefined),
    { ...keys, width: 1 },
);

const keyOf = ({ thread, cap }: Pick<SpanRow, "thread" | "cap">): string => (thread === null ? `cap${cap}` : String(thread));
const nameOf = ({ thread, cap, label }: SpanRow): string => (thread !== null || label !== null ? threadName({ thread, label }) : cap !== null ? `cap ${cap}` : "no cap");
const rowOf = (rows: SpanRows | undefined, key: string): SpanRow | undefined => rows?.rows.find((row) => keyOf(row) === key);

/** The same name has the same color. */
function colorOf(name: string): string {
    let hash = 0;
    for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0;
    return `hsl(${(hash >>> 0) % 360} 55% ${[68, 74, 80][(hash >>> 9) % 3]}%)`;
}

const numberText = (value: number | undefined): string => (value === undefined ? "" : grouped(value));

function drawSpans(frame: Frame, track: Track, key: string): void {
    const { context, width, scale, view, palette } = frame;
    clear(frame);
    const picture = track.picture(spanPicture);
    const row = rowOf(picture?.value, key);
    if (!picture || !row) return;
    const size = (depthHeight - 2) * scale;
    const step = span(picture.window) / picture.columns;
    row.depths.forEach((columns, depth) => {
        context.fillStyle = palette.faint;
        for (const { column, ns } of columns) {
            const from = picture.window.from + column * step;
            if (from + step <= view.from || from >= view.to) continue;
            const left = Math.round(xOf(frame, from));
            const part = Math.max(Math.min(ns / step, 1), 0.2) * size;
            context.fillRect(left, (depth + 1) * depthHeight * scale - part, Math.max(Math.round(xOf(frame, from + step)) - left, 1), part);
        }
    });
    row.spans.forEach((spans, depth) => {
        const y = (depth * depthHeight + 1) * scale;
        for (let i = firstAfter(spans, view.from, ({ to }) => to); i < spans.length; i++) {
            const { from, to, name } = spans[i]!;
            if (from >= view.to) break;
            const left = Math.max(Math.round(xOf(frame, from)), 0);
            const right = Math.max(Math.min(Math.round(xOf(frame, to)), width), left + 1);
            context.fillStyle = colorOf(name);
            context.fillRect(left, y, right - left > 3 ? right - left - Math.max(Math.round(scale / 2), 1) : right - left, size);
            const room = right - left - 8 * scale;
            if (room < 12 * scale) continue;
            context.fillStyle = palette.runningText;
            context.fillText(fitted(context, visible(name, 100), room), left + 4 * scale, y + size / 2 + scale / 2);
        }
    });
    markCoarse(frame, row.depths.some((columns) => columns.length > 0) ? track.stepOf(picture) : 0);
}

function spanAt(track: Track, key: string, { ns, y, pixel }: Point): UserSpan | undefined {
    const spans = rowOf(track.shown(spanPicture)?.value, key)?.spans[Math.floor(y / depthHeight)] ?? [];
    const found = spans[firstAfter(spans, ns - pixel, ({ to }) => to)];
    return found && found.from <= ns + pixel ? found : undefined;
}

function describeSpan(track: Track, key: string, point: Point): string[] {
    const found = spanAt(track, key, point);
    return found ? [visible(found.name, 100), duration(found.to - found.from)] : [];
}

// Markers and messages

type MessageKind = "markers" | "messages";
type MessageRows = Record<MessageKind, MessageRow> & { slot: number };

const messageRowsOf = ({ markers, messages, slot_ns: slot = 0 }: MessageRowsAnswer): MessageRows => ({ markers, messages, slot });
const messageList = listKind("message_rows", messageRowsOf, { width: 1 });
const messagePicture = pictureKind("message_rows", messageRowsOf, { most: 4096 });
const messageNumbers = numbersKind("message_rows", messageRowsOf, { width: 1 });

function drawMessages(frame: Frame, track: Track, kind: MessageKind): void {
    const { context, height, scale, view, width, palette } = frame;
    clear(frame);
    const picture = track.picture(messagePicture);
    if (!picture) return;
    const { listed, column: columns, count: counts } = picture.value[kind];
    const line = Math.max(Math.round(scale), 1);
    const step = span(picture.window) / picture.columns;
    context.fillStyle = palette.accent;
    const most = counts.reduce((max, count) => Math.max(max, count), 1);
    for (const [i, column] of columns.entries()) {
        const from = picture.window.from + column * step;
        if (from + step <= view.from || from >= view.to) continue;
        // Density: the height, of the densest column; one message stays visible.
        const size = Math.max(Math.round(((counts[i] ?? 0) / most) * (height - 2 * scale)), 2 * line);
        const left = Math.round(xOf(frame, from));
        context.fillRect(left, height - scale - size, Math.max(Math.round(xOf(frame, from + step)) - left, line), size);
    }
    const first = firstAfter(listed, view.from - 1, ({ time_ns }) => time_ns);
    for (let i = first; i < listed.length; i++) {
        const { time_ns: timeNs, text } = listed[i]!;
        if (timeNs >= view.to) break;
        const x = Math.round(xOf(frame, timeNs));
        context.fillStyle = palette.accent;
        context.fillRect(x, scale, line, height - 2 * scale);
        const next = listed[i + 1] ? xOf(frame, listed[i + 1]!.time_ns) : width;
        const room = Math.min(next, width) - x - 8 * scale;
        if (room < 16 * scale) continue;
        context.fillStyle = palette.text;
        context.fillText(fitted(context, visible(text, 120), room), x + 4 * scale, height / 2 + scale / 2);
    }
    markCoarse(frame, columns.length > 0 ? Math.max(track.stepOf(picture), picture.value.slot) : 0);
}

function describeMessage(track: Track, kind: MessageKind, { ns, pixel }: Point): string[] {
    const listed = track.shown(messagePicture)?.value[kind].listed ?? [];
    const after = firstAfter(listed, ns, ({ time_ns }) => time_ns);
    const near = [listed[after - 1], listed[after]]
        .filter((item) => item !== undefined)
        .sort((a, b) => Math.abs(a.time_ns - ns) - Math.abs(b.time_ns - ns))[0];
    if (!near || Math.abs(near.time_ns - ns) > 4 * pixel) return [];
    return [visible(near.text, 200), ...(near.thread === null ? [] : [`thread ${near.thread}`]), `at ${time(near.time_ns, Math.max(pixel, 1))}`];
}

export const spanGroups: readonly Group[] = [
    {
        id: "spans",
        name: "User spans",
        isOpen: () => true,
        lacks(track) {
            const { value } = track.peek(spanList);
            const none = value && !value.leftOut && value.total === 0;
            return none ? "The log has no spans. A program writes the messages START … and STOP …; +RTS -lu records them." : null;
        },
        note(track) {
            const { value, missing } = track.peek(spanList);
            if (missing) return null;
            if (!value) return "";
            if (value.leftOut) return value.leftOut;
            return value.total > value.rows.length ? `${value.rows.length} of ${grouped(value.total)} threads, those with the longest spans` : "";
        },
        rows: (track): Row[] =>
            (track.list(spanList).value?.rows ?? []).map((row) => {
                const key = keyOf(row);
                return {
                    id: key,
                    name: nameOf(row),
                    title: row.thread === null ? nameOf(row) : `Spans of ${nameOf(row)} (thread ${row.thread})`,
                    height: Math.max(row.spans.length, row.depths.length, 1) * depthHeight + 1,
                    draw: (frame) => {
                        drawSpans(frame, track, key);
                        return numberText(track.numbers(spanNumbers)?.get(key));
                    },
                    describe: (point) => describeSpan(track, key, point),
                    ...(row.thread === null ? {} : { choice: { kind: "span", thread: row.thread } as const }),
                    choiceAt: (point) => {
                        const found = spanAt(track, key, point);
                        return found ? { name: found.name } : {};
                    },
                };
            }),
    },
    {
        id: "messages",
        name: "Messages",
        isOpen: () => true,
        lacks(track) {
            const { value } = track.peek(messageList);
            const none = value && value.markers.total + value.messages.total === 0;
            return none ? "The log has no messages. Debug.Trace's traceEvent and traceMarker write them; +RTS -lu records them." : null;
        },
        note: (track) => (track.peek(messageList).missing ? null : ""),
        rows(track): Row[] {
            const { value } = track.list(messageList);
            const kinds: [MessageKind, string][] = [["markers", "Markers"], ["messages", "Messages"]];
            return kinds
                .filter(([kind]) => value && value[kind].total > 0)
                .map(([kind, name]) => ({
                    id: kind,
                    name,
                    height: 18,
                    draw: (frame: Frame) => {
                        drawMessages(frame, track, kind);
                        return numberText(track.numbers(messageNumbers)?.[kind].total);
                    },
                    describe: (point: Point) => describeMessage(track, kind, point),
                    choice: { kind: kind === "markers" ? ("marker" as const) : ("message" as const) },
                }));
        },
    },
];

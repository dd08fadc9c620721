// Two rows of sparks: how many there were in a second, by fate, and how many waited in the pools.
import { StepLine } from "../draw/steps";
import type { SparkPool, SparkRowsAnswer } from "../engine/requests";
import { span, type Range } from "../state/range";
import type { Palette } from "../theme";
import { grouped, short } from "../text";
import { listKind, pictureKind, type Track } from "../track";
import { columnsInView } from "./heap";
import { statText } from "./numbers";
import { clear, drawNote, drawTop, markCoarse, topRoom, xOf, type Frame, type Group, type Point, type Row } from "./row";

/** The fates of sparks, stacked from the bottom. */
const fates = [
    { name: "converted", text: "converted", color: "sparkConverted" },
    { name: "fizzled", text: "fizzled", color: "sparkFizzled" },
    { name: "gcd", text: "GC'd", color: "sparkCollected" },
    { name: "dud", text: "dud", color: "sparkDud" },
    { name: "overflowed", text: "overflowed", color: "sparkOverflowed" },
] as const;
type Fate = (typeof fates)[number]["name"];

/** Each has a value for each column. */
interface SparkRows {
    /** What the columns are of: in a report, more than was asked for. */
    window: Range;
    created: number[];
    ends: Record<Fate, number[]>;
    /** Of all ends together. */
    sums: number[];
    pool: SparkPool;
}

function sparkRowsOf({ from_ns: from, to_ns: to, created, pool, ...ends }: SparkRowsAnswer): SparkRows {
    const sums = created.map((_, column) => fates.reduce((sum, { name }) => sum + (ends[name][column] ?? 0), 0));
    return { window: { from, to }, created, ends, sums, pool };
}

const sparkList = listKind("spark_rows", sparkRowsOf, { width: 1 });
/** Columns are several pixels wide, since a rate needs several sparks. */
const sparkPicture = pictureKind("spark_rows", sparkRowsOf, { most: 512 });

const rate = (perNs: number): string => `${short(perNs * 1e9)}/s`;

const stepOf = ({ window, created }: SparkRows): number => span(window) / Math.max(created.length, 1);

/** The largest value in view, of any log: the scale of all rows of this kind. */
function topOf({ tracks, view }: Frame, of: (rows: SparkRows, column: number) => number): number {
    let top = 0;
    for (const track of tracks) {
        const value = track.shown(sparkPicture)?.value;
        if (!value) continue;
        const [first, end] = columnsInView(value, value.created.length, view);
        for (let column = first; column < end; column++) top = Math.max(top, of(value, column));
    }
    return top;
}

function drawRates(frame: Frame, track: Track): void {
    const { context, width, height, scale, view, palette } = frame;
    clear(frame);
    context.fillStyle = palette.line;
    context.fillRect(0, height - scale, width, scale);
    const rows = track.picture(sparkPicture)?.value;
    if (!rows) return;
    const { created, ends, sums } = rows;
    const step = stepOf(rows);
    const top = topOf(frame, (one, column) => Math.max(one.sums[column]!, one.created[column]!) / stepOf(one));
    const [first, end] = columnsInView(rows, created.length, view);
    if (top === 0) {
        drawNote(frame, "No sparks here.");
        return;
    }
    const room = height - topRoom * scale;
    const y = (count: number) => height - (count / step / top) * room;
    const x = (column: number) => Math.round(xOf(frame, rows.window.from + column * step));
    for (let column = first; column < end; column++) {
        if (sums[column] === 0) continue;
        const left = x(column);
        const size = Math.max(x(column + 1) - left, 1);
        let below = 0;
        for (const { name, color } of fates) {
            const more = ends[name][column]!;
            if (more === 0) continue;
            const low = Math.round(y(below));
            const high = Math.min(Math.round(y((below += more))), low - 1);
            context.fillStyle = palette[color];
            context.fillRect(left, high, size, low - high);
        }
    }
    const line = new StepLine(width, height, scale);
    for (let column = first; column < end; column++) line.to(x(column), y(created[column]!));
    line.end(x(end));
    context.fillStyle = palette.text;
    line.draw(context);
    drawTop(frame, rate(top));
    markCoarse(frame, step);
}

/** Returns the largest size in view. */
function drawPool(frame: Frame, track: Track): string {
    const { context, width, height, scale, view, palette } = frame;
    clear(frame);
    context.fillStyle = palette.line;
    context.fillRect(0, height - scale, width, scale);
    const rows = track.picture(sparkPicture)?.value;
    if (!rows) return "";
    const { min, mean, max } = rows.pool;
    const step = stepOf(rows);
    const top = Math.max(topOf(frame, ({ pool }, column) => pool.max[column] ?? 0), 1);
    const room = height - topRoom * scale;
    const y = (count: number) => height - scale - (count / top) * room;
    const x = (column: number) => xOf(frame, rows.window.from + column * step);
    const [first, end] = columnsInView(rows, max.length, view);
    let most: number | null = null;
    context.fillStyle = palette.sparkPool;
    for (let column = first; column < end; column++) {
        const high = max[column] ?? null;
        if (high === null) continue;
        most = Math.max(most ?? 0, high);
        const left = Math.round(x(column));
        const edge = Math.round(y(high));
        context.fillRect(left, edge, Math.max(Math.round(x(column + 1)) - left, 1), Math.max(Math.round(y(min[column] ?? 0)) - edge, 1));
    }
    if (most === null) {
        drawNote(frame, "The size of the pools is unknown here.");
        return "";
    }
    const line = new StepLine(width, height, 1.5 * scale);
    for (let column = first; column < end; column++) {
        const value = mean[column] ?? null;
        if (value === null) line.end(x(column));
        else line.to(x(column), y(value));
    }
    line.end(x(end));
    context.fillStyle = palette.spark;
    line.draw(context);
    drawTop(frame, grouped(top));
    markCoarse(frame, step);
    return grouped(most);
}

/** The picture that covers a point, and the column of the point. */
function columnAt(track: Track, { ns }: Point): [SparkRows, number] | undefined {
    const rows = track.shown(sparkPicture)?.value;
    if (!rows) return undefined;
    const { length } = rows.created;
    const [column] = columnsInView(rows, length, { from: ns, to: ns });
    return column < length ? [rows, column] : undefined;
}

function describeRates(track: Track, point: Point): string[] {
    const found = columnAt(track, point);
    if (!found) return [];
    const [rows, column] = found;
    const { created, ends } = rows;
    return [["created", created[column]!] as const, ...fates.map(({ name, text }) => [text, ends[name][column]!] as const)]
        .filter(([, count]) => count > 0)
        .map(([text, count]) => `${text} ${rate(count / stepOf(rows))} (${grouped(count)})`);
}

function describePool(track: Track, point: Point): string[] {
    const found = columnAt(track, point);
    if (!found) return [];
    const [{ pool }, column] = found;
    const [min, mean, max] = [pool.min, pool.mean, pool.max].map((list) => list[column] ?? null);
    if (min == null || max == null) return [];
    if (min === max) return [`${grouped(max)} ${max === 1 ? "spark" : "sparks"}`];
    return [`${grouped(min)} to ${grouped(max)} sparks`, ...(mean == null ? [] : [`mean ${short(mean)}`])];
}

const key = (text: string, color: keyof Palette) => ({ text, color });

const rowsOf = (track: Track): Row[] => [
    {
        id: "rates",
        name: "Sparks",
        title: "Sparks per second: by fate, and those that were created",
        key: [key("created", "text"), ...fates.map(({ text, color }) => key(text, color))],
        height: 96,
        draw: (frame) => {
            drawRates(frame, track);
            return statText(track, ({ sparks }) => sparks?.sparks, grouped);
        },
        describe: (point) => describeRates(track, point),
    },
    {
        id: "pool",
        name: "Spark pool",
        title: "Sparks in the pools of all caps",
        key: [key("mean", "spark"), key("min to max", "sparkPool")],
        height: 60,
        draw: (frame) => drawPool(frame, track),
        describe: (point) => describePool(track, point),
    },
];

/** Up to this size of a log, bytes, the group is open at first. */
const smallLog = 1 << 26;

const hasSparks = ({ created, sums }: SparkRows): boolean => [...created, ...sums].some((count) => count > 0);

export const sparkGroup: Group = {
    id: "sparks",
    name: "Sparks",
    isOpen: ({ overview }) => (overview?.read_bytes ?? 0) <= smallLog,
    lacks(track) {
        if (track.overview?.recorded?.sparks === false)
            return "The log has no sparks. +RTS -lp records counters of sparks, -lf each spark.";
        const { value } = track.peek(sparkList);
        return value && !hasSparks(value) ? "The program created no sparks." : null;
    },
    note: (track) => (track.peek(sparkList).missing ? null : ""),
    rows(track) {
        if (track.overview?.recorded?.sparks === false) return [];
        const { value } = track.list(sparkList);
        return value && hasSparks(value) ? rowsOf(track) : [];
    },
};

// A row for each generation: its collections; the height is the length of the pause.
import type { GcRowsAnswer, MarkColumns } from "../engine/requests";
import { span } from "../state/range";
import { duration, grouped } from "../text";
import { listKind, pictureKind, type Track } from "../track";
import { firstAfter } from "./order";
import { statText } from "./numbers";
import { clear, markCoarse, xOf, type Frame, type Group, type Point, type Row } from "./row";

interface Collection {
    from: number;
    to: number;
    cap: number | null;
}

/** What lies in one column. */
interface Column {
    column: number;
    count: number;
    ns: number;
    longestNs: number;
}

interface Generation {
    generation: number | null;
    collections: Collection[];
    columns: Column[];
}

export const columnsOf = ({ column, count, ns, longest_ns }: MarkColumns): Column[] =>
    column.map((number, i) => ({ column: number, count: count[i] ?? 0, ns: ns[i] ?? 0, longestNs: longest_ns[i] ?? 0 }));

const generationsOf = ({ generations = [] }: GcRowsAnswer): Generation[] =>
    generations.map((row) => ({
        generation: row.generation,
        collections: row.collections.map(({ from_ns: from, to_ns: to, cap }) => ({ from, to, cap })),
        columns: columnsOf(row),
    }));

const gcList = listKind("gc_rows", (answer) => ({ generations: generationsOf(answer), leftOut: leftOutText("collections", answer) }), { width: 1 });
const gcPicture = pictureKind("gc_rows", generationsOf, { most: 4096 });

/** Says that a picture lacks some, and why. */
export function leftOutText(what: string, { left_out_from_ns: from }: { left_out_from_ns: number | null }): string {
    if (from === null) return "";
    return from === 0 ? `Not drawn, as there are too many ${what} or messages, or times of a cap step back: the panes count all` : `Too many ${what}: from ${duration(from)} on, some are not drawn; the panes count all`;
}

/** The longest pause in view, of any generation and log. */
function longest({ tracks, view }: Frame): number {
    let most = 1;
    for (const track of tracks) {
        const picture = track.shown(gcPicture);
        for (const { collections, columns } of picture?.value ?? []) {
            for (let i = firstAfter(collections, view.from, ({ to }) => to); i < collections.length; i++) {
                const { from, to } = collections[i]!;
                if (from >= view.to) break;
                most = Math.max(most, to - from);
            }
            const step = span(picture!.window) / picture!.columns;
            for (const { column, longestNs } of columns) {
                const at = picture!.window.from + column * step;
                if (at + step > view.from && at < view.to) most = Math.max(most, longestNs);
            }
        }
    }
    return most;
}

/** How many collections end in view. */
const collectionsText = (track: Track, number: number | null): string =>
    statText(
        track,
        ({ gc }) => (number === null ? gc.pause?.count : gc.generations?.find(({ generation }) => generation === number)?.collections),
        grouped,
    );

function drawGeneration(frame: Frame, track: Track, number: number | null): void {
    const { context, width, height, scale, view, palette } = frame;
    clear(frame);
    context.fillStyle = palette.line;
    context.fillRect(0, height - scale, width, scale);
    const picture = track.picture(gcPicture);
    const found = picture?.value.find(({ generation }) => generation === number);
    if (!picture || !found) return;
    const top = longest(frame);
    const size = (ns: number) => Math.max(Math.round((ns / top) * (height - scale)), Math.ceil(2 * scale));
    const step = span(picture.window) / picture.columns;
    context.fillStyle = palette.gc;
    for (const item of found.columns) {
        const from = picture.window.from + item.column * step;
        if (from + step <= view.from || from >= view.to) continue;
        const left = Math.round(xOf(frame, from));
        context.fillRect(left, height - size(item.longestNs), Math.max(Math.round(xOf(frame, from + step)) - left, 1), size(item.longestNs));
    }
    const { collections } = found;
    for (let i = firstAfter(collections, view.from, ({ to }) => to); i < collections.length; i++) {
        const { from, to } = collections[i]!;
        if (from >= view.to) break;
        const left = Math.max(Math.round(xOf(frame, from)), 0);
        const right = Math.min(Math.max(Math.round(xOf(frame, to)), left + 1), width);
        context.fillStyle = palette.gc;
        context.fillRect(left, height - size(to - from), right - left, size(to - from));
        const text = duration(to - from);
        if (right - left > 30 * scale && context.measureText(text).width < right - left - 6 * scale && size(to - from) > 12 * scale) {
            context.fillStyle = palette.runningText;
            context.fillText(text, left + 3 * scale, height - size(to - from) / 2);
        }
    }
    markCoarse(frame, found.columns.length > 0 ? track.stepOf(picture) : 0);
}

function describeGeneration(track: Track, number: number | null, { ns, pixel }: Point): string[] {
    const picture = track.shown(gcPicture);
    const found = picture?.value.find(({ generation }) => generation === number);
    if (!picture || !found) return [];
    const after = firstAfter(found.collections, ns, ({ to }) => to);
    const near = [found.collections[after - 1], found.collections[after]]
        .filter((item) => item !== undefined)
        .find(({ from, to }) => from <= ns + 3 * pixel && to >= ns - 3 * pixel);
    if (near) return [`pause ${duration(near.to - near.from)}`, ...(near.cap === null ? [] : [`cap ${near.cap}`])];
    const step = span(picture.window) / picture.columns;
    const column = Math.floor((ns - picture.window.from) / step);
    const item = found.columns.find((one) => Math.abs(one.column - column) <= 1);
    return item ? [`${item.count} ${item.count === 1 ? "collection" : "collections"}, longest pause ${duration(item.longestNs)}`] : [];
}

export const gcGroup: Group = {
    id: "gc",
    name: "Collections",
    isOpen: () => true,
    lacks: (track) => (track.overview?.recorded?.gc === false ? "The log has no collections. +RTS -lg records them." : null),
    note(track) {
        const { value, missing } = track.peek(gcList);
        if (missing || (value?.generations.length === 0 && !value.leftOut)) return null;
        return value?.leftOut ?? "";
    },
    rows: (track): Row[] =>
        track.overview?.recorded?.gc === false
            ? []
            : (track.list(gcList).value?.generations ?? []).map(({ generation }) => ({
                  id: String(generation),
                  name: generation === null ? "GC" : `Gen ${generation}`,
                  title: "Collections; the height is the length of the pause",
                  height: 26,
                  choice: { kind: "collection", ...(generation === null ? {} : { generation }) },
                  draw: (frame) => {
                      drawGeneration(frame, track, generation);
                      return collectionsText(track, generation);
                  },
                  describe: (point) => describeGeneration(track, generation, point),
              })),
};

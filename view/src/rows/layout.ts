// The places of all rows, also of those out of sight, which have no elements.
import type { Track } from "../track";
import { emptyGroup } from "./empty";
import { firstAfter } from "./order";
import type { Group, Row } from "./row";

/** Pixels of the style sheet. */
const headingHeight = 24;
const titleHeight = 30;
const gap = 3;

export interface Item {
    key: string;
    track: Track;
    top: number;
    height: number;
    /** One of these; none: the title of a log. */
    group?: Group;
    row?: Row;
    isOpen?: boolean;
    /** Of a row: "GROUP/ROW". */
    place?: string;
    /** It is pinned, and away from its place: at the top of what is in sight. */
    isStuck?: boolean;
    /** The groups for which the log has nothing, in one line. */
    lacking?: readonly Lacking[];
}

export interface Lacking {
    name: string;
    why: string;
}

export interface Layout {
    items: Item[];
    height: number;
    /** The pinned rows of each log, with their heading, as places in `items`; and where the log ends. */
    pinned: { first: number; end: number; bottom: number }[];
}

export interface LayoutOptions {
    tracks: readonly Track[];
    groups: readonly Group[];
    /** Is a group open, or, by the name "log", a log? */
    isOpen(id: string, byDefault: boolean): boolean;
    /** Rows that are pinned, "GROUP/ROW": they come first. */
    pinned: readonly string[];
}

const pinnedGroup: Group = { id: "pinned", name: "Pinned", isOpen: () => true, rows: () => [] };

/** The row of a key "GROUP/ROW". */
function pinnedRow(track: Track, groups: readonly Group[], key: string): Row | undefined {
    const at = key.indexOf("/");
    const group = groups.find(({ id }) => id === key.slice(0, at));
    return group?.rows(track).find(({ id }) => id === key.slice(at + 1));
}

/** Several logs have titles, which fold them. */
export const titleKey = (number: number): string => `log${number}`;

export function layOut({ tracks, groups, isOpen, pinned }: LayoutOptions): Layout {
    const items: Item[] = [];
    const pinnedOf: Layout["pinned"] = [];
    let top = 4;
    const add = (item: Omit<Item, "top">) => {
        items.push({ ...item, top });
        top += item.height + gap;
    };
    tracks.forEach((track, index) => {
        const prefix = titleKey(index + 1);
        if (tracks.length > 1) {
            const open = isOpen(prefix, true);
            add({ key: prefix, track, height: titleHeight, isOpen: open });
            if (!open) return;
        }
        const lacking: Lacking[] = [];
        const pins = track.hasEvents ? pinned.flatMap((key) => ({ key, row: pinnedRow(track, groups, key) })) : [];
        if (pins.some(({ row }) => row)) {
            const open = isOpen(pinnedGroup.id, true);
            pinnedOf.push({ first: items.length, end: 0, bottom: 0 });
            add({ key: `${prefix}/pinned`, track, height: headingHeight, group: pinnedGroup, isOpen: open });
            for (const { key, row } of open ? pins : []) if (row) add({ key: `${prefix}/pinned/${key}`, track, height: row.height, row, place: key });
            pinnedOf.at(-1)!.end = items.length;
        }
        for (const group of track.hasEvents ? groups : [emptyGroup]) {
            const why = group.lacks?.(track) ?? null;
            if (why !== null) {
                // Whether there are rows is known only after asking for them.
                group.rows(track);
                lacking.push({ name: group.name, why });
                continue;
            }
            const open = isOpen(group.id, group.isOpen(track));
            const rows = open ? group.rows(track) : [];
            const note = group.note ? group.note(track) : "";
            if (note === null || (open && rows.length === 0 && !note)) continue;
            if (group.name) add({ key: `${prefix}/${group.id}`, track, height: headingHeight, group, isOpen: open });
            for (const row of rows) {
                const place = `${group.id}/${row.id}`;
                add({ key: `${prefix}/${place}`, track, height: row.height, row, place });
            }
        }
        if (lacking.length > 0) add({ key: `${prefix}/lacking`, track, height: headingHeight, lacking });
        const last = pinnedOf.at(-1);
        if (last?.bottom === 0) last.bottom = top;
    });
    return { items, height: top + 24, pinned: pinnedOf };
}

/** The items between two heights: the first, and the one after the last. */
export function inSight({ items }: Layout, top: number, bottom: number): [number, number] {
    const first = firstAfter(items, top, (item) => item.top + item.height);
    return [first, firstAfter(items, bottom, (item) => item.top)];
}

/** Pinned items that stay in sight below a height, where they are then. `room`: how much is in sight; if they need more
 *  than half of it, they scroll as others. */
export function stuckItems({ items, pinned }: Layout, top: number, room: number): Item[] {
    return pinned.flatMap(({ first, end, bottom }) => {
        const own = items.slice(first, end);
        const begin = own[0]!.top;
        const height = own.at(-1)!.top + own.at(-1)!.height + gap - begin;
        const by = Math.min(top - begin, bottom - begin - height);
        return by > 0 && top < bottom && height < room / 2 ? own.map((item) => ({ ...item, top: item.top + by, isStuck: true })) : [];
    });
}

/** The item at a height. */
export function itemAt({ items }: Layout, y: number): Item | undefined {
    const item = items[firstAfter(items, y, ({ top, height }) => top + height)];
    return item && item.top <= y ? item : undefined;
}

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
    /** One of these; neither: the title of a log. */
    group?: Group;
    row?: Row;
    isOpen?: boolean;
}

export interface Layout {
    items: Item[];
    height: number;
}

export interface LayoutOptions {
    tracks: readonly Track[];
    groups: readonly Group[];
    /** Is a group open, or, by the name "log", a log? */
    isOpen(id: string, byDefault: boolean): boolean;
}

/** Several logs have titles, which fold them. */
export const titleKey = (number: number): string => `log${number}`;

export function layOut({ tracks, groups, isOpen }: LayoutOptions): Layout {
    const items: Item[] = [];
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
        for (const group of track.hasEvents ? groups : [emptyGroup]) {
            const open = isOpen(group.id, group.isOpen(track));
            const rows = open ? group.rows(track) : [];
            const note = group.note ? group.note(track) : "";
            if (note === null || (open && rows.length === 0 && !note)) continue;
            if (group.name) add({ key: `${prefix}/${group.id}`, track, height: headingHeight, group, isOpen: open });
            for (const row of rows) add({ key: `${prefix}/${group.id}/${row.id}`, track, height: row.height, row });
        }
    });
    return { items, height: top + 24 };
}

/** The items between two heights: the first, and the one after the last. */
export function inSight({ items }: Layout, top: number, bottom: number): [number, number] {
    const first = firstAfter(items, top, (item) => item.top + item.height);
    return [first, firstAfter(items, bottom, (item) => item.top)];
}

/** The item at a height. */
export function itemAt({ items }: Layout, y: number): Item | undefined {
    const item = items[firstAfter(items, y, ({ top, height }) => top + height)];
    return item && item.top <= y ? item : undefined;
}

// What the page shows, and what the user wrote, in the address of the page, so that it can be kept and sent.
import type { Arranged } from "./arrangement";
import type { Bookmark } from "./notes";
import type { Range } from "./range";

interface Address {
    view: Range | null;
    selection: Range | null;
    /** Groups of rows that are folded, or unfolded, other than at first. */
    rows: readonly string[];
    /** The name of a pane; empty: the first. */
    pane: string;
    /** The number of the log that the panes are of, or "change"; empty: the first. */
    of: string;
    /** The same of the second side; empty: there is none. */
    pane2: string;
    of2: string;
    bookmarks: readonly Bookmark[];
    note: string;
    arranged: Arranged;
    /** ns by which each log was moved. */
    later: readonly number[];
}

const wordsOf = (text: string | null): string[] => (text ?? "").split(",").filter((id) => /^[a-z0-9_]{1,20}$/.test(id));

function parseRange(text: string | null): Range | null {
    const [, from, to] = /^(-?\d{1,16})-(-?\d{1,16})$/.exec(text ?? "") ?? [];
    if (from === undefined || to === undefined) return null;
    return Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : null;
}

function parseBookmark(text: string): Bookmark[] {
    const [, at, name] = /^(-?\d{1,16}):(.*)$/s.exec(text) ?? [];
    return at === undefined || name === undefined ? [] : [{ at: Number(at), name }];
}

const paneOf = (text: string | null): string => /^[a-z]{1,20}$/.exec(text ?? "")?.[0] ?? "";
const logOf = (text: string | null): string => /^(\d{1,3}|change)$/.exec(text ?? "")?.[0] ?? "";

const written = (range: Range) => `${Math.floor(range.from)}-${Math.ceil(range.to)}`;

export function readAddress(): Address {
    const keys = new URLSearchParams(location.hash.slice(1));
    return {
        view: parseRange(keys.get("view")),
        selection: parseRange(keys.get("select")),
        rows: wordsOf(keys.get("rows")),
        pane: paneOf(keys.get("pane")),
        of: logOf(keys.get("of")),
        pane2: paneOf(keys.get("pane2")),
        of2: logOf(keys.get("of2")),
        bookmarks: keys.getAll("mark").flatMap(parseBookmark),
        note: keys.get("note") ?? "",
        later: (keys.get("later") ?? "").split(",").map((ns) => (/^-?\d+$/.test(ns) && Number.isSafeInteger(Number(ns)) ? Number(ns) : 0)),
        arranged: {
            order: wordsOf(keys.get("order")),
            hidden: wordsOf(keys.get("hide")),
            pinned: keys.getAll("pin").filter((key) => /^[a-z0-9_]{1,20}\/.{1,200}$/s.test(key)),
        },
    };
}

/** `view` is null for the whole run. */
export function writeAddress({ view, selection, rows, pane, of, pane2, of2, bookmarks, note, arranged, later }: Address): void {
    const keys = new URLSearchParams();
    if (view) keys.set("view", written(view));
    if (selection) keys.set("select", written(selection));
    if (rows.length > 0) keys.set("rows", rows.join());
    if (pane) keys.set("pane", pane);
    if (of) keys.set("of", of);
    if (pane2) keys.set("pane2", pane2);
    if (pane2 && of2) keys.set("of2", of2);
    if (arranged.order.length > 0) keys.set("order", arranged.order.join());
    if (arranged.hidden.length > 0) keys.set("hide", arranged.hidden.join());
    for (const key of arranged.pinned) keys.append("pin", key);
    for (const { at, name } of bookmarks) keys.append("mark", `${at}:${name}`);
    if (note) keys.set("note", note);
    if (later.some((ns) => ns !== 0)) keys.set("later", later.join());
    const text = keys.toString().replaceAll("%2C", ",");
    const wanted = text ? `#${text}` : "";
    if (wanted !== location.hash) {
        history.replaceState(null, "", wanted || location.pathname + location.search);
    }
}

// Columns of members of an answer's objects, and distributions.
import type { Bucket } from "../engine/requests";
import { duration, grouped, visible } from "../text";
import { histogram } from "./chart";
import type { Column } from "./list";
import { element, type Cell } from "./table";

export type Numbers<K extends string> = Readonly<Record<K, number | null>>;
export type Texts<K extends string> = Readonly<Record<K, string | null>>;

export const shownText = (text: string | null): string | null => (text === null ? null : visible(text));

export function numberColumn<K extends string>(title: string, key: K, text: (value: number) => string, width?: number): Column<Numbers<K>> {
    return { title, key, value: (row) => row[key], text, ...(width === undefined ? {} : { width }) };
}

/** A column of a member that is a number of ns. */
export const lengthColumn = <K extends string>(title: string, key: K, width?: number): Column<Numbers<K>> =>
    numberColumn(title, key, duration, width);

export const countColumn = <K extends string>(title: string, key: K, width = 7): Column<Numbers<K>> =>
    numberColumn(title, key, (value) => grouped(value), width);

export const textColumn = <K extends string>(title: string, key: K, width = 15): Column<Texts<K>> => ({
    title,
    value: (row) => shownText(row[key]),
    width,
});

export const count = (value: number | null | undefined): Cell => (value === null || value === undefined ? null : grouped(value));
export const length = (value: number | null | undefined): Cell => (value === null || value === undefined ? null : duration(value));

interface Lengths extends Numbers<"p50_ns" | "p90_ns" | "p99_ns" | "max_ns"> {
    readonly count: number;
}

type Distribution = Lengths & { readonly buckets: readonly Bucket[] };

const bucketsOf = ({ buckets }: Distribution) => buckets.map(({ from_ns: from, to_ns: to, count }) => ({ from, to, count }));

/** A distribution as a histogram with two of its percentiles, under a title; nothing if it has no values. */
export function distributionPicture(title: string, what: string, lengths: Distribution): Element[] {
    if (lengths.count === 0 || lengths.buckets.length === 0) return [];
    const label = `Histogram of ${grouped(lengths.count)} ${what}, the longest ${duration(lengths.max_ns ?? 0)}`;
    const marks = [
        { name: "p50", at: lengths.p50_ns },
        { name: "p99", at: lengths.p99_ns },
    ];
    return [element("h3", title), histogram(label, bucketsOf(lengths), marks)];
}

/** The same of two runs, on each other. */
export function distributionChange(title: string, what: string, old: Distribution, latest: Distribution): Element[] {
    if (old.buckets.length + latest.buckets.length === 0) return [];
    const label = `Histograms of ${grouped(old.count)} ${what} in the old run, the longest ${duration(old.max_ns ?? 0)}, and of ${grouped(latest.count)} in the new one, the longest ${duration(latest.max_ns ?? 0)}`;
    const names = element("p", "", "runs");
    names.append(element("i", "", "old"), "old", element("i", "", "bar"), "new");
    return [element("h3", title), histogram(label, bucketsOf(latest), [], duration, bucketsOf(old)), names];
}

/** A number with its sign. */
export const withSign = (text: string, value: number): string => (value > 0 ? `+${text}` : text.replace(/^-/, "−"));

/** What two runs have of the same thing; null: not known. */
export type Both = readonly [old: number | null, latest: number | null];

const changeOf = ([old, latest]: Both): number | null => (old === null || latest === null ? null : latest - old);

/** The largest first, in either direction. */
const sizeOfChange = (both: Both): number | null => {
    const change = changeOf(both);
    return change === null ? null : Math.abs(change);
};

/** Columns of the difference, which a narrow pane has room for, and of what both runs have. */
export function changeColumns<Row>(title: string, of: (row: Row) => Both, text: (value: number) => string, width = 9): Column<Row>[] {
    return [
        {
            title: `${title} change`,
            value: (row) => changeOf(of(row)),
            rank: (row) => sizeOfChange(of(row)),
            text: (value) => withSign(text(value), value),
            width: title.length + 10,
        },
        { title: `old ${title}`, value: (row) => of(row)[0], text, width },
        { title: `new ${title}`, value: (row) => of(row)[1], text, width },
    ];
}

/** The first items of two runs with the same title, and so on. */
export function pairsOf<Item extends { readonly title: string }>(old: readonly Item[], latest: readonly Item[]): (readonly [old: Item, latest: Item])[] {
    const rest = [...latest];
    return old.flatMap((item) => {
        const at = rest.findIndex(({ title }) => title === item.title);
        return at < 0 ? [] : [[item, rest.splice(at, 1)[0]!] as const];
    });
}

/** That two runs have no such pair. `needed`: what both would have to have. */
export function noPair(needed: string, ...runs: (readonly { readonly title: string }[])[]): Element[] {
    const [old, latest] = runs.map((items) => items.map(({ title }) => title).join(", ") || "none");
    return [element("p", `Both runs need ${needed} here. Old: ${old}; new: ${latest}.`, "missing")];
}

/** How many of `what` a table of both runs lacks; empty: none. */
export const leftOutText = (what: string, [old, latest]: readonly [number, number]): string =>
    old + latest > 0 ? `${what} that are left out: ${grouped(old)} of the old log, ${grouped(latest)} of the new one.` : "";

/** The distribution of what a run has none of. */
export const nothing: Lengths = { count: 0, p50_ns: null, p90_ns: null, p99_ns: null, max_ns: null };

/** A distribution as cells of a table. */
export const distribution = (lengths: Lengths | null): [Cell, Cell, Cell, Cell, Cell] => [
    count(lengths?.count),
    length(lengths?.p50_ns),
    length(lengths?.p90_ns),
    length(lengths?.p99_ns),
    length(lengths?.max_ns),
];

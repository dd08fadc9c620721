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
    return { title, value: (row) => row[key], text, ...(width === undefined ? {} : { width }) };
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

/** A distribution as a histogram with two of its percentiles, under a title; nothing if it has no values. */
export function distributionPicture(title: string, what: string, lengths: Lengths & { readonly buckets: readonly Bucket[] }): Element[] {
    if (lengths.count === 0 || lengths.buckets.length === 0) return [];
    const label = `Histogram of ${grouped(lengths.count)} ${what}, the longest ${duration(lengths.max_ns ?? 0)}`;
    const marks = [
        { name: "p50", at: lengths.p50_ns },
        { name: "p99", at: lengths.p99_ns },
    ];
    const list = lengths.buckets.map(({ from_ns: from, to_ns: to, count }) => ({ from, to, count }));
    return [element("h3", title), histogram(label, list, marks)];
}

/** A distribution as cells of a table. */
export const distribution = (lengths: Lengths | null): [Cell, Cell, Cell, Cell, Cell] => [
    count(lengths?.count),
    length(lengths?.p50_ns),
    length(lengths?.p90_ns),
    length(lengths?.p99_ns),
    length(lengths?.max_ns),
];

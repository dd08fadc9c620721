// Rows of JSON objects, and their members as columns.
import { fieldsOf, knownNumber, listOf, textOf, type Fields } from "../engine/protocol";
import { duration, grouped, visible } from "../text";
import { histogram, type Bucket } from "./chart";
import type { Column } from "./list";
import { element } from "./table";

export type Row = Fields;

export function rowsOf(answer: unknown, key: string): Row[] {
    const list = fieldsOf(answer)[key];
    if (!Array.isArray(list)) throw new Error(`${key}: unexpected format`);
    return list.map(fieldsOf);
}

export const number = (row: Row, key: string): number | null => knownNumber(row[key]);
export const text = (row: Row, key: string): string | null => {
    const found = textOf(row[key]);
    return found === null ? null : visible(found);
};
export const leftOut = (answer: unknown): number => number(fieldsOf(answer), "left_out") ?? 0;
export const numbersOf = (answer: unknown, key: string): (number | null)[] => listOf(fieldsOf(answer)[key]).map(knownNumber);

/** A column of a member that is a number of ns. */
export const lengthColumn = (title: string, key: string, width?: number): Column<Row> => ({
    title,
    value: (row) => number(row, key),
    text: duration,
    ...(width === undefined ? {} : { width }),
});

export const countColumn = (title: string, key: string, width = 7): Column<Row> => ({
    title,
    value: (row) => number(row, key),
    text: (value) => grouped(value),
    width,
});

export const textColumn = (title: string, key: string, width = 15): Column<Row> => ({
    title,
    value: (row) => text(row, key),
    width,
});

/** A distribution as a histogram with two of its percentiles, under a title; nothing if it has no values. */
export function distributionPicture(title: string, what: string, row: Row): Element[] {
    const count = number(row, "count") ?? 0;
    const list = listOf(row.buckets)
        .map(fieldsOf)
        .map((bucket): Bucket => ({
            from: number(bucket, "from_ns") ?? 0,
            to: number(bucket, "to_ns") ?? 0,
            count: number(bucket, "count") ?? 0,
        }));
    if (count === 0 || list.length === 0) return [];
    const label = `Histogram of ${grouped(count)} ${what}, the longest ${duration(number(row, "max_ns") ?? 0)}`;
    const marks = [
        { name: "p50", at: number(row, "p50_ns") },
        { name: "p99", at: number(row, "p99_ns") },
    ];
    return [element("h3", title), histogram(label, list, marks)];
}

/** What a distribution has of these members, as cells of a table. */
export const distribution = (row: Row): [count: string | null, ...(string | null)[]] => {
    const length = (key: string) => {
        const value = number(row, key);
        return value === null ? null : duration(value);
    };
    const count = number(row, "count");
    return [count === null ? null : grouped(count), length("p50_ns"), length("p90_ns"), length("p99_ns"), length("max_ns")];
};

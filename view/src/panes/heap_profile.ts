// The heap profiles of an answer, and the bands of one that are drawn.
import { fieldsOf, listOf } from "../engine/protocol";
import type { Band } from "./bands";
import { number, numbersOf, text, type Row } from "./fields";

/** Characters. */
const longestLabel = 4000;

/** The others are drawn as one band. */
export const mostBands = 15;

export interface Profile {
    /** Counts all profiles of the section. */
    number: number;
    title: string;
    times: number[];
    bands: { row: Row; label: string; sizes: number[] }[];
    /** Of all bands. */
    totals: number[];
    /** More than 1: `times` are fewer than the samples. */
    samplesPerPoint: number;
}

const known = (list: readonly (number | null)[]): number[] => list.map((value) => value ?? 0);

/** A stack of many long names is not shown whole. */
function joined(labels: readonly unknown[], stack: readonly (number | null)[]): string {
    let label = "";
    for (const [i, number] of stack.entries()) {
        if (label.length > longestLabel) return `${label}…`;
        label += (i > 0 ? "/" : "") + String(labels[number ?? -1] ?? "");
    }
    return label;
}

export const labelOf = (row: Row): string => {
    const [module, label] = [text(row, "module"), text(row, "label") ?? ""];
    return module ? `${label} (${module})` : label;
};

export function profilesOf(answer: unknown): Profile[] {
    const sections = fieldsOf(answer).sections;
    if (!Array.isArray(sections)) throw new Error("heap: unexpected format");
    return sections.flatMap((section) =>
        listOf(fieldsOf(section).profiles)
            .map(fieldsOf)
            .filter((profile) => (number(profile, "samples") ?? 0) > 0)
            .map((profile) => {
                const labels = listOf(profile.labels);
                const bands = listOf(profile.bands).map((band) => ({ ...fieldsOf(band), label: joined(labels, numbersOf(band, "stack")) }));
                bands.sort((a, b) => (number(b, "mean_bytes") ?? 0) - (number(a, "mean_bytes") ?? 0));
                return {
                    number: number(profile, "profile") ?? 0,
                    samplesPerPoint: number(profile, "samples_per_point") ?? 1,
                    title: `by ${text(profile, "breakdown") ?? "unknown"}`,
                    times: known(numbersOf(profile, "course_ns")),
                    totals: known(numbersOf(profile, "course_bytes")),
                    bands: bands.map((row) => ({ row, label: labelOf(row), sizes: known(numbersOf(row, "course_bytes")) })),
                };
            }),
    );
}

/** The bands with a color of their own, and the rest. */
export function drawnBands({ bands, totals }: Pick<Profile, "bands" | "totals">): Band[] {
    const own: Band[] = bands.slice(0, mostBands);
    const rest = totals.map((total, at) => Math.max(total - own.reduce((sum, { sizes }) => sum + (sizes[at] ?? 0), 0), 0));
    return rest.some((size) => size > 0) ? [...own, { label: "(others)", sizes: rest, isRest: true }] : own;
}

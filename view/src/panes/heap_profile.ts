// The heap profiles of an answer, and the bands of one that are drawn.
import type { HeapAnswer, HeapBand } from "../engine/requests";
import { visible } from "../text";
import { bandColor, type Band } from "./bands";
import { element } from "./table";

/** Characters. */
const longestLabel = 4000;

/** The others are drawn as one band. */
export const mostBands = 15;

export interface LabelledBand extends HeapBand {
    label: string;
}

export interface Profile {
    /** Counts all profiles of the section. */
    number: number;
    title: string;
    times: number[];
    bands: { row: LabelledBand; label: string; sizes: number[] }[];
    /** Of the profile. */
    bandCount: number;
    /** Of all bands. */
    totals: number[];
    /** More than 1: `times` are fewer than the samples. */
    samplesPerPoint: number;
}

const known = (list: readonly (number | null)[]): number[] => list.map((value) => value ?? 0);

/** A stack of many long names is not shown whole. */
function joined(labels: readonly (string | null)[], stack: readonly number[]): string {
    let label = "";
    for (const [i, number] of stack.entries()) {
        if (label.length > longestLabel) return `${label}…`;
        label += (i > 0 ? "/" : "") + (labels[number] ?? "");
    }
    return label;
}

export const labelOf = ({ module, label }: LabelledBand): string => (module ? `${visible(label)} (${visible(module)})` : visible(label));

export function profilesOf({ sections }: HeapAnswer): Profile[] {
    const profiles = sections.flatMap((section) => section.profiles).filter(({ samples }) => samples > 0);
    return profiles.map((profile) => {
        const bands = profile.bands.map((band) => ({ ...band, label: joined(profile.labels, band.stack) }));
        bands.sort((a, b) => (b.mean_bytes ?? 0) - (a.mean_bytes ?? 0));
        return {
            number: profile.profile,
            samplesPerPoint: profile.samples_per_point ?? 1,
            title: `by ${visible(profile.breakdown ?? "?")}`,
            times: profile.course_ns ?? [],
            totals: known(profile.course_bytes),
            bandCount: profile.band_count,
            bands: bands.map((row) => ({ row, label: labelOf(row), sizes: known(row.course_bytes) })),
        };
    });
}

/** What the colors of bands mean. */
export function legendItems(bands: readonly Band[], dark: boolean): HTMLElement[] {
    return bands.map((band, index) => {
        const item = element("li");
        const mark = element("i");
        mark.style.background = bandColor({ bands }, index, dark);
        item.append(mark, band.label);
        item.title = band.label;
        return item;
    });
}

/** The bands with a color of their own, and the rest. */
export function drawnBands({ bands, totals }: { bands: Band[]; totals: number[] }): Band[] {
    const own: Band[] = bands.slice(0, mostBands);
    const rest = totals.map((total, at) => Math.max(total - own.reduce((sum, { sizes }) => sum + (sizes[at] ?? 0), 0), 0));
    return rest.some((size) => size > 0) ? [...own, { label: "(others)", sizes: rest, isRest: true }] : own;
}

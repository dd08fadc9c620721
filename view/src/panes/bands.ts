// The picture of a heap profile: bands over time, stacked, as lines, or as shares.
import type { Paper } from "../draw/drawing";
import { fitted, type Pen } from "../draw/pen";
import { inkOn, othersColor, seriesColor } from "../draw/series";
import { roundStep } from "../rows/axis";
import type { Range } from "../state/range";
import { bytes, percent, time } from "../text";
import type { Palette } from "../theme";

export type BandMode = "area" | "lines" | "share";

export interface Band {
    label: string;
    /** Bytes at each time of the profile. */
    sizes: readonly number[];
    /** The sum of the bands that have no color of their own. */
    isRest?: boolean;
}

export interface BandPicture {
    range: Range;
    times: readonly number[];
    /** The largest first; drawn from the bottom. */
    bands: readonly Band[];
    mode: BandMode;
    /** The upper edge holds this value; undefined: the largest that is drawn. */
    most?: number;
    /** The highlighted band, and the sample under the pointer: indices. */
    band: number | null;
    sample: number | null;
}

const axisHeight = 18;
const topInset = 4;

export const bandColor = (picture: Pick<BandPicture, "bands">, index: number, dark: boolean): string =>
    picture.bands[index]?.isRest ? othersColor(dark) : seriesColor(index, dark);

export const sums = ({ bands, times }: Pick<BandPicture, "bands" | "times">): number[] =>
    times.map((_time, at) => bands.reduce((sum, { sizes }) => sum + (sizes[at] ?? 0), 0));

/** The least round size that is not below. */
export function ceiling(value: number): number {
    const power = 2 ** Math.floor(Math.log2(Math.max(value, 1)));
    return [1, 1.25, 1.5, 1.75, 2].map((factor) => factor * power).find((round) => round >= value) ?? value;
}

export interface Scale {
    x(ns: number): number;
    y(value: number): number;
    top: number;
    bottom: number;
    /** The value of the upper edge. */
    most: number;
}

/** The largest value that is drawn. */
export function mostOf(picture: Pick<BandPicture, "bands" | "times" | "mode">): number {
    const { bands, mode } = picture;
    const values = mode === "lines" ? bands.filter(({ isRest }) => !isRest).flatMap(({ sizes }) => sizes) : sums(picture);
    return values.reduce((max, value) => Math.max(max, value), 1);
}

function scaleOf(picture: BandPicture, width: number, height: number): Scale {
    const { range, mode } = picture;
    const most = mode === "share" ? 1 : ceiling(picture.most ?? mostOf(picture));
    const bottom = height - axisHeight;
    return {
        x: (ns) => ((ns - range.from) / Math.max(range.to - range.from, 1)) * width,
        y: (value) => bottom - (value / most) * (bottom - topInset),
        top: topInset,
        bottom,
        most,
    };
}

export interface Shape {
    low: number[];
    high: number[];
}

/** The lower and upper edge of each band at each time: values of the axis. */
export function edges(picture: Pick<BandPicture, "bands" | "times" | "mode">): Shape[] {
    const { bands, mode } = picture;
    const totals = sums(picture);
    let below = totals.map(() => 0);
    return bands.map(({ sizes, isRest }) => {
        if (mode === "lines") return { low: [], high: isRest ? [] : [...sizes] };
        const low = below;
        const high = low.map((value, at) => {
            const size = sizes[at] ?? 0;
            return value + (mode === "share" ? (totals[at]! > 0 ? size / totals[at]! : 0) : size);
        });
        below = high;
        return { low, high };
    });
}

export function drawBands({ pen, width, height, palette, dark }: Paper, picture: BandPicture): void {
    const { times, mode, band, sample } = picture;
    const scale = scaleOf(picture, width, height);
    pen.font = `11px ${palette.font}`;
    drawAxes();
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, width, scale.bottom);
    pen.clip();
    if (mode === "lines") drawLines();
    else drawAreas({ pen, width, dark, unit: 1 }, picture, scale);
    drawMost({ pen, palette, unit: 1 }, mode === "share" ? percent(1) : bytes(scale.most));
    if (sample !== null && times[sample] !== undefined) {
        pen.fillStyle = palette.text;
        pen.fillRect(Math.round(scale.x(times[sample])), 0, 1, scale.bottom);
    }
    pen.restore();

    function drawAxes(): void {
        pen.fillStyle = palette.line;
        for (const part of [0.25, 0.5, 0.75]) pen.fillRect(0, Math.round(scale.y(scale.most * part)), width, 1);
        pen.fillRect(0, scale.bottom, width, 1);
        const { range } = picture;
        const step = Math.max(roundStep(((range.to - range.from) * 90) / Math.max(width, 1)), 1);
        pen.textBaseline = "middle";
        pen.fillStyle = palette.faint;
        for (let k = Math.ceil(range.from / step); k * step <= range.to; k++) {
            const x = Math.round(scale.x(k * step));
            pen.fillRect(x, scale.bottom, 1, 4);
            const text = k === 0 ? "0" : time(k * step, step);
            if (x + 3 + pen.measureText(text).width <= width) pen.fillText(text, x + 3, scale.bottom + axisHeight / 2 + 1);
        }
    }

    function drawLines(): void {
        const xs = placesOf(picture, scale, width);
        edges(picture).forEach(({ high }, index) => {
            if (high.length === 0) return;
            pen.globalAlpha = band !== null && band !== index ? faded : 1;
            pen.strokeStyle = bandColor(picture, index, dark);
            pen.lineWidth = band === index ? 3 : 1.75;
            pen.lineJoin = "round";
            drawEdge(pen, xs, high, scale);
            pen.stroke();
        });
        pen.globalAlpha = 1;
    }
}

const faded = 0.28;

/** One sample has no length of its own. */
const placesOf = ({ times }: Pick<BandPicture, "times">, scale: Scale, width: number): number[] =>
    times.length === 1 ? [0, width] : times.map(scale.x);

/** The line of an edge: a path. */
function drawEdge(pen: Pen, xs: readonly number[], edge: readonly number[], scale: Scale): void {
    pen.beginPath();
    xs.forEach((x, i) => {
        const y = scale.y(edge[Math.min(i, edge.length - 1)]!);
        if (i === 0) pen.moveTo(x, y);
        else pen.lineTo(x, y);
    });
}

/** `unit`: pixels of the picture for one of the style sheet. */
export interface AreaPaper {
    pen: Pen;
    width: number;
    dark: boolean;
    unit: number;
}

/** Draws bands on each other, with their names where they are thick. */
export function drawAreas({ pen, width, dark, unit }: AreaPaper, picture: Omit<BandPicture, "range" | "sample">, scale: Scale): void {
    const { band, bands } = picture;
    const xs = placesOf(picture, scale, width);
    const shapes = edges(picture);
    shapes.forEach(({ low, high }, index) => {
        if (high.length === 0) return;
        pen.globalAlpha = band !== null && band !== index ? faded : 1;
        drawEdge(pen, xs, high, scale);
        for (let i = xs.length - 1; i >= 0; i--) pen.lineTo(xs[i]!, scale.y(low[Math.min(i, low.length - 1)]!));
        pen.closePath();
        pen.fillStyle = bandColor(picture, index, dark);
        pen.fill();
    });
    pen.globalAlpha = 1;
    // Between close samples, the lines would be all that is seen.
    if (xs[xs.length - 1]! - xs[0]! > 6 * unit * xs.length) {
        pen.strokeStyle = dark ? "#0f1318" : "#ffffff";
        pen.lineWidth = unit;
        for (const { high } of shapes) {
            drawEdge(pen, xs, high, scale);
            pen.stroke();
        }
    }
    pen.textBaseline = "middle";
    shapes.forEach(({ low, high }, index) => {
        let best = 0;
        let most = 0;
        high.forEach((value, i) => {
            const thick = scale.y(low[i]!) - scale.y(value);
            if (thick > most && xs[i]! > width * 0.12 && xs[i]! < width * 0.6) [best, most] = [i, thick];
        });
        if (most < 15 * unit || (band !== null && band !== index)) return;
        const x = Math.max(xs[best]!, 4 * unit);
        const text = fitted(pen, bands[index]!.label, Math.min(width - x - 6 * unit, 220 * unit));
        pen.fillStyle = inkOn(bandColor(picture, index, dark));
        pen.fillText(text, x, (scale.y(low[best]!) + scale.y(high[best]!)) / 2);
    });
}

/** The upper end of the axis. */
export function drawMost({ pen, palette, unit }: { pen: Pen; palette: Palette; unit: number }, text: string): void {
    pen.textBaseline = "middle";
    pen.fillStyle = palette.dark ? "#161b22" : "#f5f7f9";
    pen.fillRect(0, 0, pen.measureText(text).width + 6 * unit, 15 * unit);
    pen.fillStyle = palette.text;
    pen.fillText(text, 3 * unit, 8 * unit);
}

/** Which sample and band are at a point of the picture. */
export function bandAt(picture: BandPicture, x: number, y: number, width: number, height: number): { sample: number; band: number | null } | null {
    const { times, mode } = picture;
    if (times.length === 0) return null;
    const scale = scaleOf(picture, width, height);
    let sample = 0;
    times.forEach((ns, index) => {
        if (Math.abs(scale.x(ns) - x) < Math.abs(scale.x(times[sample]!) - x)) sample = index;
    });
    let band: number | null = null;
    let nearest = 8;
    edges(picture).forEach(({ low, high }, index) => {
        if (high.length === 0) return;
        if (mode === "lines") {
            const distance = Math.abs(scale.y(high[sample]!) - y);
            if (distance < nearest) [band, nearest] = [index, distance];
        } else if (y <= scale.y(low[sample]!) && y > scale.y(high[sample]!)) {
            band = index;
        }
    });
    return { sample, band };
}

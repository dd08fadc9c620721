// The heap over time: its size, the size of its blocks, and live data after collections.
import type { Curve, CurveName } from "../engine/protocol";
import type { Palette } from "../theme";
import { bytes } from "../text";
import type { Track } from "../track";
import { xOf, type Frame, type RowKind } from "./row";

interface Line {
    curve: CurveName;
    text: string;
    color: "heap" | "blocks" | "live";
    dash: number[];
}

const lines: readonly Line[] = [
    { curve: "heap_size", text: "heap", color: "heap", dash: [] },
    { curve: "blocks", text: "blocks", color: "blocks", dash: [5, 3] },
    { curve: "live", text: "live", color: "live", dash: [] },
];

/** The least round size that is not below. */
function ceiling(value: number): number {
    const power = 2 ** Math.floor(Math.log2(Math.max(value, 1)));
    return [1, 1.25, 1.5, 1.75, 2].map((factor) => factor * power).find((round) => round >= value) ?? value;
}

function largest(curve: Curve): number {
    let most = 0;
    for (const value of curve.max) if (value !== null && value > most) most = value;
    return most;
}

/** `first` and `end`: the columns that are in view. */
function drawLine(
    frame: Frame,
    curve: Curve,
    [first, end]: [number, number],
    x: (column: number) => number,
    top: number,
    palette: Palette,
    line: Line,
): void {
    const { context, height, scale } = frame;
    const inset = 2 * scale;
    const y = (value: number) => height - inset - (value / top) * (height - 2 * inset);
    context.strokeStyle = palette[line.color];
    context.lineWidth = 1.5 * scale;
    context.setLineDash(line.dash.map((length) => length * scale));
    context.lineJoin = "bevel";
    context.beginPath();
    let last: number | null = null;
    for (let column = first; column < end; column++) {
        const max = curve.max[column] ?? null;
        const min = curve.min[column] ?? null;
        // A value holds until the next one.
        if (max === null || min === null || (max === last && min === last)) continue;
        if (last === null) context.moveTo(x(column), y(max));
        else context.lineTo(x(column), y(last));
        if (max !== last) context.lineTo(x(column), y(max));
        if (min !== max) context.lineTo(x(column), y(min));
        last = min;
    }
    if (last !== null) context.lineTo(x(end), y(last));
    context.stroke();
    context.setLineDash([]);
}

/** Why there is no line. */
function emptyText({ overview }: Track): string {
    const any = lines.some(({ curve }) => overview?.recorded[curve]);
    return any ? "No size of the heap is known here." : "The log has no sizes of the heap. +RTS -lg records them.";
}

export const heapRows: RowKind = (track) => [
    {
        name: "Heap",
        key: lines.map(({ text, color }) => ({ text, color })),
        height: 96,
        draw: (frame) => {
            const { context, width, height, scale, palette } = frame;
            context.clearRect(0, 0, width, height);
            if (!track.curves) return "";
            const { values, window } = track.curves;
            const found = lines.filter(({ curve }) => values[curve].max.some((value) => value !== null));
            context.font = `${11 * scale}px ${palette.font}`;
            context.textBaseline = "top";
            if (found.length === 0) {
                context.fillStyle = palette.faint;
                context.fillText(emptyText(track), 8 * scale, 8 * scale);
                return "";
            }
            const top = ceiling(Math.max(...found.map(({ curve }) => largest(values[curve]))));
            context.fillStyle = palette.line;
            for (const part of [0.25, 0.5, 0.75]) context.fillRect(0, Math.round(height * part), width, Math.max(scale, 1));
            for (const line of found) {
                const columns = values[line.curve].max.length;
                const step = (window.to - window.from) / Math.max(columns, 1);
                const inView: [number, number] = [
                    Math.max(Math.floor((frame.view.from - window.from) / step), 0),
                    Math.min(Math.ceil((frame.view.to - window.from) / step), columns),
                ];
                drawLine(frame, values[line.curve], inView, (c) => xOf(frame, window.from + c * step), top, palette, line);
            }
            context.fillStyle = palette.faint;
            context.fillText(bytes(top), 4 * scale, 3 * scale);
            return "";
        },
    },
];

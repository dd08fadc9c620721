// The heap over time: its size, the size of its blocks, and live data after collections.
import type { Curve, CurvesAnswer } from "../engine/requests";
import { StepLine, type Dash } from "../draw/steps";
import { ceiling } from "../panes/bands";
import { span, type Range } from "../state/range";
import type { Palette } from "../theme";
import { bytes } from "../text";
import { pictureKind, type Track } from "../track";
import { clear, drawNote, drawTop, markCoarse, topRoom, xOf, type Frame, type Point, type Row } from "./row";

/** Lines need fewer columns than pixels; the engine has the whole run in about as many. */
export const curvesPicture = pictureKind("curves", (answer) => answer, { most: 2048 });

/** The part of a picture that is in view: its first column, and the one after its last. */
export function columnsInView({ window }: { window: Range }, count: number, view: Range): [number, number] {
    const step = span(window) / Math.max(count, 1);
    return [
        Math.min(Math.max(Math.floor((view.from - window.from) / step), 0), count),
        Math.min(Math.max(Math.ceil((view.to - window.from) / step), 0), count),
    ];
}

interface Line {
    curve: Exclude<keyof CurvesAnswer, "report_ns">;
    text: string;
    color: "heap" | "blocks" | "live";
    /** Pixels that are drawn, and that are left out. */
    dash?: readonly [number, number];
}

const lines: readonly Line[] = [
    { curve: "heap_size", text: "heap", color: "heap" },
    { curve: "blocks", text: "blocks", color: "blocks", dash: [5, 3] },
    { curve: "live", text: "live", color: "live" },
];

/** `first` and `end`: the columns that are in view. */
function drawLine(
    frame: Frame,
    curve: Curve,
    [first, end]: [number, number],
    x: (column: number) => number,
    y: (value: number) => number,
    palette: Palette,
    line: Line,
): void {
    const { context, width, height, scale } = frame;
    const steps = new StepLine(width, height, 1.5 * scale);
    let last: number | null = null;
    for (let column = first; column < end; column++) {
        const max = curve.max[column] ?? null;
        const min = curve.min[column] ?? null;
        // A value holds until the next one.
        if (max === null || min === null || (max === last && min === last)) continue;
        steps.to(x(column), y(max));
        steps.to(x(column), y(min));
        last = min;
    }
    steps.end(x(end));
    context.fillStyle = palette[line.color];
    steps.draw(context, line.dash && dashOf(frame, line.dash));
}

/** A dash that moves with the view. */
function dashOf({ view, width, scale }: Frame, [on, off]: readonly [number, number]): Dash {
    const length = Math.round((on + off) * scale);
    const phase = Math.floor((view.from / span(view)) * width) % length;
    return { on: Math.round(on * scale), off: length - Math.round(on * scale), phase };
}

/** Why there is no line. */
function emptyText({ overview }: Track): string {
    const any = lines.some(({ curve }) => overview?.recorded?.[curve]);
    return any ? "The size of the heap is unknown here." : "The log has no events of heap sizes. +RTS -lg records them.";
}

/** The largest value of any line, in view of any log. */
function topOf({ tracks, view }: Frame): number {
    let top = 1;
    for (const track of tracks) {
        const picture = track.shown(curvesPicture);
        for (const { curve } of picture ? lines : []) {
            const { max } = picture!.value[curve];
            const [first, end] = columnsInView(picture!, max.length, view);
            for (let i = first; i < end; i++) top = Math.max(top, max[i] ?? 0);
        }
    }
    return ceiling(top);
}

export const heapRows = (track: Track): Row[] => [
    {
        id: "heap",
        name: "Heap",
        key: lines.map(({ text, color }) => ({ text, color })),
        height: 96,
        draw: (frame) => {
            const { context, width, height, scale, view, palette } = frame;
            clear(frame);
            const picture = track.picture(curvesPicture);
            if (!picture) return "";
            const { value, window } = picture;
            const found = lines.filter(({ curve }) => value[curve].max.some((bytes) => bytes !== null));
            if (found.length === 0) {
                drawNote(frame, emptyText(track));
                return "";
            }
            const top = topOf(frame);
            // The text at the top stands above the lines.
            const y = (share: number) => height - 2 * scale - share * (height - (topRoom + 2) * scale);
            context.fillStyle = palette.line;
            for (const part of [0.25, 0.5, 0.75]) context.fillRect(0, Math.round(y(part)), width, Math.max(scale, 1));
            for (const line of found) {
                const curve = value[line.curve];
                const step = span(window) / Math.max(curve.max.length, 1);
                const inView = columnsInView(picture, curve.max.length, view);
                drawLine(frame, curve, inView, (c) => xOf(frame, window.from + c * step), (value) => y(value / top), palette, line);
            }
            drawTop(frame, bytes(top));
            markCoarse(frame, Math.max(track.stepOf(picture), track.slot));
            return "";
        },
        describe: ({ ns }: Point) => {
            const picture = track.shown(curvesPicture);
            return lines.flatMap(({ curve, text }) => {
                const { max } = picture?.value[curve] ?? { max: [] };
                const value = picture && max[columnsInView(picture, max.length, { from: ns, to: ns })[0]];
                return typeof value === "number" ? [`${text} ${bytes(value)}`] : [];
            });
        },
    },
];

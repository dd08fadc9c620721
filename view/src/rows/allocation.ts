// How fast the program allocates.
import { span } from "../state/range";
import { bytes } from "../text";
import type { Track } from "../track";
import { columnsInView, curvesPicture } from "./heap";
import { statText } from "./numbers";
import { clear, drawNote, drawTop, markCoarse, xOf, type Frame, type Row } from "./row";

/** The largest sum of a column per ns, in view of any log. */
function topOf({ tracks, view }: Frame): number {
    let top = 0;
    for (const track of tracks) {
        const picture = track.shown(curvesPicture);
        if (!picture) continue;
        const { max } = picture.value.allocated;
        const step = span(picture.window) / Math.max(max.length, 1);
        const [first, end] = columnsInView(picture, max.length, view);
        for (let i = first; i < end; i++) top = Math.max(top, (max[i] ?? 0) / step);
    }
    return top;
}

const rate = (bytesPerNs: number): string => `${bytes(bytesPerNs * 1e9)}/s`;

function drawAllocation(frame: Frame, track: Track): void {
    const { context, width, height, scale, view, palette } = frame;
    clear(frame);
    context.fillStyle = palette.line;
    context.fillRect(0, height - scale, width, scale);
    const picture = track.picture(curvesPicture);
    if (!picture) return;
    const { max } = picture.value.allocated;
    const step = span(picture.window) / Math.max(max.length, 1);
    const [first, end] = columnsInView(picture, max.length, view);
    const top = topOf(frame);
    if (top === 0 || max.slice(first, end).every((sum) => !sum)) {
        const recorded = track.overview?.recorded?.allocated !== false;
        drawNote(frame, recorded ? "No allocation was reported here." : "The log has no events of allocation. +RTS -lg records them.");
        return;
    }
    const x = (column: number) => Math.round(xOf(frame, picture.window.from + column * step));
    context.fillStyle = palette.allocated;
    for (let column = first; column < end; column++) {
        const sum = max[column];
        if (!sum) continue;
        const left = x(column);
        const size = Math.max((sum / step / top) * (height - 14 * scale), scale);
        context.fillRect(left, height - size, Math.max(x(column + 1) - left, 1), size);
    }
    drawTop(frame, rate(top));
    markCoarse(frame, Math.max(track.stepOf(picture), track.slot, picture.value.report_ns ?? 0));
}

export const allocationRows = (track: Track): Row[] => [
    {
        id: "allocation",
        name: "Allocation",
        height: 44,
        draw: (frame) => {
            drawAllocation(frame, track);
            return statText(track, ({ memory }) => memory.allocated_bytes, bytes);
        },
        describe: ({ ns }) => {
            const picture = track.shown(curvesPicture);
            const { max } = picture?.value.allocated ?? { max: [] };
            const sum = picture && max[columnsInView(picture, max.length, { from: ns, to: ns })[0]];
            return typeof sum === "number" ? [rate(sum / (span(picture!.window) / max.length))] : [];
        },
    },
];

// A row for each cap; the threads that ran, where there is room for their names.
import type { LabelSpan } from "../engine/protocol";
import { visible } from "../text";
import { xOf, type Frame, type RowKind } from "./row";
import { drawShares } from "./shares";

export const threadName = ({ thread, label }: LabelSpan): string =>
    label !== null ? visible(label, 80) : thread !== null ? `thread ${thread}` : "";

function drawLabels(frame: Frame, spans: readonly LabelSpan[]): void {
    const { context, width, height, scale, palette } = frame;
    const padding = 5 * scale;
    context.font = `${11 * scale}px ${palette.font}`;
    context.textBaseline = "middle";
    for (const item of spans) {
        const left = Math.max(xOf(frame, item.fromNs), 0);
        const right = Math.min(xOf(frame, item.toNs), width);
        const room = right - left - 2 * padding;
        if (room < 8 * scale) continue;
        context.fillStyle = palette.edge;
        if (item.fromNs > frame.view.from) context.fillRect(Math.round(left), 0, Math.max(Math.round(scale), 1), height);
        const text = [threadName(item), item.thread === null ? "" : String(item.thread)].find(
            (candidate) => candidate && context.measureText(candidate).width <= room,
        );
        if (!text) continue;
        context.fillStyle = palette.runningText;
        context.fillText(text, left + padding, height / 2 + scale);
    }
}

export const capRows: RowKind = (track) => {
    const caps = track.overview?.caps ?? [];
    const height = caps.length <= 12 ? 28 : caps.length <= 32 ? 22 : 16;
    return caps.map((cap, index) => ({
        name: `cap ${cap}`,
        height,
        draw: (frame) => {
            const share = drawShares(frame, (tile) => ({ shares: tile.shares, offset: index * tile.width * 4 }));
            drawLabels(frame, track.labels?.spans.filter((item) => item.cap === cap) ?? []);
            return share;
        },
    }));
};

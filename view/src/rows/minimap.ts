// The whole run in one small row, with the part that is in view.
import type { Marks } from "../search";
import type { Bookmark } from "../state/notes";
import { span, type Range } from "../state/range";
import { columnMap, type Track } from "../track";
import type { Frame } from "./row";
import { xOf } from "./row";
import { fillShares } from "./shares";

/** `frame.view` is the whole run; logs are drawn below each other. */
export function drawMinimap(
    frame: Frame,
    tracks: readonly Track[],
    view: Range,
    selection: Range | null,
    { marks, bookmarks }: { marks: readonly Marks[]; bookmarks: readonly Bookmark[] },
): void {
    const { context, width, height, scale, palette } = frame;
    context.clearRect(0, 0, width, height);
    const part = Math.floor(height / Math.max(tracks.length, 1));
    tracks.forEach(({ whole }, index) => {
        if (!whole || part < 1) return;
        const image = context.createImageData(width, part);
        const map = columnMap([whole], frame.view, width);
        const source = (tile: { mean: Uint8Array }) => ({ shares: tile.mean, offset: 0 });
        fillShares(new Uint32Array(image.data.buffer), width, part, map, source, palette);
        context.putImageData(image, 0, index * part);
    });
    const line = Math.max(Math.round(2 * scale), 1);
    if (selection) {
        context.fillStyle = palette.accent;
        context.fillRect(xOf(frame, selection.from), 0, Math.max((span(selection) / span(frame.view)) * width, line), line * 1.5);
    }
    // What is not in view is dimmed; the window keeps a visible width.
    const left = Math.round(Math.min(xOf(frame, view.from), width - line));
    const right = Math.round(Math.max(xOf(frame, view.to), left + line));
    context.fillStyle = palette.shade;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    drawMarks(frame, marks, bookmarks, line);
    context.strokeStyle = palette.text;
    context.lineWidth = line;
    context.strokeRect(left + line / 2, line / 2, Math.max(right - left - line, 1), height - line);
}

/** Matches of the search stand below, bookmarks from top to bottom. */
function drawMarks(frame: Frame, marks: readonly Marks[], bookmarks: readonly Bookmark[], line: number): void {
    const { context, height, palette } = frame;
    context.fillStyle = palette.accent;
    for (const range of marks) {
        const step = span(range) / range.columns.length;
        range.columns.forEach((count, index) => {
            if (count > 0) context.fillRect(xOf(frame, range.from + (index + 0.5) * step), height * 0.6, line, height * 0.4);
        });
    }
    for (const { at } of bookmarks) context.fillRect(xOf(frame, at), 0, line, height);
}

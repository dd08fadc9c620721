// The whole run in one small row, with the part that is in view.
import type { Marks } from "../search";
import type { Bookmark } from "../state/notes";
import { span, type Range } from "../state/range";
import { columnMap, type Track } from "../track";
import type { Frame } from "./row";
import { xOf } from "./row";
import { fillShares } from "./shares";

export class Minimap {
    /** The shares of each log, and what they were made from. */
    private images: (ImageData | undefined)[] = [];
    private inputs: readonly (object | number)[] = [];

    /** `frame.view` is the whole run; logs are drawn below each other. `revision` differs if the tracks do. */
    draw(
        frame: Frame,
        tracks: readonly Track[],
        revision: number,
        view: Range,
        selection: Range | null,
        { marks, bookmarks }: { marks: readonly Marks[]; bookmarks: readonly Bookmark[] },
    ): void {
        const { context, width, height, palette } = frame;
        const part = Math.floor(height / Math.max(tracks.length, 1));
        const inputs = [width, height, palette, revision, frame.view.from, frame.view.to, ...tracks];
        if (inputs.length !== this.inputs.length || inputs.some((input, index) => input !== this.inputs[index])) {
            this.inputs = inputs;
            this.images = tracks.map((track) => sharesOf(frame, track, part));
        }
        context.clearRect(0, 0, width, height);
        this.images.forEach((image, index) => image && context.putImageData(image, 0, index * part));
        const line = Math.max(Math.round(2 * frame.scale), 1);
        drawShade(frame, view, selection, line);
        drawMarks(frame, marks, bookmarks, line);
        drawWindow(frame, view, line);
    }
}

function sharesOf({ context, view, width, palette }: Frame, { whole }: Track, height: number): ImageData | undefined {
    if (!whole || height < 1) return undefined;
    const image = context.createImageData(width, height);
    const source = (tile: { mean: Uint8Array }) => ({ shares: tile.mean, offset: 0 });
    fillShares(new Uint32Array(image.data.buffer), width, height, columnMap([whole], view, width), source, palette);
    return image;
}

/** The edges of what is in view; the window keeps a visible width. */
function edgesOf(frame: Frame, view: Range, line: number): [number, number] {
    const left = Math.round(Math.min(xOf(frame, view.from), frame.width - line));
    return [left, Math.round(Math.max(xOf(frame, view.to), left + line))];
}

/** What is not in view is dimmed. */
function drawShade(frame: Frame, view: Range, selection: Range | null, line: number): void {
    const { context, width, height, palette } = frame;
    if (selection) {
        context.fillStyle = palette.accent;
        context.fillRect(xOf(frame, selection.from), 0, Math.max((span(selection) / span(frame.view)) * width, line), line * 1.5);
    }
    const [left, right] = edgesOf(frame, view, line);
    context.fillStyle = palette.shade;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
}

function drawWindow(frame: Frame, view: Range, line: number): void {
    const { context, height, palette } = frame;
    const [left, right] = edgesOf(frame, view, line);
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

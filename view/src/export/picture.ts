// The timeline in view as a picture by itself: the name of the program, the range, names of rows, the
// meaning of the colors.
import { fitted, type Pen } from "../draw/pen";
import type { Drawing } from "../draw/drawing";
import type { Palette } from "../theme";
import { newSheet, type Format } from "./sheet";

/** A row of the timeline, or a heading. */
export interface PicturePart {
    /** From the upper edge of the first. */
    top: number;
    height: number;
    name: string;
    isHeading: boolean;
    key: readonly { text: string; color: string }[];
    /** Returns what the name is followed by; none: a heading. */
    draw?(pen: Pen, scale: number): string;
}

export interface TimelinePicture {
    title: string;
    range: string;
    /** Of the rows. */
    width: number;
    axis: PicturePart;
    parts: readonly PicturePart[];
    palette: Palette;
    /** In pixels of the rows. */
    selection: { left: number; right: number } | null;
    background: string;
    /** Of cap rows. */
    key: readonly { text: string; color: string }[];
}

const gutter = 150;
const inset = 12;
const head = 34;
const foot = 30;

export function printTimeline(picture: TimelinePicture, format: Format): Promise<Blob> {
    const { parts, axis, palette, width } = picture;
    const rows = parts.reduce((most, { top, height }) => Math.max(most, top + height), 0);
    const whole = { width: gutter + width + inset, height: head + axis.height + rows + foot };
    const sheet = newSheet(format, whole.width, whole.height, picture.background);
    const { pen } = sheet;
    const write = (text: string, x: number, y: number, color: string, room: number, style = "") => {
        pen.font = `${style}12px ${palette.font}`;
        pen.fillStyle = color;
        const shown = fitted(pen, text, room);
        if (shown) pen.fillText(shown, x, y);
        return pen.measureText(shown).width;
    };
    pen.textBaseline = "middle";
    const titled = write(picture.title, inset, head / 2, palette.text, whole.width / 2, "600 ");
    write(picture.range, inset * 2 + titled, head / 2, palette.faint, whole.width - titled - 3 * inset);
    for (const part of [{ ...axis, top: -axis.height }, ...parts]) {
        const y = head + axis.height + part.top;
        let number = "";
        if (part.draw) {
            sheet.part(gutter, y, width, part.height, (own, scale) => {
                number = part.draw!(own, scale);
            });
        }
        pen.textBaseline = "middle";
        const middle = y + Math.min(part.height / 2, part.key.length > 0 ? part.height / 2 - 8 : part.height);
        const room = part.draw ? gutter - inset - 8 : width;
        const named = write(part.name, inset, middle, palette.text, room, part.isHeading ? "600 " : "");
        if (number) {
            pen.font = `12px ${palette.font}`;
            const long = pen.measureText(number).width;
            if (named + long + inset + 14 < gutter) write(number, gutter - 8 - long, middle, palette.faint, gutter);
        }
        drawKey(part.key, inset, middle + 16, gutter);
    }
    if (picture.selection) {
        const { left, right } = picture.selection;
        const [from, to] = [Math.max(left, 0), Math.min(right, width)];
        pen.fillStyle = palette.accent;
        pen.globalAlpha = 0.14;
        if (to > from) pen.fillRect(gutter + from, head + axis.height, to - from, rows);
        pen.globalAlpha = 1;
    }
    drawKey(picture.key, inset, whole.height - foot / 2, whole.width);
    return sheet.finish();

    function drawKey(key: TimelinePicture["key"], left: number, y: number, end: number): void {
        let x = left;
        for (const { text, color } of key) {
            pen.font = `11px ${palette.font}`;
            const long = pen.measureText(text).width;
            if (x + 12 + long > end) return;
            pen.fillStyle = color;
            pen.fillRect(x, y - 4, 8, 8);
            pen.fillStyle = palette.faint;
            pen.fillText(text, x + 12, y);
            x += 12 + long + 10;
        }
    }
}

/** The picture of a pane. */
export async function printDrawing(drawing: Drawing, format: Format, background: string): Promise<Blob> {
    const { width, height } = drawing.size;
    const sheet = newSheet(format, width, height, background);
    drawing.drawWith(sheet.pen);
    return sheet.finish();
}

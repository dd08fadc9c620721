// A row of the timeline: its name, its height, how it is drawn, and what is at a point of it. Groups of
// rows, which can be folded.
import type { Pen } from "../draw/pen";
import type { Range } from "../state/range";
import { duration } from "../text";
import type { Palette } from "../theme";
import type { ColumnMap, Track } from "../track";
import type { Choice, Thing } from "./thing";

/** What a row is drawn with. Lengths are pixels of the canvas. */
export interface Frame {
    context: Pen;
    width: number;
    height: number;
    /** Pixels of the canvas for one of the style sheet. */
    scale: number;
    view: Range;
    columns: ColumnMap;
    palette: Palette;
    /** All that are shown: rows that are compared have the same scale. */
    tracks: readonly Track[];
}

/** Where the pointer is. */
export interface Point {
    ns: number;
    /** ns of a pixel of the style sheet. */
    pixel: number;
    /** Pixels of the style sheet from the upper edge of the row. */
    y: number;
}

export interface Row {
    /** Different from that of all other rows of the track. */
    readonly id: string;
    readonly name: string;
    /** What the name stands for, where it may not fit. */
    readonly title?: string;
    /** A second text beside the name: colors of lines. */
    readonly key?: readonly { text: string; color: keyof Palette }[];
    /** In pixels of the style sheet. */
    readonly height: number;
    /** The thread, or the cap, that the row is of. */
    readonly thread?: number;
    readonly cap?: number;
    /** Returns the text after the name: a number of the range in view. */
    draw(frame: Frame): string;
    /** What is at a point: facts, the most important first. */
    describe?(point: Point): string[];
    /** The thread at a point. */
    threadAt?(point: Point): number | null;
    /** What can be chosen in it. */
    readonly choice?: Choice;
    /** Which one at a point, more exactly. */
    choiceAt?(point: Point): Partial<Choice>;
    /** What is chosen where the engine knows none. */
    thingAt?(point: Point): Thing | null;
}

/** Rows under a heading that folds them. */
export interface Group {
    /** As the address has it. */
    readonly id: string;
    readonly name: string;
    /** It is open until it is folded. */
    isOpen(track: Track): boolean;
    /** Why the log has nothing for it: such groups share one line. null: it has something. */
    lacks?(track: Track): string | null;
    /** A note beside the heading, such as why there are no rows. null: the group is not shown. */
    note?(track: Track): string | null;
    /** Elements beside the name; made once for each track. */
    controls?(track: Track, changed: () => void): HTMLElement;
    /** Asked only while the group is open. */
    rows(track: Track): Row[];
}

export const xOf = (frame: Frame, ns: number): number =>
    ((ns - frame.view.from) / (frame.view.to - frame.view.from)) * frame.width;

/** What is said of time in which it is not known what something did. */
export const unknownText = "not known: events were lost, dropped or not recorded";

/** Such time has stripes, of 2 pixels in 5. */
export const isStripe = (x: number, y: number): boolean => (x + y) % 5 < 2;

/** An empty row, with the font of texts in it. */
export function clear({ context, width, height, scale, palette }: Frame): void {
    context.clearRect(0, 0, width, height);
    context.font = `${11 * scale}px ${palette.font}`;
    context.textBaseline = "middle";
}

const images = new Map<number, ImageData>();

/** Pixels to make a row in, as the last one of this height left them: new ones cost as much as drawing them. */
export function imageOf({ width, height }: Frame): ImageData {
    let image = images.get(height);
    if (image?.width !== width) images.set(height, (image = new ImageData(width, height)));
    return image;
}

/** Columns of more pixels of the style sheet than this are said to be coarse. */
const coarsePixels = 6;

/** Says that what is drawn has columns of `step` ns, if they are much wider than a pixel. */
export function markCoarse({ context, width, scale, view, palette }: Frame, step: number): void {
    if ((step / (view.to - view.from)) * width <= coarsePixels * scale) return;
    const text = `coarse: ${duration(step)}`;
    context.font = `${10 * scale}px ${palette.font}`;
    context.textBaseline = "top";
    const room = context.measureText(text).width + 8 * scale;
    context.fillStyle = palette.line;
    context.fillRect(width - room, 0, room, 13 * scale);
    context.fillStyle = palette.text;
    context.fillText(text, width - room + 4 * scale, 2 * scale);
}

/** Pixels of the style sheet for it. */
export const topRoom = 14;

/** The largest value of the picture of a row, at its top. */
export function drawTop({ context, scale, palette }: Frame, text: string): void {
    context.textBaseline = "top";
    context.fillStyle = palette.shade;
    context.fillRect(2 * scale, 0, context.measureText(text).width + 4 * scale, 13 * scale);
    context.fillStyle = palette.faint;
    context.fillText(text, 4 * scale, scale);
}

/** Says in a row why nothing else is in it. */
export function drawNote({ context, scale, palette }: Frame, text: string): void {
    context.textBaseline = "top";
    context.fillStyle = palette.faint;
    context.fillText(text, 8 * scale, 6 * scale);
}

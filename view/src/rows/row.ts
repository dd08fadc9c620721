// A row of the timeline: its name, its height, and how it is drawn.
import type { Range } from "../state/range";
import type { Palette } from "../theme";
import type { ColumnMap, Track } from "../track";

/** What a row is drawn with. Lengths are pixels of the canvas. */
export interface Frame {
    context: CanvasRenderingContext2D;
    width: number;
    height: number;
    /** Pixels of the canvas for one of the style sheet. */
    scale: number;
    view: Range;
    columns: ColumnMap;
    palette: Palette;
}

export interface Row {
    readonly name: string;
    /** A second text beside the name: colors of lines. */
    readonly key?: readonly { text: string; color: keyof Palette }[];
    /** In pixels of the style sheet. */
    readonly height: number;
    /** Returns what the name is followed by: a number of the range in view. */
    draw(frame: Frame): string;
}

export type RowKind = (track: Track) => Row[];

export const xOf = (frame: Frame, ns: number): number =>
    ((ns - frame.view.from) / (frame.view.to - frame.view.from)) * frame.width;

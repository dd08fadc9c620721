// Columns of shares, stacked from the bottom: running, collecting, waiting; the rest is idle.
import { percent } from "../text";
import type { ColumnMap, Tile } from "../track";
import type { Palette } from "../theme";
import type { Frame } from "./row";

/** The shares of a cap, and where they begin: an index of bytes. */
export type ShareSource = (tile: Tile) => { shares: Uint8Array; offset: number };

/** At least one pixel for what is there at all. */
const height = (share: number, pixels: number): number =>
    share === 0 ? 0 : Math.max(Math.round((share / 255) * pixels), 1);

export function fillShares(
    pixels: Uint32Array,
    width: number,
    rows: number,
    map: ColumnMap,
    source: ShareSource,
    palette: Palette,
): number {
    const sources = map.tiles.map(source);
    const running = new Uint16Array(width);
    const collecting = new Uint16Array(width);
    const waiting = new Uint16Array(width);
    let sum = 0;
    let known = 0;
    for (let x = 0; x < width; x++) {
        const from = sources[map.tile[x]!];
        if (!from) continue;
        const at = from.offset + map.column[x]! * 4;
        const share = from.shares[at] ?? 0;
        sum += share;
        known++;
        const gc = height(from.shares[at + 1] ?? 0, rows);
        const wait = height(from.shares[at + 2] ?? 0, rows);
        const run = Math.min(height(share, rows), Math.max(rows - gc - wait, 0));
        running[x] = run;
        collecting[x] = run + gc;
        waiting[x] = run + gc + wait;
    }
    let at = 0;
    for (let y = rows - 1; y >= 0; y--) {
        for (let x = 0; x < width; x++, at++) {
            pixels[at] =
                y < running[x]!
                    ? palette.running
                    : y < collecting[x]!
                      ? palette.collecting
                      : y < waiting[x]!
                        ? palette.waiting
                        : palette.idle;
        }
    }
    return known > 0 ? sum / known / 255 : 0;
}

/** Returns the share of running in the view, as text. */
export function drawShares(frame: Frame, source: ShareSource): string {
    const { context, width, height: rows, columns, palette } = frame;
    const image = context.createImageData(width, rows);
    const share = fillShares(new Uint32Array(image.data.buffer), width, rows, columns, source, palette);
    context.putImageData(image, 0, 0);
    return columns.tiles.length > 0 ? percent(share) : "";
}

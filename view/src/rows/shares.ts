// Columns of shares, stacked from the bottom: running, collecting, waiting; the rest is idle.
import { percent } from "../text";
import type { Palette } from "../theme";
import { columnMap, type ColumnMap, type Tile, type Track } from "../track";
import { imageOf, type Frame, type Point } from "./row";

/** The shares of a cap, and where they begin: an index of bytes. */
export type ShareSource = (tile: Tile) => { shares: Uint8Array; offset: number };

/** At least one pixel for a share that is not 0. */
const height = (share: number, pixels: number): number =>
    share === 0 ? 0 : Math.max(Math.round((share / 255) * pixels), 1);

export function fillShares(
    pixels: Uint32Array,
    width: number,
    rows: number,
    map: ColumnMap,
    source: ShareSource,
    palette: Palette,
): void {
    const sources = map.tiles.map(source);
    const { running, collecting, waiting, idle } = palette;
    const bottom = (rows - 1) * width;
    pixels.fill(idle);
    for (let x = 0; x < width; x++) {
        const from = sources[map.tile[x]!];
        if (!from) continue;
        const at = from.offset + map.column[x]! * 4;
        const share = from.shares[at] ?? 0;
        const gc = height(from.shares[at + 1] ?? 0, rows);
        const wait = height(from.shares[at + 2] ?? 0, rows);
        const run = Math.min(height(share, rows), Math.max(rows - gc - wait, 0));
        // Upwards, a row of pixels at a time.
        let pixel = bottom + x;
        for (const end = pixel - run * width; pixel > end; pixel -= width) pixels[pixel] = running;
        for (const end = Math.max(pixel - gc * width, -1); pixel > end; pixel -= width) pixels[pixel] = collecting;
        for (const end = Math.max(pixel - wait * width, -1); pixel > end; pixel -= width) pixels[pixel] = waiting;
    }
}

export function drawShares(frame: Frame, source: ShareSource): void {
    const { context, width, height: rows, columns, palette } = frame;
    const image = imageOf(frame);
    fillShares(new Uint32Array(image.data.buffer), width, rows, columns, source, palette);
    context.putImageData(image, 0, 0);
}

/** The shares at a point, as texts. */
export function sharesAt(track: Track, { ns, pixel }: Point, source: ShareSource): string[] {
    const map = columnMap(track.candidates, { from: ns - pixel / 2, to: ns + pixel / 2 }, 1);
    const tile = map.tiles[map.tile[0] ?? -1];
    if (!tile) return [];
    const { shares, offset } = source(tile);
    const at = offset + map.column[0]! * 4;
    const known = [0, 1, 2].map((kind) => (shares[at + kind] ?? 0) / 255);
    const idle = Math.max(1 - known[0]! - known[1]! - known[2]!, 0);
    return ["running", "GC", "waiting for GC", "idle"].flatMap((name, kind) => {
        const share = known[kind] ?? idle;
        return share > 0.995 ? [name] : share > 0.005 ? [`${name} ${percent(share)}`] : [];
    });
}

// Columns of shares, stacked from the bottom: running, collecting, waiting for its beginning and its end, without a
// part in it, not known; the rest is idle.
import { activities } from "../engine/protocol";
import { span } from "../state/range";
import { percent } from "../text";
import type { Palette } from "../theme";
import { columnMap, type ColumnMap, type Tile, type Track } from "../track";
import { imageOf, isStripe, markCoarse, unknownText, type Frame, type Point } from "./row";

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
    const colors = activities.map((activity) => palette[activity]);
    const bottom = (rows - 1) * width;
    pixels.fill(palette.idle);
    for (let x = 0; x < width; x++) {
        const from = sources[map.tile[x]!];
        if (!from) continue;
        const at = from.offset + map.column[x]! * activities.length;
        // What stands above running stays visible, however small it is.
        let above = 0;
        for (let kind = 1; kind < activities.length; kind++) above += height(from.shares[at + kind] ?? 0, rows);
        // Upwards, a row of pixels at a time.
        let pixel = bottom + x;
        for (let kind = 0; kind < activities.length; kind++) {
            const all = height(from.shares[at + kind] ?? 0, rows);
            const size = kind === 0 ? Math.min(all, Math.max(rows - above, 0)) : all;
            const color = colors[kind]!;
            const isUnknown = activities[kind] === "unknown";
            for (const end = Math.max(pixel - size * width, -1); pixel > end; pixel -= width) {
                pixels[pixel] = isUnknown && !isStripe(x, (pixel - x) / width) ? palette.idle : color;
            }
        }
    }
}

export function drawShares(frame: Frame, source: ShareSource): void {
    const { context, width, height: rows, columns, palette } = frame;
    const image = imageOf(frame);
    fillShares(new Uint32Array(image.data.buffer), width, rows, columns, source, palette);
    context.putImageData(image, 0, 0);
    markShares(frame);
}

/** Says how coarse the columns are, if they are. */
export function markShares(frame: Frame): void {
    const { width, columns } = frame;
    const tile = columns.tiles[columns.tile[width >> 1] ?? -1];
    if (tile && tile === columns.tiles.at(-1)) markCoarse(frame, Math.max(tile.slot, span(tile) / tile.width));
}

/** The shares at a point, as texts. */
export function sharesAt(track: Track, { ns, pixel }: Point, source: ShareSource): string[] {
    const map = columnMap(track.candidates, { from: ns - pixel / 2, to: ns + pixel / 2 }, 1);
    const tile = map.tiles[map.tile[0] ?? -1];
    if (!tile) return [];
    const { shares, offset } = source(tile);
    const at = offset + map.column[0]! * activities.length;
    const known = activities.map((_activity, kind) => (shares[at + kind] ?? 0) / 255);
    const idle = Math.max(1 - known.reduce((sum, share) => sum + share, 0), 0);
    return shareTexts(["running", "GC", "waiting for the GC to begin", "waiting for the GC to end", "no part in the GC", unknownText, "idle"], [...known, idle]);
}

/** Names with their shares, before what explains them; without those that are nearly 0. */
export const shareTexts = (names: readonly string[], shares: readonly number[]): string[] =>
    names.flatMap((name, kind) => {
        const share = shares[kind] ?? 0;
        return share > 0.995 ? [name] : share > 0.005 ? [name.replace(/^[^:]*/, (first) => `${first} ${percent(share)}`)] : [];
    });

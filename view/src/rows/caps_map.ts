// Many caps in one row, a strip for each: the more of its time a cap did something, the more of that colour it has.
import { activities } from "../engine/protocol";
import { percent } from "../text";
import type { Palette } from "../theme";
import type { ColumnMap, Track } from "../track";
import { capShares } from "./cap";
import { shareOfCap, statCaps } from "./numbers";
import { imageOf, type Frame, type Point, type Row } from "./row";
import { markShares, sharesAt } from "./shares";
import { columnThing } from "./thing";

/** Of more caps than 16, each by itself is shown only where that is asked for. */
export const areMany = (track: Track): boolean => (track.overview?.caps?.length ?? 0) > 16;

const stripHeight = 3;
const heightMax = 160;

/** A line of pixels that has several caps shows their mean. */
export function fillMap(pixels: Uint32Array, width: number, rows: number, caps: number, map: ColumnMap, palette: Palette): void {
    const { idle } = palette;
    const colors = activities.map((activity) => palette[activity]);
    pixels.fill(idle);
    for (let y = 0; y < rows; y++) {
        const first = Math.floor((y * caps) / rows);
        const end = Math.max(Math.ceil(((y + 1) * caps) / rows), first + 1);
        for (let x = 0; x < width; x++) {
            const tile = map.tiles[map.tile[x]!];
            if (!tile) continue;
            let [red, green, blue, all] = [0, 0, 0, 0];
            const add = (share: number, color: number) => {
                all += share;
                red += share * (color & 255);
                green += share * ((color >> 8) & 255);
                blue += share * ((color >> 16) & 255);
            };
            for (let cap = first; cap < end; cap++) {
                const at = (cap * tile.width + map.column[x]!) * activities.length;
                for (let kind = 0; kind < activities.length; kind++) {
                    const share = tile.shares[at + kind] ?? 0;
                    if (share > 0) add(share, colors[kind]!);
                }
            }
            if (all === 0) continue;
            add(Math.max(255 * (end - first) - all, 0), idle);
            pixels[y * width + x] = 0xff000000 | (Math.round(blue / all) << 16) | (Math.round(green / all) << 8) | Math.round(red / all);
        }
    }
}

interface Extreme {
    cap: number;
    share: number;
}

/** The caps that ran threads for the least and the most of their time, in view. */
function extremes(track: Track): [Extreme, Extreme] | undefined {
    const known = statCaps(track).flatMap((cap) => {
        const share = shareOfCap(cap);
        return share === null ? [] : [{ cap: cap.cap, share }];
    });
    const [first] = known;
    if (!first) return undefined;
    return [known.reduce((a, b) => (b.share < a.share ? b : a), first), known.reduce((a, b) => (b.share > a.share ? b : a), first)];
}

function drawExtremes({ context, height, scale, palette }: Frame, [least, most]: [Extreme, Extreme]): void {
    const texts = [`most: cap ${most.cap}, ${percent(most.share)}`, `least: cap ${least.cap}, ${percent(least.share)}`];
    context.font = `${11 * scale}px ${palette.font}`;
    context.textBaseline = "top";
    texts.forEach((text, index) => {
        const top = index === 0 ? 3 * scale : height - 19 * scale;
        context.fillStyle = palette.line;
        context.fillRect(4 * scale, top, context.measureText(text).width + 8 * scale, 16 * scale);
        context.fillStyle = palette.text;
        context.fillText(text, 8 * scale, top + 2 * scale);
    });
}

export function capsMapRow(track: Track): Row {
    const caps = track.overview?.caps ?? [];
    const height = Math.min(caps.length * stripHeight, heightMax);
    const indexAt = (y: number) => Math.min(Math.max(Math.floor((y / height) * caps.length), 0), caps.length - 1);
    const capAt = (y: number) => caps[indexAt(y)] ?? 0;
    return {
        id: "map",
        name: `${caps.length} caps`,
        title: "A strip for each cap, the first one at the top; its colours are mixed by what it did",
        height,
        choice: { kind: "cap", cap: caps[0] ?? 0 },
        choiceAt: ({ y }: Point) => ({ cap: capAt(y) }),
        thingAt: ({ ns, pixel, y }: Point) => columnThing(`Cap ${capAt(y)}`, track.range, pixel, ns),
        draw(frame) {
            const image = imageOf(frame);
            fillMap(new Uint32Array(image.data.buffer), frame.width, frame.height, caps.length, frame.columns, frame.palette);
            frame.context.putImageData(image, 0, 0);
            markShares(frame);
            const found = extremes(track);
            if (!found) return "";
            drawExtremes(frame, found);
            return found.map(({ share }) => percent(share)).join(" to ");
        },
        describe: (point) => [
            `cap ${capAt(point.y)}`,
            ...sharesAt(track, point, capShares(indexAt(point.y))),
        ],
    };
}

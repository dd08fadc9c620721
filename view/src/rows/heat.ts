// A time profile under the time axis: a line for each of the hottest functions, the darker the larger its
// share of the program's own time.
import type { HeatAnswer } from "../engine/requests";
import { seriesColor } from "../draw/series";
import { span, type Range } from "../state/range";
import { grouped, percent, visible } from "../text";
import { listKind, numbersKind, pictureKind, type Track } from "../track";
import { clear, type Frame, type Group, type Point, type Row } from "./row";

interface HotFunction {
    key: string;
    label: string;
    /** Its module and its place in the source, where they are known. */
    where: string[];
    /** Its own ticks in each column. */
    ticks: readonly number[];
}

interface Heat extends Range {
    /** ns of a column. */
    step: number;
    /** The program's own ticks in each column. */
    own: readonly number[];
    functions: ReadonlyMap<string, HotFunction>;
    /** For each column, the column of the sample that covers it; -1: none. */
    source: Int32Array;
}

const mostRows = 12;
const levels = 12;

/** A sample stands for the time since the one before it: columns before its own belong to it. */
function sourcesOf(all: readonly number[], step: number): Int32Array {
    const source = new Int32Array(all.length).fill(-1);
    let next = -1;
    for (let column = all.length - 1; column >= 0; column--) {
        if (all[column]! > 0) next = column;
        if (next >= 0 && (next - column) * step <= all[next]!) source[column] = next;
    }
    return source;
}

function heatOf({ from_ns: from, to_ns: to, rows, own_ticks: own = [], sampled_ns: sampled = [] }: HeatAnswer): Heat {
    const step = span({ from, to }) / Math.max(own.length, 1);
    const functions = rows.map(({ label, module, location, own_ticks: ticks }): [string, HotFunction] => {
        const [name, inModule, place] = [visible(label ?? ""), visible(module ?? ""), visible(location ?? "")];
        const key = [name, inModule, place].join("\n");
        const where = [inModule, place].filter((word) => word !== "");
        return [key, { key, label: name, where, ticks }];
    });
    return { from, to, step, own, functions: new Map(functions), source: sourcesOf(sampled, step) };
}

const heatList = listKind("heat", heatOf, { rows: mostRows, width: 1024 });
/** In a part of the run, others may be hotter: more are asked for than are shown. */
const heatPicture = pictureKind("heat", heatOf, { keys: { rows: 64 }, most: 1024 });
const mostKnown = 100;
const heatNumbers = numbersKind("heat", heatOf, { rows: mostKnown, width: 1 });

/** What is known of a time, from the finest that has samples there. */
function heatAt(heats: readonly Heat[], ns: number): { heat: Heat; column: number } | undefined {
    for (const heat of heats) {
        if (ns < heat.from || ns >= heat.to) continue;
        const column = heat.source[Math.min(Math.floor((ns - heat.from) / heat.step), heat.source.length - 1)] ?? -1;
        if (column >= 0) return { heat, column };
    }
    return undefined;
}

/** The finest first. */
const heatsOf = (track: Track, detail: Heat | undefined): Heat[] =>
    [detail, track.peek(heatList).value].filter((heat) => heat !== undefined).sort((a, b) => a.step - b.step);

/** The share of a function in the program's own time in view. */
function shareText(track: Track, key: string): string {
    const heat = track.numbers(heatNumbers);
    const sum = (ticks: readonly number[]) => ticks.reduce((all, one) => all + one, 0);
    const all = sum(heat?.own ?? []);
    const isKnown = heat && all > 0 && (heat.functions.has(key) || heat.functions.size < mostKnown);
    return isKnown ? percent(sum(heat.functions.get(key)?.ticks ?? []) / all) : "";
}

function drawFunction(frame: Frame, track: Track, key: string): void {
    const { context, width, height, scale, view, palette } = frame;
    clear(frame);
    context.fillStyle = palette.line;
    context.fillRect(0, height - scale, width, scale);
    const heats = heatsOf(track, track.picture(heatPicture)?.value);
    const levelAt = (x: number): number => {
        const found = heatAt(heats, view.from + ((x + 0.5) / width) * span(view));
        if (!found) return 0;
        const { heat, column } = found;
        const own = heat.functions.get(key)?.ticks[column] ?? 0;
        return own > 0 ? Math.max(Math.round((own / heat.own[column]!) * levels), 1) : 0;
    };
    context.fillStyle = seriesColor(6, palette.dark);
    for (let x = 0, begin = 0, level = levelAt(0); x <= width; x++) {
        const next = x < width ? levelAt(x) : -1;
        if (next === level) continue;
        if (level > 0) {
            context.globalAlpha = 0.12 + (0.88 * level) / levels;
            context.fillRect(begin, scale, x - begin, height - 2 * scale);
        }
        [begin, level] = [x, next];
    }
    context.globalAlpha = 1;
}

function describeFunction(track: Track, { key, where }: HotFunction, { ns }: Point): string[] {
    const found = heatAt(heatsOf(track, track.shown(heatPicture)?.value), ns);
    if (!found || found.heat.own[found.column] === 0) return [...where, "no samples of the program here"];
    const { heat, column } = found;
    const own = heat.functions.get(key)?.ticks[column] ?? 0;
    return [...where, `${percent(own / heat.own[column]!)} of the program's time`, own === 1 ? "1 tick" : `${grouped(own)} ticks`];
}

export const heatGroup: Group = {
    id: "time_profile",
    name: "Time profile",
    isOpen: () => true,
    note(track) {
        if (track.overview?.recorded?.time_profile !== true) return null;
        const { value, progress, missing } = track.peek(heatList);
        if (missing || value?.functions.size === 0) return null;
        if (!value) return progress === null ? "" : `Reading ${percent(progress)}`;
        return "the hottest functions; color: share of the program's own time";
    },
    rows: (track): Row[] =>
        track.overview?.recorded?.time_profile !== true
            ? []
            : [...(track.list(heatList).value?.functions.values() ?? [])].map((one) => ({
                  id: one.key,
                  name: one.label,
                  title: [one.label, ...one.where].join(", "),
                  height: 16,
                  draw: (frame) => {
                      drawFunction(frame, track, one.key);
                      return shareText(track, one.key);
                  },
                  describe: (point) => describeFunction(track, one, point),
              })),
};

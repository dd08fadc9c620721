// Heap profiles under the time axis: the bands of each, stacked. The largest of the whole run have their
// colors in every view.
import { ceiling, drawAreas, drawMost, edges, sums, type Band } from "../panes/bands";
import { drawnBands, profilesOf, type Profile } from "../panes/heap_profile";
import type { Range } from "../state/range";
import { bytes, duration, grouped, percent, time, visible } from "../text";
import { listKind, pictureKind, type Picture, type Track } from "../track";
import { firstAfter } from "./order";
import { clear, drawNote, xOf, type Frame, type Group, type Point, type Row } from "./row";
import { ownThing, type Thing } from "./thing";

/** A profile with the bands that are drawn. */
interface Drawn {
    number: number;
    title: string;
    times: readonly number[];
    bands: readonly Band[];
    samplesPerPoint: number;
}

const height = 110;
const points = 512;
const sentBands = 40;

const drawnOf = (profile: Profile): Drawn => ({ ...profile, bands: drawnBands(profile) });
const keys = { bands: sentBands, points };
const bandList = listKind("heap", (answer) => profilesOf(answer).map(drawnOf), keys);
const bandPicture = pictureKind("heap", profilesOf, { keys, most: 1 });

/** The bands of the whole run, of the samples of an interval. */
function detailOf(whole: Drawn, { times, totals, bands, samplesPerPoint }: Profile): Drawn {
    const sizes = new Map(bands.map(({ label, sizes }) => [label, sizes]));
    const none = times.map(() => 0);
    const chosen = whole.bands.filter(({ isRest }) => !isRest).map(({ label }) => ({ label, sizes: sizes.get(label) ?? none }));
    return { ...whole, times, samplesPerPoint, bands: drawnBands({ bands: chosen, totals }) };
}

const details = new WeakMap<Profile, Drawn>();

/** The samples that are drawn in a view: those of the whole run or, if these are too coarse, those of the
 *  view, from the picture that `detail` returns. */
function samplesOf(whole: Drawn, view: Range, detail: () => Picture<Profile[]> | undefined): Drawn {
    if (whole.samplesPerPoint <= 1) return whole;
    const picture = detail();
    const profile = picture?.value.find(({ number }) => number === whole.number);
    if (!picture || !profile || profile.samplesPerPoint >= whole.samplesPerPoint) return whole;
    const covers = profile.times[0]! <= view.from && profile.times[profile.times.length - 1]! >= view.to;
    const reaches = picture.window.from <= view.from && picture.window.to >= view.to;
    if (!covers && !(reaches && profile.times.length > 2)) return whole;
    let drawn = details.get(profile);
    if (!drawn) details.set(profile, (drawn = detailOf(whole, profile)));
    return drawn;
}

/** The samples in view, and one on each side. */
function inView({ times, bands }: Drawn, { from, to }: Range): { times: readonly number[]; bands: readonly Band[] } {
    const first = Math.max(firstAfter(times, from, (ns) => ns) - 1, 0);
    const end = Math.min(firstAfter(times, to, (ns) => ns) + 1, times.length);
    return { times: times.slice(first, end), bands: bands.map((band) => ({ ...band, sizes: band.sizes.slice(first, end) })) };
}

const find = (track: Track, number: number): Drawn | undefined => track.peek(bandList).value?.find((one) => one.number === number);

/** The largest sum in view, of any profile and log. */
function topOf({ tracks, view }: Frame): number {
    let top = 1;
    for (const track of tracks) {
        for (const whole of track.peek(bandList).value ?? []) {
            const samples = samplesOf(whole, view, () => track.shown(bandPicture));
            for (const sum of sums(inView(samples, view))) top = Math.max(top, sum);
        }
    }
    return ceiling(top);
}

/** The scale that a row was drawn with; describe() uses it, too. */
const last = new WeakMap<Track, { top: number; view: Range }>();

const yOf = (top: number, size: number, scale: number) => (value: number) => size - (value / top) * (size - 3 * scale);

function drawProfile(frame: Frame, track: Track, number: number): string {
    const { context, width, height: size, scale, view, palette } = frame;
    clear(frame);
    const whole = find(track, number);
    if (!whole) return "";
    const samples = inView(samplesOf(whole, view, () => track.picture(bandPicture)), view);
    const top = topOf(frame);
    last.set(track, { top, view });
    const y = yOf(top, size, scale);
    context.fillStyle = palette.line;
    for (const part of [0.25, 0.5, 0.75]) context.fillRect(0, Math.round(y(top * part)), width, Math.max(scale, 1));
    context.fillRect(0, size - scale, width, scale);
    if (samples.times.length === 1) {
        drawNote(frame, "Only one sample: its duration is unknown.");
        return bytes(sums(samples)[0]!);
    }
    const axis = { x: (ns: number) => xOf(frame, ns), y, top: 0, bottom: size, most: top };
    drawAreas({ pen: context, width, dark: palette.dark, unit: scale }, { ...samples, mode: "area", band: null }, axis);
    drawMost({ pen: context, palette, unit: scale }, bytes(top));
    return "";
}

/** The band at a point, and the sample that is nearest to it. */
function sampleAt(track: Track, number: number, { ns, y }: Point): { samples: Drawn; near: number; band: Band | undefined } | null {
    const whole = find(track, number);
    const drawn = last.get(track);
    if (!whole || !drawn) return null;
    const samples = samplesOf(whole, drawn.view, () => track.shown(bandPicture));
    const { times, bands } = samples;
    const after = firstAfter(times, ns, (time) => time);
    const [before, behind] = [times[after - 1], times[after]];
    if (before === undefined || behind === undefined) return null;
    const share = (ns - before) / Math.max(behind - before, 1);
    const near = share < 0.5 ? after - 1 : after;
    const at = (edge: readonly number[]) => edge[after - 1]! + (edge[after]! - edge[after - 1]!) * share;
    const heightOf = yOf(drawn.top, height, 1);
    const index = edges({ times, bands, mode: "area" }).findIndex(({ low, high }) => y <= heightOf(at(low)) && y > heightOf(at(high)));
    return { samples, near, band: bands[index] };
}

/** Of all bands in a sample. */
const allOf = ({ bands }: Drawn, at: number): number => bands.reduce((sum, { sizes }) => sum + (sizes[at] ?? 0), 0);

/** A sample of a band; without one, of all. */
function bandThing(samples: Drawn, band: Band | undefined, at: number): Thing {
    const { times, samplesPerPoint } = samples;
    const all = allOf(samples, at);
    const sizeAt = (index: number) => (band ? (band.sizes[index] ?? 0) : allOf(samples, index));
    const ns = times[at]!;
    const name = band?.label ?? "Heap profile";
    const size = `${bytes(sizeAt(at))}${band && all > 0 ? ` (${percent(sizeAt(at) / all)})` : ""}`;
    const largest = () => times.reduce((most, _, index) => (sizeAt(index) > sizeAt(most) ? index : most), 0);
    return ownThing({
        name: `${name}: ${size} at ${time(ns, 1000)}`,
        range: { from: ns, to: ns },
        facts: [
            ["Sample", time(ns, 1000)],
            ["Size", size],
            ["All bands", bytes(all)],
            ...(samplesPerPoint > 1 ? [["Mean of", `${grouped(samplesPerPoint)} samples`] as const] : []),
        ],
        step: (way) => {
            const to = way === "longest" ? largest() : at + (way === "next" ? 1 : -1);
            return Promise.resolve(to >= 0 && to < times.length ? bandThing(samples, band, to) : null);
        },
    });
}

function describeProfile(track: Track, number: number, point: Point): string[] {
    const found = sampleAt(track, number, point);
    if (!found) return find(track, number) ? ["no sample here"] : [];
    const { samples, near, band } = found;
    const { times, samplesPerPoint } = samples;
    const { ns } = point;
    const all = allOf(samples, near);
    const size = band?.sizes[near] ?? 0;
    return [
        ...(band ? [band.label, `${bytes(size)}${all > 0 ? ` (${percent(size / all)})` : ""}`] : []),
        `all ${bytes(all)}`,
        samplesPerPoint > 1 ? `mean of ${grouped(samplesPerPoint)} samples` : `sample ${duration(Math.abs(times[near]! - ns))} ${times[near]! < ns ? "before" : "after"}`,
    ];
}

export const heapProfileGroup: Group = {
    id: "heap_profile",
    name: "Heap profile",
    isOpen: () => true,
    note(track) {
        if (track.overview?.recorded?.heap_profile !== true) return null;
        const { value, progress, missing } = track.peek(bandList);
        if (missing || value?.length === 0) return null;
        return value || progress === null ? "" : `Reading ${percent(progress)}`;
    },
    rows: (track): Row[] =>
        track.overview?.recorded?.heap_profile !== true
            ? []
            : (track.list(bandList).value ?? []).map(({ number, title, bands }) => ({
                  id: String(number),
                  name: visible(title),
                  title: `Heap profile ${title}: ${bands.length} bands`,
                  height,
                  draw: (frame) => drawProfile(frame, track, number),
                  describe: (point) => describeProfile(track, number, point),
                  thingAt: (point) => {
                      const found = sampleAt(track, number, point);
                      return found && bandThing(found.samples, found.band, found.near);
                  },
              })),
};

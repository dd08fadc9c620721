// A row for each cap; the threads that ran, where there is room for their names.
import { activities } from "../engine/protocol";
import type { ThreadLabel } from "../engine/requests";
import { duration, visible } from "../text";
import { pictureKind, type Tile, type Track } from "../track";
import { byCap, drawInstants, instantAt, instantsPicture } from "./instants";
import { firstAfter } from "./order";
import { runningShare } from "./numbers";
import { xOf, type Frame, type Point, type Row } from "./row";
import { drawShares, sharesAt } from "./shares";
import { columnThing } from "./thing";

export const threadName = ({ thread, label }: { thread: number | null; label: string | null }): string =>
    label !== null ? visible(label, 80) : thread !== null ? `thread ${thread}` : "";

/** The runs of each cap in order of time: they do not overlap. */
export const labelsPicture = pictureKind("labels", ({ labels }) => byCap(labels));

function drawLabels(frame: Frame, spans: readonly ThreadLabel[]): void {
    const { context, width, height, scale, view, palette } = frame;
    const padding = 5 * scale;
    context.font = `${11 * scale}px ${palette.font}`;
    context.textBaseline = "middle";
    for (let i = firstAfter(spans, view.from, ({ to_ns }) => to_ns); i < spans.length; i++) {
        const item = spans[i]!;
        if (item.from_ns >= view.to) break;
        const left = Math.max(xOf(frame, item.from_ns), 0);
        const right = Math.min(xOf(frame, item.to_ns), width);
        const room = right - left - 2 * padding;
        if (room < 8 * scale) continue;
        context.fillStyle = palette.edge;
        if (item.from_ns > view.from) context.fillRect(Math.round(left), 0, Math.max(Math.round(scale), 1), height);
        const texts = [threadName(item), item.thread === null ? "" : String(item.thread)];
        let text = texts.find((candidate) => candidate && context.measureText(candidate).width <= room);
        if (!text) continue;
        // The reason of the stop, where there is room for it too.
        const full = `${text} · ${visible(item.stop ?? "", 60)}`;
        if (item.stop && context.measureText(full).width <= room) text = full;
        context.fillStyle = palette.runningText;
        context.fillText(text, left + padding, height / 2 + scale);
    }
}

function runAt(track: Track, cap: number, ns: number): ThreadLabel | undefined {
    const spans = track.shown(labelsPicture)?.value.get(cap) ?? [];
    const run = spans[firstAfter(spans, ns, ({ to_ns }) => to_ns)];
    return run && run.from_ns <= ns ? run : undefined;
}

function describeRun(run: ThreadLabel | undefined): string[] {
    if (!run) return [];
    const name = threadName(run);
    const thread = run.label !== null && run.thread !== null ? `${name} (thread ${run.thread})` : name;
    return [`${thread}, ${duration(run.to_ns - run.from_ns)}`, ...(run.stop ? [visible(run.stop, 80)] : [])];
}

/** The shares of a cap, by its place among the caps. */
export const capShares =
    (index: number) =>
    ({ shares, width }: Pick<Tile, "shares" | "width">) => ({ shares, offset: index * width * activities.length });

export const capRows = (track: Track): Row[] => {
    const caps = track.overview?.caps ?? [];
    const height = caps.length <= 12 ? 28 : caps.length <= 32 ? 22 : 16;
    return caps.map((cap, index) => {
        const source = capShares(index);
        return {
            id: String(cap),
            name: `cap ${cap}`,
            height,
            cap,
            threadAt: ({ ns }: Point) => runAt(track, cap, ns)?.thread ?? null,
            choice: { kind: "cap" as const, cap },
            thingAt: ({ ns, pixel }: Point) => columnThing(`Cap ${cap}`, track.range, pixel, ns),
            draw: (frame: Frame) => {
                drawShares(frame, source);
                drawLabels(frame, track.picture(labelsPicture)?.value.get(cap) ?? []);
                drawInstants(frame, track.picture(instantsPicture)?.value.caps.get(cap) ?? []);
                return runningShare(track, (one) => one.cap === cap);
            },
            describe: (point: Point) => [
                ...instantAt(track.shown(instantsPicture)?.value.caps.get(cap) ?? [], point),
                ...sharesAt(track, point, source),
                ...describeRun(runAt(track, cap, point.ns)),
            ],
        };
    });
};

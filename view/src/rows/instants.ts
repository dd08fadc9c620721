// Events of a cap that have no duration: each is a mark whose color and shape show its kind.
import type { Instant } from "../engine/requests";
import type { Palette } from "../theme";
import { time, visible } from "../text";
import { pictureKind } from "../track";
import { firstAfter } from "./order";
import { xOf, type Frame, type Point } from "./row";

/** Items of caps, by cap, in their order. */
export function byCap<T extends { cap: number }>(items: readonly T[]): Map<number, T[]> {
    const caps = new Map<number, T[]>();
    for (const item of items) {
        const list = caps.get(item.cap);
        if (list) list.push(item);
        else caps.set(item.cap, [item]);
    }
    return caps;
}

/** By cap, in order of time; complete: there are no others. */
export const instantsPicture = pictureKind("instants", ({ instants, complete }) => ({ caps: byCap(instants), complete }));

/** Marks nearer to each other than this, on average, would hide the row. */
const leastPixels = 12;

type Shape = "down" | "up" | "diamond" | "line" | "dot";

const shapes: Record<string, { color: keyof Palette; shape: Shape; text: string }> = {
    CREATE_THREAD: { color: "created", shape: "down", text: "creates" },
    MIGRATE_THREAD: { color: "migrated", shape: "diamond", text: "migrates" },
    THREAD_WAKEUP: { color: "woken", shape: "up", text: "wakes" },
    CREATE_SPARK_THREAD: { color: "created", shape: "down", text: "creates, to evaluate sparks," },
    REQUEST_SEQ_GC: { color: "requested", shape: "line", text: "requests a collection" },
    REQUEST_PAR_GC: { color: "requested", shape: "line", text: "requests a parallel collection" },
    SPARK_CREATE: { color: "spark", shape: "dot", text: "spark created" },
    SPARK_DUD: { color: "spark", shape: "dot", text: "spark is a dud" },
    SPARK_OVERFLOW: { color: "spark", shape: "dot", text: "spark overflows" },
    SPARK_RUN: { color: "spark", shape: "dot", text: "runs a spark of its own" },
    SPARK_STEAL: { color: "spark", shape: "dot", text: "takes a spark from another cap" },
    SPARK_FIZZLE: { color: "spark", shape: "dot", text: "spark fizzles" },
    SPARK_GC: { color: "spark", shape: "dot", text: "spark is collected" },
    SHUTDOWN: { color: "requested", shape: "line", text: "shutdown" },
};

function mark({ context, height, scale, palette }: Frame, x: number, event: string): void {
    const { color, shape } = shapes[event]!;
    const size = 4 * scale;
    context.fillStyle = String(palette[color]);
    if (shape === "line") {
        context.fillRect(x - scale / 2, 0, Math.max(scale, 1), height);
        return;
    }
    const points: Record<Exclude<Shape, "line">, [number, number][]> = {
        down: [[x - size, 0], [x + size, 0], [x, size * 1.4]],
        up: [[x - size, height], [x + size, height], [x, height - size * 1.4]],
        diamond: [[x, height / 2 - size], [x + size, height / 2], [x, height / 2 + size], [x - size, height / 2]],
        dot: [[x - size / 2, height - size], [x + size / 2, height - size], [x + size / 2, height], [x - size / 2, height]],
    };
    context.beginPath();
    for (const [left, top] of points[shape]) context.lineTo(left, top);
    context.fill();
}

export function drawInstants(frame: Frame, instants: readonly Instant[]): void {
    const { view, width, scale } = frame;
    const first = firstAfter(instants, view.from - 1, ({ time_ns }) => time_ns);
    const end = firstAfter(instants, view.to, ({ time_ns }) => time_ns);
    if ((end - first) * leastPixels * scale > width) return;
    const last: Partial<Record<Shape, number>> = {};
    for (let i = first; i < end; i++) {
        const { event, time_ns: timeNs } = instants[i]!;
        const x = xOf(frame, timeNs);
        if (!Object.hasOwn(shapes, event) || x - (last[shapes[event]!.shape] ?? -Infinity) < 6 * scale) continue;
        last[shapes[event]!.shape] = x;
        mark(frame, x, event);
    }
}

/** The nearest one to a point, if it is near. */
export function instantAt(instants: readonly Instant[], { ns, pixel }: Point): string[] {
    const after = firstAfter(instants, ns, ({ time_ns }) => time_ns);
    const near = [instants[after - 1], instants[after]]
        .filter((instant) => instant !== undefined)
        .filter(({ event, time_ns: timeNs }) => Object.hasOwn(shapes, event) && Math.abs(timeNs - ns) <= 5 * pixel)
        .sort((a, b) => Math.abs(a.time_ns - ns) - Math.abs(b.time_ns - ns))[0];
    if (!near) return [];
    const { event, thread, label, other_cap: otherCap, time_ns: timeNs } = near;
    const who = thread === null ? "" : label === null ? ` thread ${thread}` : ` ${visible(label, 60)} (thread ${thread})`;
    const where = otherCap === null ? "" : event === "SPARK_STEAL" ? `: cap ${otherCap}` : ` to cap ${otherCap}`;
    return [`${shapes[event]!.text}${who}${where} at ${time(timeNs, Math.max(pixel, 1))}`];
}

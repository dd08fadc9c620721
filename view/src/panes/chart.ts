// A histogram and a curve over a logarithmic axis of time, as SVG: text and lines stay sharp, and the
// style sheet colors them. The numbers are in the tables beside them.
import { duration, grouped } from "../text";

const width = 360;
const height = 128;
const left = 34;
const base = height - 20;
/** Of a text of the pictures, at most. */
const digit = 7;
/** Half of one, about. */
const halfOf = (text: string) => text.length * 3;

function shape(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.textContent = text;
    return made;
}

function picture(label: string, parts: SVGElement[]): SVGElement {
    const made = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label });
    made.append(...parts);
    return made;
}

/** Where `value` is between the ends of a logarithmic axis. */
const scale = (from: number, to: number) => (value: number) =>
    left + ((Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from))) * (width - left - 6);

/** Powers of ten, few enough to be read. */
function decades(from: number, to: number, text: (value: number) => string): { at: number; text: string }[] {
    const first = Math.ceil(Math.log10(from) - 1e-9);
    const last = Math.floor(Math.log10(to) + 1e-9);
    const step = Math.max(Math.ceil((last - first + 1) / 6), 1);
    const made = [];
    for (let power = first; power <= last; power += step) made.push({ at: 10 ** power, text: text(10 ** power) });
    return made;
}

function axes(from: number, to: number, top: string, text: (value: number) => string): SVGElement[] {
    const x = scale(from, to);
    return [
        shape("line", { x1: left, x2: width - 6, y1: base, y2: base, class: "axis" }),
        // It may be longer than the room beside the axis.
        shape("text", { x: 0, y: 10 }, top),
        shape("text", { x: left - 4, y: base, "text-anchor": "end" }, "0"),
        ...decades(from, to, text).flatMap(({ at, text: label }) => [
            shape("line", { x1: x(at), x2: x(at), y1: base, y2: base + 3, class: "axis" }),
            shape("text", { x: Math.min(x(at), width - halfOf(label)), y: base + 15, "text-anchor": "middle" }, label),
        ]),
    ];
}

export interface Bucket {
    from: number;
    to: number;
    count: number;
}

export interface Mark {
    name: string;
    at: number | null | undefined;
}

const isFilled = ({ count }: Bucket) => count > 0;

/** `text`: of a value on the axis. `old`: those of another run, with the same edges, as an outline. */
export function histogram(label: string, list: readonly Bucket[], marks: readonly Mark[] = [], text = duration, old: readonly Bucket[] = []): SVGElement {
    const filled = list.filter(isFilled);
    const others = old.filter(isFilled);
    const ends = [filled, others].filter(({ length }) => length > 0);
    const from = Math.max(Math.min(...ends.map((some) => some[0]!.from)), 1);
    const to = Math.max(...ends.map((some) => some.at(-1)!.to), from * 10);
    const most = [...filled, ...others].reduce((max, { count }) => Math.max(max, count), 1);
    const x = scale(from, to);
    const at = (value: number) => x(Math.max(value, from));
    // A bucket of one value stays visible.
    const tallOf = ({ count }: Bucket) => Math.max((count / most) * (base - 16), 1.5);
    const parts = axes(from, to, grouped(most), text);
    for (const bucket of filled) {
        const tall = tallOf(bucket);
        const begin = at(bucket.from);
        const wide = Math.max(at(bucket.to) - begin - 0.5, 1);
        const bar = shape("rect", { x: begin, y: base - tall, width: wide, height: tall, class: "bar" });
        bar.append(shape("title", {}, `${text(bucket.from)} to ${text(bucket.to)}: ${grouped(bucket.count)}`));
        parts.push(bar);
    }
    if (others.length > 0) {
        const steps = others.map((bucket, index) => {
            const joins = others[index - 1]?.to === bucket.from;
            const top = base - tallOf(bucket);
            const down = others[index + 1]?.from === bucket.to ? "" : `V${base}`;
            return `${joins ? "" : `M${at(bucket.from)} ${base}`}V${top}H${at(bucket.to)}${down}`;
        });
        parts.push(shape("path", { d: steps.join(""), class: "old" }));
    }
    const known = marks.filter(({ at }) => typeof at === "number" && at >= from && at <= to);
    for (const { name, at } of known) {
        parts.push(
            shape("line", { x1: x(at!), x2: x(at!), y1: 14, y2: base, class: "mark" }),
            shape("text", { x: Math.max(x(at!), digit * grouped(most).length + 16), y: 10, "text-anchor": x(at!) > width - 30 ? "end" : "middle" }, name),
        );
    }
    return picture(label, parts);
}

/** `points`: x above 0, rising; y from 0 to 1. */
export function curve(label: string, points: readonly (readonly [x: number, y: number])[]): SVGElement {
    const from = Math.max(points[0]?.[0] ?? 1, 1);
    const to = Math.max(points.at(-1)?.[0] ?? 10, from * 10);
    const x = scale(from, to);
    const y = (share: number) => base - share * (base - 8);
    const path = points.map(([at, share], index) => `${index ? "L" : "M"}${x(Math.max(at, from)).toFixed(1)} ${y(share).toFixed(1)}`).join("");
    return picture(label, [
        ...axes(from, to, "100 %", duration),
        shape("line", { x1: left, x2: width - 6, y1: y(0.5), y2: y(0.5), class: "grid" }),
        shape("path", { d: path, class: "curve" }),
    ]);
}

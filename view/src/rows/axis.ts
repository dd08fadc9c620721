// The axis of time. Far from 0 and close up, its numbers count from a round time that is shown beside it.
import { span, type Range } from "../state/range";
import { duration, time } from "../text";
import type { Frame } from "./row";
import { xOf } from "./row";

/** The least of 1, 2, 5, 10 … that is not below. */
export function roundStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least;
}

export interface Axis {
    step: number;
    /** What the numbers count from. */
    base: number;
}

export function axisOf(view: Range, pixels: number): Axis {
    const step = Math.max(roundStep((span(view) * 110) / Math.max(pixels, 1)), 1);
    const large = step * 1000;
    return { step, base: view.to / step > 1e5 ? Math.floor(view.from / large) * large : 0 };
}

export function drawAxis(frame: Frame, selection: Range | null): string {
    const { context, width, height, scale, view, palette } = frame;
    const { step, base } = axisOf(view, width / scale);
    context.clearRect(0, 0, width, height);
    context.font = `${11 * scale}px ${palette.font}`;
    context.textBaseline = "middle";
    const line = Math.max(Math.round(scale), 1);
    const label = selection && selection.to > view.from && selection.from < view.to ? labelOf(frame, selection) : null;
    let written = 0;
    for (let k = Math.ceil((view.from - base) / step); base + k * step <= view.to; k++) {
        const x = Math.round(xOf(frame, base + k * step));
        context.fillStyle = palette.faint;
        context.fillRect(x, height - 6 * scale, line, 6 * scale);
        const text = `${base ? "+" : ""}${k === 0 && !base ? "0" : time(k * step, step)}`;
        const long = context.measureText(text).width;
        // At the right edge, it stands before its line.
        const left = x + 4 * scale + long <= width ? x + 4 * scale : x - 4 * scale - long;
        if (left < written || (label && left < label.right && left + long > label.left)) continue;
        context.fillText(text, left, height / 2);
        written = left + long + 4 * scale;
    }
    if (label) {
        context.fillStyle = palette.accent;
        context.fillRect(label.from, height - 3 * scale, Math.max(label.to - label.from, line), 3 * scale);
        context.beginPath();
        context.roundRect(label.left, 2 * scale, label.right - label.left, height - 7 * scale, 3 * scale);
        context.fill();
        context.fillStyle = palette.accentText;
        context.fillText(label.text, label.left + 6 * scale, (height - 3 * scale) / 2 + scale / 2);
    }
    return base ? `${time(base, step * 1000)} +` : "";
}

/** The length of the selection, over its middle: `from` and `to` are its ends, in sight. */
function labelOf(frame: Frame, selection: Range) {
    const { context, width, scale } = frame;
    const from = Math.max(xOf(frame, selection.from), 0);
    const to = Math.min(xOf(frame, selection.to), width);
    const text = duration(span(selection));
    const length = context.measureText(text).width + 12 * scale;
    const middle = Math.min(Math.max((from + to) / 2, length / 2), width - length / 2);
    return { from, to, text, left: middle - length / 2, right: middle + length / 2 };
}

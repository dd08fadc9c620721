// A line of values each of which holds until the next one. It is drawn as rectangles, at most one for each
// column of pixels: software takes many times as long to stroke a path with as many corners.
import type { Pen } from "./pen";

/** Pixels along the line that are drawn, and that are left out; they begin at `phase`. */
export interface Dash {
    on: number;
    off: number;
    phase: number;
}

export class StepLine {
    /** The rows of each column from `top` to before `bottom` are of the line. */
    private readonly top: Int32Array;
    private readonly bottom: Int32Array;
    private readonly size: number;
    private x = 0;
    private y: number | undefined;

    /** Lengths are pixels of the pen. */
    constructor(
        private readonly width: number,
        private readonly height: number,
        thickness: number,
    ) {
        this.size = Math.max(Math.round(thickness), 1);
        this.top = new Int32Array(width).fill(height);
        this.bottom = new Int32Array(width);
    }

    /** The value is `y` from `x` on; `x` is not before that of the last call. */
    to(x: number, y: number): void {
        const column = Math.round(x - this.size / 2);
        const row = Math.min(Math.max(Math.round(y - this.size / 2), 0), this.height - this.size);
        if (this.y !== undefined) {
            this.mark(this.x, column + this.size, this.y, this.y);
            this.mark(column, column + this.size, Math.min(this.y, row), Math.max(this.y, row));
        }
        this.x = column;
        this.y = row;
    }

    /** The last value holds until `x`; what follows is not known. */
    end(x: number): void {
        if (this.y !== undefined) this.mark(this.x, Math.round(x), this.y, this.y);
        this.y = undefined;
    }

    private mark(from: number, to: number, high: number, low: number): void {
        const end = Math.min(to, this.width);
        for (let x = Math.max(from, 0); x < end; x++) {
            if (high < this.top[x]!) this.top[x] = high;
            if (low + this.size > this.bottom[x]!) this.bottom[x] = low + this.size;
        }
    }

    /** With a dash, columns where the value changes are drawn in any case. */
    draw(pen: Pen, dash?: Dash): void {
        const { width, top, bottom, size } = this;
        const isDrawn = (x: number) =>
            bottom[x]! - top[x]! > size || (bottom[x]! > top[x]! && (!dash || (x + dash.phase) % (dash.on + dash.off) < dash.on));
        for (let x = 0; x < width; ) {
            let end = x + 1;
            if (isDrawn(x)) {
                while (end < width && top[end] === top[x] && bottom[end] === bottom[x] && isDrawn(end)) end++;
                pen.fillRect(x, top[x]!, end - x, bottom[x]! - top[x]!);
            }
            x = end;
        }
    }
}

// A picture in a pane: a canvas that is drawn again when its size, the theme or its content changes, and
// that can be drawn with another pen.
import { element } from "../panes/table";
import type { Palette, Theme } from "../theme";
import type { Pen } from "./pen";

/** What a picture is drawn on. Lengths are pixels of the style sheet. */
export interface Paper {
    pen: Pen;
    width: number;
    height: number;
    palette: Palette;
    dark: boolean;
}

const drawings = new WeakMap<Element, Drawing>();

export class Drawing {
    readonly canvas = element("canvas", "", "drawing");
    private scheduled = false;
    private height = 0;

    constructor(
        readonly name: string,
        private readonly theme: Theme,
        /** The height that is wanted at a width. */
        private readonly heightAt: (width: number) => number,
        private readonly paint: (paper: Paper) => void,
    ) {
        drawings.set(this.canvas, this);
        new ResizeObserver(() => this.schedule()).observe(this.canvas);
        theme.listen(() => this.schedule());
    }

    /** That of a canvas. */
    static of(canvas: Element): Drawing | undefined {
        return drawings.get(canvas);
    }

    schedule(): void {
        if (this.scheduled) return;
        this.scheduled = true;
        requestAnimationFrame(() => {
            this.scheduled = false;
            this.draw();
        });
    }

    get size(): { width: number; height: number } {
        const width = this.canvas.clientWidth;
        return { width, height: this.heightAt(width) };
    }

    /** Draws the picture with any pen. */
    drawWith(pen: Pen): void {
        const { palette, dark } = this.theme;
        this.paint({ pen, ...this.size, palette, dark });
    }

    private draw(): void {
        const { canvas } = this;
        const { width, height } = this.size;
        if (!canvas.isConnected || width === 0) return;
        if (height !== this.height) {
            this.height = height;
            canvas.style.height = `${height}px`;
        }
        const scale = devicePixelRatio;
        const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
        if (canvas.width !== columns || canvas.height !== rows) {
            canvas.width = columns;
            canvas.height = rows;
        }
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.clearRect(0, 0, width, height);
        this.drawWith(context);
    }
}

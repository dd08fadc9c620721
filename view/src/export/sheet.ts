// A sheet that a picture is put together on, for export: of pixels (PNG) or of shapes (SVG). Lengths are
// pixels of the style sheet.
import type { Pen } from "../draw/pen";
import { SvgPen, svgDocument } from "../draw/svg";

export interface Sheet {
    /** For what is not a part. */
    readonly pen: Pen;
    /** Draws a part with a pen of its own, whose origin is the part's corner; `scale` pixels of the pen are
     *  one of the style sheet. */
    part(x: number, y: number, width: number, height: number, draw: (pen: Pen, scale: number) => void): void;
    finish(): Promise<Blob>;
}

export type Format = "png" | "svg";

/** Browsers refuse larger canvases. */
const mostPixels = 16000;

class PixelSheet implements Sheet {
    private readonly canvas = document.createElement("canvas");
    private readonly scale: number;
    readonly pen: CanvasRenderingContext2D;

    constructor(width: number, height: number, background: string) {
        this.scale = Math.min(Math.max(devicePixelRatio, 2), mostPixels / Math.max(width, height));
        this.canvas.width = Math.round(width * this.scale);
        this.canvas.height = Math.round(height * this.scale);
        this.pen = this.canvas.getContext("2d") as CanvasRenderingContext2D;
        this.pen.scale(this.scale, this.scale);
        this.pen.fillStyle = background;
        this.pen.fillRect(0, 0, width, height);
    }

    part(x: number, y: number, width: number, height: number, draw: (pen: Pen, scale: number) => void): void {
        const canvas = document.createElement("canvas");
        canvas.width = Math.max(Math.round(width * this.scale), 1);
        canvas.height = Math.max(Math.round(height * this.scale), 1);
        draw(canvas.getContext("2d") as CanvasRenderingContext2D, this.scale);
        this.pen.drawImage(canvas, x, y, width, height);
    }

    finish(): Promise<Blob> {
        return new Promise((resolve, reject) => {
            this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))));
        });
    }
}

class ShapeSheet implements Sheet {
    readonly pen = new SvgPen();

    constructor(
        private readonly width: number,
        private readonly height: number,
        private readonly background: string,
    ) {}

    part(x: number, y: number, width: number, height: number, draw: (pen: Pen, scale: number) => void): void {
        this.pen.save();
        this.pen.translate(x, y);
        this.pen.beginPath();
        this.pen.rect(0, 0, width, height);
        this.pen.clip();
        draw(this.pen, 1);
        this.pen.restore();
    }

    finish(): Promise<Blob> {
        const text = svgDocument(this.width, this.height, this.background, this.pen);
        return Promise.resolve(new Blob([text], { type: "image/svg+xml" }));
    }
}

export const newSheet = (format: Format, width: number, height: number, background: string): Sheet =>
    format === "png" ? new PixelSheet(width, height, background) : new ShapeSheet(width, height, background);

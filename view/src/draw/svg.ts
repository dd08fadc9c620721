// A context that records what is drawn as SVG. Rows of shares, which are pixels on the page, become
// rectangles.
import type { Pen } from "./pen";

const escaped = (text: string): string =>
    text.replace(/[&<>"]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character]!);

/** At most two digits after the point. */
const number = (value: number): string => String(Math.round(value * 100) / 100);

/** Sets of text need a real font. */
const ruler = () => document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;

interface Style {
    fillStyle: string | CanvasGradient | CanvasPattern;
    strokeStyle: string | CanvasGradient | CanvasPattern;
    lineWidth: number;
    lineJoin: CanvasLineJoin;
    lineCap: CanvasLineCap;
    globalAlpha: number;
    font: string;
    textAlign: CanvasTextAlign;
    textBaseline: CanvasTextBaseline;
}

interface Saved {
    style: Style;
    dash: readonly number[];
    x: number;
    y: number;
    groups: number;
}

const plain: Style = {
    fillStyle: "#000000",
    strokeStyle: "#000000",
    lineWidth: 1,
    lineJoin: "miter",
    lineCap: "butt",
    globalAlpha: 1,
    font: "10px sans-serif",
    textAlign: "start",
    textBaseline: "alphabetic",
};

let clips = 0;

export class SvgPen implements Pen, Style {
    fillStyle = plain.fillStyle;
    strokeStyle = plain.strokeStyle;
    lineWidth = plain.lineWidth;
    lineJoin = plain.lineJoin;
    lineCap = plain.lineCap;
    globalAlpha = plain.globalAlpha;
    font = plain.font;
    textAlign = plain.textAlign;
    textBaseline = plain.textBaseline;

    private readonly parts: string[] = [];
    private readonly measuring = ruler();
    private path = "";
    private dash: readonly number[] = [];
    private x = 0;
    private y = 0;
    /** Groups that are open. */
    private groups = 0;
    private readonly stack: Saved[] = [];

    /** Elements of SVG. */
    get markup(): string {
        return this.parts.join("\n") + "</g>".repeat(this.groups);
    }

    // Paths

    beginPath(): void {
        this.path = "";
    }

    closePath(): void {
        this.path += "Z";
    }

    moveTo(x: number, y: number): void {
        this.path += `M${this.point(x, y)}`;
    }

    lineTo(x: number, y: number): void {
        this.path += `${this.path ? "L" : "M"}${this.point(x, y)}`;
    }

    quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
        this.path += `Q${this.point(cx, cy)} ${this.point(x, y)}`;
    }

    bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
        this.path += `C${this.point(ax, ay)} ${this.point(bx, by)} ${this.point(x, y)}`;
    }

    rect(x: number, y: number, width: number, height: number): void {
        this.path += `M${this.point(x, y)}h${number(width)}v${number(height)}h${number(-width)}Z`;
    }

    roundRect(x: number, y: number, width: number, height: number, radius = 0): void {
        const r = Math.min(radius, width / 2, height / 2);
        const corner = (dx: number, dy: number) => `a${number(r)} ${number(r)} 0 0 1 ${number(dx)} ${number(dy)}`;
        this.path +=
            `M${this.point(x + r, y)}h${number(width - 2 * r)}${corner(r, r)}v${number(height - 2 * r)}` +
            `${corner(-r, r)}h${number(2 * r - width)}${corner(-r, -r)}v${number(2 * r - height)}${corner(r, -r)}Z`;
    }

    arc(x: number, y: number, radius: number, start: number, end: number, counterclockwise = false): void {
        const at = (angle: number) => this.point(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
        const turn = Math.min(Math.abs(end - start), 2 * Math.PI);
        const sign = counterclockwise ? -1 : 1;
        // An arc of SVG has two different ends: three make a circle.
        const steps = Math.ceil((turn / (2 * Math.PI)) * 3);
        this.path += `${this.path && !this.path.endsWith("Z") ? "L" : "M"}${at(start)}`;
        for (let i = 1; i <= steps; i++) {
            this.path += `A${number(radius)} ${number(radius)} 0 0 ${counterclockwise ? 0 : 1} ${at(start + (sign * turn * i) / steps)}`;
        }
    }

    fill(): void {
        if (this.path) this.parts.push(`<path d="${this.path}" ${this.filled()}/>`);
    }

    stroke(): void {
        if (this.path) this.parts.push(`<path d="${this.path}" ${this.stroked()}/>`);
    }

    clip(): void {
        const id = `clip${++clips}`;
        this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
        this.groups++;
    }

    // Rectangles and texts

    fillRect(x: number, y: number, width: number, height: number): void {
        this.parts.push(`<rect ${this.box(x, y, width, height)} ${this.filled()}/>`);
    }

    strokeRect(x: number, y: number, width: number, height: number): void {
        this.parts.push(`<rect ${this.box(x, y, width, height)} ${this.stroked()}/>`);
    }

    /** The paper is empty. */
    clearRect(): void {}

    fillText(text: string, x: number, y: number): void {
        const [, size = "11", family = "sans-serif"] = /([\d.]+)px\s+(.*)$/.exec(this.font) ?? [];
        const bold = /\b(bold|[6-9]00)\b/.test(this.font) ? ' font-weight="600"' : "";
        const shifts: Partial<Record<CanvasTextBaseline, number>> = { top: 0.8, hanging: 0.8, middle: 0.35, bottom: -0.2 };
        const anchors: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end", end: "end" };
        const anchor = anchors[this.textAlign];
        const down = y + (shifts[this.textBaseline] ?? 0) * Number(size);
        const place = `x="${number(x + this.x)}" y="${number(down + this.y)}"`;
        this.parts.push(
            `<text ${place} font-size="${number(Number(size))}" font-family="${escaped(family)}"${bold}` +
                `${anchor ? ` text-anchor="${anchor}"` : ""} ${this.filled()}>${escaped(text)}</text>`,
        );
    }

    measureText(text: string): TextMetrics {
        this.measuring.font = this.font;
        return this.measuring.measureText(text);
    }

    // State

    setLineDash(dash: readonly number[]): void {
        this.dash = [...dash];
    }

    save(): void {
        const { fillStyle, strokeStyle, lineWidth, lineJoin, lineCap, globalAlpha, font, textAlign, textBaseline } = this;
        const style = { fillStyle, strokeStyle, lineWidth, lineJoin, lineCap, globalAlpha, font, textAlign, textBaseline };
        this.stack.push({ style, dash: this.dash, x: this.x, y: this.y, groups: this.groups });
    }

    restore(): void {
        const saved = this.stack.pop();
        if (!saved) return;
        Object.assign(this, saved.style);
        this.dash = saved.dash;
        this.x = saved.x;
        this.y = saved.y;
        this.parts.push("</g>".repeat(this.groups - saved.groups));
        this.groups = saved.groups;
    }

    translate(x: number, y: number): void {
        this.x += x;
        this.y += y;
    }

    // Pixels

    createImageData(width: number | ImageData, height?: number): ImageData {
        return typeof width === "number" ? new ImageData(width, height ?? 1) : new ImageData(width.width, width.height);
    }

    /** Equal pixels of a column are a rectangle, and so are equal columns beside each other. As on a canvas,
     *  the place is not translated; here it is, as each row has its own paper there. */
    putImageData({ data, width, height }: ImageData, left: number, top: number): void {
        const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
        const paths = new Map<number, string>();
        const same = (a: number, b: number) => {
            for (let y = 0; y < height; y++) if (pixels[y * width + a] !== pixels[y * width + b]) return false;
            return true;
        };
        for (let x = 0; x < width; ) {
            let end = x + 1;
            while (end < width && same(x, end)) end++;
            for (let y = 0; y < height; ) {
                const color = pixels[y * width + x]!;
                let below = y + 1;
                while (below < height && pixels[below * width + x] === color) below++;
                const piece = `M${this.point(left + x, top + y)}h${end - x}v${below - y}h${x - end}Z`;
                if (color >>> 24) paths.set(color, (paths.get(color) ?? "") + piece);
                y = below;
            }
            x = end;
        }
        for (const [color, path] of paths) {
            const rgb = [color & 255, (color >> 8) & 255, (color >> 16) & 255].map((part) => part.toString(16).padStart(2, "0"));
            const alpha = color >>> 24 < 255 ? ` fill-opacity="${number((color >>> 24) / 255)}"` : "";
            this.parts.push(`<path d="${path}" fill="#${rgb.join("")}"${alpha} shape-rendering="crispEdges"/>`);
        }
    }

    private point(x: number, y: number): string {
        return `${number(x + this.x)} ${number(y + this.y)}`;
    }

    private box(x: number, y: number, width: number, height: number): string {
        const left = Math.min(x, x + width) + this.x;
        const top = Math.min(y, y + height) + this.y;
        return `x="${number(left)}" y="${number(top)}" width="${number(Math.abs(width))}" height="${number(Math.abs(height))}"`;
    }

    private filled(): string {
        return `fill="${escaped(String(this.fillStyle))}"${this.opacity()}`;
    }

    private stroked(): string {
        const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.map(number).join(" ")}"` : "";
        return (
            `fill="none" stroke="${escaped(String(this.strokeStyle))}" stroke-width="${number(this.lineWidth)}" ` +
            `stroke-linejoin="${this.lineJoin}" stroke-linecap="${this.lineCap}"${dash}${this.opacity()}`
        );
    }

    private opacity(): string {
        return this.globalAlpha < 1 ? ` opacity="${number(this.globalAlpha)}"` : "";
    }
}

/** A document of SVG. */
export function svgDocument(width: number, height: number, background: string, pen: SvgPen): string {
    return (
        `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" ` +
        `viewBox="0 0 ${number(width)} ${number(height)}">\n` +
        `<rect width="100%" height="100%" fill="${escaped(background)}"/>\n${pen.markup}\n</svg>\n`
    );
}

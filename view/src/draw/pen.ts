// What pictures are drawn with: the part of a canvas' context that also exists for SVG (svg.ts), so that
// what is exported comes from the code that draws the page.

export type Pen = Pick<
    CanvasRenderingContext2D,
    | "fillStyle"
    | "strokeStyle"
    | "lineWidth"
    | "lineJoin"
    | "lineCap"
    | "globalAlpha"
    | "font"
    | "textAlign"
    | "textBaseline"
    | "beginPath"
    | "closePath"
    | "moveTo"
    | "lineTo"
    | "quadraticCurveTo"
    | "bezierCurveTo"
    | "rect"
    | "arc"
    | "fill"
    | "stroke"
    | "fillRect"
    | "strokeRect"
    | "clearRect"
    | "fillText"
    | "measureText"
    | "setLineDash"
    | "save"
    | "restore"
    | "clip"
    | "translate"
    | "createImageData"
    | "putImageData"
> & { roundRect(x: number, y: number, w: number, h: number, radii?: number): void };

/** The longest beginning of a text that fits, with an ellipsis; "" if no letter fits. */
export function fitted(pen: Pick<Pen, "measureText">, text: string, room: number): string {
    if (pen.measureText(text).width <= room) return text;
    let [fits, most] = [0, text.length];
    while (most - fits > 1) {
        const middle = (fits + most) >> 1;
        if (pen.measureText(`${text.slice(0, middle)}…`).width <= room) fits = middle;
        else most = middle;
    }
    // Not between the halves of a character.
    if (/[\ud800-\udbff]/.test(text[fits - 1] ?? "")) fits--;
    return fits > 0 ? `${text.slice(0, fits)}…` : "";
}

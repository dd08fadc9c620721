// Wheel, drag and pinch over the rows and the map of the whole run.
import type { State } from "../state/state";
import { between, moved, span, zoomed, type Range } from "../state/range";

/** Beyond this many pixels, a press is a drag. */
const dragPixels = 4;
const zoomOfWheel = 0.0022;

export interface PlotArea {
    /** Pixels of the window. */
    left: number;
    width: number;
}

interface Drag {
    id: number;
    /** Different for each drag. */
    step: number;
    x: number;
    kind: "select" | "move" | "slide";
    /** Of the window. */
    y: number;
    view: Range;
    begun: boolean;
}

export interface PointerHandlers {
    state: State;
    area(): PlotArea;
    /** The pointer is at a time, and at a height in the window; null: elsewhere. */
    hover(ns: number | null, y: number): void;
    /** A press that was no drag. */
    click(ns: number, y: number): void;
    /** The log at a height in the window is dragged by so many pixels; `isEnd`: and is let go. */
    slide(pixels: number, y: number, isEnd: boolean): void;
}

let drags = 0;

const timeAt = (x: number, area: PlotArea, view: Range): number =>
    view.from + ((x - area.left) / Math.max(area.width, 1)) * span(view);

/** Pixels of a turn of the wheel. */
function wheelPixels(delta: number, event: WheelEvent): number {
    return delta * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1);
}

export function listenToPointer(stage: HTMLElement, { state, area, hover, click, slide }: PointerHandlers): void {
    let drag: Drag | undefined;
    const touches = new Map<number, { x: number; y: number }>();
    const onPlot = (event: MouseEvent) => event.clientX >= area().left && event.clientX <= area().left + area().width;
    const onControl = (event: Event) => (event.target as Element).closest("button, input, select") !== null;
    const inMinimap = (event: Event) => (event.target as Element).id === "minimap";

    stage.addEventListener(
        "wheel",
        (event) => {
            if (!onPlot(event)) return;
            event.preventDefault();
            const { view } = state;
            const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
            if (Math.abs(sideways) > Math.abs(event.deltaY) || (event.shiftKey && sideways !== 0)) {
                state.setView(moved(view, (wheelPixels(sideways, event) / area().width) * span(view)), "wheel");
                return;
            }
            const range = inMinimap(event) ? state.bounds : view;
            // A pinch on a touchpad arrives as a wheel with ctrlKey, in smaller steps.
            const factor = Math.exp(wheelPixels(event.deltaY, event) * zoomOfWheel * (event.ctrlKey ? 4 : 1));
            state.setView(zoomed(view, timeAt(event.clientX, area(), range), factor), "wheel");
        },
        { passive: false },
    );

    stage.addEventListener("pointerdown", (event) => {
        if (!onPlot(event) || inMinimap(event) || onControl(event) || event.button > 1) return;
        if (event.pointerType === "touch") {
            touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
        } else {
            event.preventDefault();
            (stage.parentElement as HTMLElement).focus({ preventScroll: true });
        }
        stage.setPointerCapture(event.pointerId);
        const kind = event.altKey ? "slide" : event.shiftKey || event.button === 1 || event.pointerType === "touch" ? "move" : "select";
        drag = { id: event.pointerId, step: ++drags, x: event.clientX, y: event.clientY, kind, view: state.view, begun: false };
    });

    stage.addEventListener("pointermove", (event) => {
        const touch = touches.get(event.pointerId);
        if (touch && touches.size === 2) {
            pinch(event);
            return;
        }
        if (touch) touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
        if (!inMinimap(event)) hover(onPlot(event) ? timeAt(event.clientX, area(), state.view) : null, event.clientY);
        if (!drag || drag.id !== event.pointerId) return;
        if (!drag.begun && Math.abs(event.clientX - drag.x) < dragPixels) return;
        drag.begun = true;
        if (drag.kind === "slide") {
            slide(event.clientX - drag.x, drag.y, false);
        } else if (drag.kind === "move") {
            state.setView(moved(drag.view, ((drag.x - event.clientX) / area().width) * span(drag.view)), drag.step);
        } else {
            const [a, b] = [timeAt(drag.x, area(), state.view), timeAt(event.clientX, area(), state.view)];
            const range = between(a, b, state.bounds);
            state.setSelection(range.from < range.to ? range : null, drag.step);
        }
    });

    const end = (event: PointerEvent) => {
        touches.delete(event.pointerId);
        if (drag?.id !== event.pointerId) return;
        const isDone = event.type === "pointerup";
        if (drag.begun && drag.kind === "slide") slide(isDone ? event.clientX - drag.x : 0, drag.y, true);
        if (!drag.begun && isDone) {
            state.setSelection(null);
            state.cursor = Math.round(timeAt(event.clientX, area(), state.view));
            click(state.cursor, event.clientY);
        }
        drag = undefined;
    };
    stage.addEventListener("pointerup", end);
    stage.addEventListener("pointercancel", end);
    stage.addEventListener("pointerleave", () => hover(null, 0));
    addEventListener("keydown", ({ key }) => {
        if (key !== "Escape" || drag?.kind !== "slide") return;
        if (drag.begun) slide(0, drag.y, true);
        drag = undefined;
    });

    function pinch(event: PointerEvent): void {
        drag = undefined;
        const before = [...touches.values()];
        touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
        const after = [...touches.values()];
        const extent = ([a, b]: { x: number; y: number }[]) => Math.max(Math.hypot(a!.x - b!.x, a!.y - b!.y), 1);
        const middle = ([a, b]: { x: number; y: number }[]) => (a!.x + b!.x) / 2;
        const { view } = state;
        const at = timeAt(middle(before), area(), view);
        const scaled = zoomed(view, at, extent(before) / extent(after));
        state.setView(moved(scaled, ((middle(before) - middle(after)) / area().width) * span(scaled)), "pinch");
    }
}

/** The map of the whole run: a press or a drag brings the view there. */
export function listenToMinimap(canvas: HTMLElement, { state, area }: Omit<PointerHandlers, "hover" | "click" | "slide">): void {
    /** Where in the view it is held: 0 … 1 from its left edge. */
    let held: number | undefined;
    let step = 0;
    const go = (x: number) => {
        const length = span(state.view);
        const at = timeAt(x, area(), state.bounds);
        state.setView({ from: at - length * (held ?? 0.5), to: at + length * (1 - (held ?? 0.5)) }, step);
    };
    canvas.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        canvas.setPointerCapture(event.pointerId);
        step = ++drags;
        const at = (timeAt(event.clientX, area(), state.bounds) - state.view.from) / span(state.view);
        held = at >= 0 && at <= 1 ? at : 0.5;
        go(event.clientX);
    });
    canvas.addEventListener("pointermove", (event) => {
        if (held !== undefined) go(event.clientX);
    });
    const end = () => {
        held = undefined;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
}

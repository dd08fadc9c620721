// What the page shows: the range in view and the selected one, with undo and redo.
import { clamped, sameRange, type Range } from "./range";

export interface Navigation {
    view: Range;
    selection: Range | null;
}

/** What makes changes one step of undo: the same key or wheel, not long after another; or one drag, which
 *  has a number. */
export type Step = string | number;

const stepMilliseconds = 600;
const mostSteps = 500;

export class State {
    private present: Navigation = { view: { from: 0, to: 1 }, selection: null };
    private past: Navigation[] = [];
    private future: Navigation[] = [];
    private lastStep: Step | undefined;
    private lastChange = 0;
    private readonly listeners: (() => void)[] = [];
    /** The whole run. */
    bounds: Range = { from: 0, to: 1 };
    /** A point of time that was chosen: what is searched and listed begins there. */
    private point: number | null = null;
    /** The view is the whole run, and grows with it. */
    follows = true;

    get view(): Range {
        return this.present.view;
    }

    get selection(): Range | null {
        return this.present.selection;
    }

    get cursor(): number | null {
        return this.point;
    }

    set cursor(ns: number | null) {
        if (ns === this.point) return;
        this.point = ns;
        this.changed();
    }

    get canUndo(): boolean {
        return this.past.length > 0;
    }

    get canRedo(): boolean {
        return this.future.length > 0;
    }

    listen(listener: () => void): void {
        this.listeners.push(listener);
    }

    /** The run has become longer, or logs were moved. */
    setBounds(bounds: Range): void {
        this.bounds = bounds;
        this.present = { ...this.present, view: this.follows ? bounds : this.within(this.present.view) };
        this.changed();
    }

    setView(view: Range, step?: Step): void {
        this.go({ ...this.present, view: clamped(view, this.bounds) }, step);
    }

    setSelection(selection: Range | null, step?: Step): void {
        this.go({ ...this.present, selection }, step);
    }

    setBoth(view: Range, selection: Range | null): void {
        this.go({ view: clamped(view, this.bounds), selection });
    }

    undo(): void {
        this.step(this.past, this.future);
    }

    redo(): void {
        this.step(this.future, this.past);
    }

    /** Forgets everything: another run is opened. */
    reset(): void {
        this.present = { view: this.bounds, selection: null };
        this.past = [];
        this.future = [];
        this.follows = true;
        this.point = null;
        this.changed();
    }

    private go(next: Navigation, step?: Step): void {
        if (sameRange(next.view, this.present.view) && sameRange(next.selection, this.present.selection)) return;
        const now = performance.now();
        const soon = typeof step === "number" || now - this.lastChange < stepMilliseconds;
        if (step === undefined || step !== this.lastStep || !soon) {
            this.past.push(this.present);
            if (this.past.length > mostSteps) this.past.shift();
        }
        this.lastStep = step;
        this.lastChange = now;
        this.future = [];
        this.show(next);
    }

    private step(from: Navigation[], to: Navigation[]): void {
        const next = from.pop();
        if (!next) return;
        to.push(this.present);
        this.lastStep = undefined;
        this.show({ ...next, view: this.within(next.view) });
    }

    /** What is left of a view when logs were moved. */
    private within(view: Range): Range {
        return view.from < this.bounds.from || view.to > this.bounds.to ? clamped(view, this.bounds) : view;
    }

    private show(next: Navigation): void {
        this.present = next;
        this.follows = sameRange(next.view, this.bounds);
        this.changed();
    }

    private changed(): void {
        for (const listener of this.listeners) listener();
    }
}

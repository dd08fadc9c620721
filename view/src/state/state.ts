// What the page shows: the range in view and the selected one, with undo and redo.
import { clamped, sameRange, type Range } from "./range";

export interface Navigation {
    view: Range;
    selection: Range | null;
}

/** Changes within this time of each other are one step of undo: a turn of the wheel, a drag. */
const stepMilliseconds = 400;
const mostSteps = 500;

export class State {
    private present: Navigation = { view: { from: 0, to: 1 }, selection: null };
    private past: Navigation[] = [];
    private future: Navigation[] = [];
    private lastChange = -Infinity;
    private readonly listeners: (() => void)[] = [];
    /** The whole run. */
    bounds: Range = { from: 0, to: 1 };
    /** The view is the whole run, and grows with it. */
    follows = true;

    get view(): Range {
        return this.present.view;
    }

    get selection(): Range | null {
        return this.present.selection;
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

    /** The run has become longer. */
    setBounds(bounds: Range): void {
        this.bounds = bounds;
        if (this.follows) this.present = { ...this.present, view: bounds };
        this.changed();
    }

    setView(view: Range): void {
        this.go({ ...this.present, view: clamped(view, this.bounds) });
    }

    setSelection(selection: Range | null): void {
        this.go({ ...this.present, selection });
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
        this.changed();
    }

    private go(next: Navigation): void {
        if (sameRange(next.view, this.present.view) && sameRange(next.selection, this.present.selection)) return;
        const now = performance.now();
        if (now - this.lastChange > stepMilliseconds) {
            this.past.push(this.present);
            if (this.past.length > mostSteps) this.past.shift();
        }
        this.lastChange = now;
        this.future = [];
        this.show(next);
    }

    private step(from: Navigation[], to: Navigation[]): void {
        const next = from.pop();
        if (!next) return;
        to.push(this.present);
        this.lastChange = -Infinity;
        this.show(next);
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

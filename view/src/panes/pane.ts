// A pane shows what a request says about a range, and is filled anew when the range changes.
import type { Range } from "../state/range";

export interface Pane {
    readonly request: string;
    /** Throws an Error if the answer has another form. */
    show(answer: unknown, range: Range): HTMLElement[];
}

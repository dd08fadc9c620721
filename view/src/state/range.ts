// Ranges of time, in ns. A view may have bounds between two ns; a selection has not.

export interface Range {
    from: number;
    to: number;
}

/** The shortest view: single events of the fastest clock are 50 pixels apart then. */
const shortest = 20;

export const span = (range: Range): number => range.to - range.from;

export const sameRange = (a: Range | null, b: Range | null): boolean =>
    a === b || (a !== null && b !== null && a.from === b.from && a.to === b.to);

/** Scales about a point of time; `factor` above 1 shows more. */
export function zoomed(range: Range, at: number, factor: number): Range {
    return { from: at - (at - range.from) * factor, to: at + (range.to - at) * factor };
}

export function moved(range: Range, by: number): Range {
    return { from: range.from + by, to: range.to + by };
}

/** The nearest range that is not too short, not longer than `bounds`, and within them. */
export function clamped(range: Range, bounds: Range): Range {
    const most = Math.max(span(bounds), shortest);
    const length = Math.min(Math.max(span(range), shortest), most);
    const middle = (range.from + range.to) / 2;
    const wanted = span(range) === length ? range.from : middle - length / 2;
    const from = Math.min(Math.max(wanted, bounds.from), bounds.from + most - length);
    return { from, to: from + length };
}

/** Between two points in either order, in whole ns, within bounds. */
export function between(a: number, b: number, bounds: Range): Range {
    const limit = (ns: number) => Math.min(Math.max(Math.round(ns), bounds.from), bounds.to);
    return { from: limit(Math.min(a, b)), to: limit(Math.max(a, b)) };
}

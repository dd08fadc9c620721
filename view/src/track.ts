// One section of a log: what is known of it, and the pictures of it that are there.
import type { Engine } from "./engine/engine";
import { Latest } from "./engine/latest";
import {
    parseColumns,
    parseCurves,
    parseLabels,
    parseOverview,
    request,
    type Columns,
    type Curves,
    type LabelSpan,
    type Overview,
} from "./engine/protocol";
import { span, type Range } from "./state/range";

/** A range in columns of equal length, at a state of the log: what requests of pictures ask for. */
interface Window extends Range {
    width: number;
    /** ns of a pixel of the view that it was made for. */
    pixel: number;
    version: number;
}

export interface Tile extends Window, Columns {
    /** As `shares`, of all caps together. */
    mean: Uint8Array;
}

/** A part of the view beyond its edges is fetched as well, so that it can be moved. */
const margin = 0.5;
const mostColumns = 16384;
/** Lines need fewer than pixels; the engine has the whole run in about as many. */
const mostCurveColumns = 2048;
const mostTiles = 24;

export class Track {
    overview: Overview | undefined;
    tiles: Tile[] = [];
    /** The whole section. */
    whole: Tile | undefined;
    labels: { spans: LabelSpan[]; window: Window } | undefined;
    curves: { values: Curves; window: Window } | undefined;
    private version = 0;
    private window: Window | undefined;
    private readonly columnsQueue: Latest<Window, Columns>;
    private readonly wholeQueue: Latest<Window, Columns>;
    private readonly labelsQueue: Latest<Window, LabelSpan[]>;
    private readonly curvesQueue: Latest<Window, Curves>;

    constructor(
        readonly engine: Engine,
        readonly section: number,
        private readonly changed: () => void,
        private readonly failed: (message: string) => void,
    ) {
        const queue = <T>(
            name: string,
            parse: (answer: unknown) => T,
            done: (window: Window, answer: T) => void,
            most = mostColumns,
        ) =>
            new Latest<Window, T>(
                async ({ from, to, width }) => parse(await this.ask(name, { from, to, width: Math.min(width, most) })),
                (window, answer) => {
                    done(window, answer);
                    changed();
                },
                (_window, error) => failed(error.message),
            );
        this.columnsQueue = queue("columns", parseColumns, (window, columns) => {
            const tile = tileOf(window, columns);
            this.keep(tile);
            if (window.from === this.range.from && window.to === this.range.to) this.whole = tile;
            this.labelsQueue.put(window);
            this.curvesQueue.put(window);
        });
        this.wholeQueue = queue("columns", parseColumns, (window, columns) => {
            this.whole = tileOf(window, columns);
        });
        this.labelsQueue = queue("labels", parseLabels, (window, spans) => {
            this.labels = { spans, window };
        });
        const takeCurves = (window: Window, values: Curves) => {
            this.curves = { values, window };
        };
        this.curvesQueue = queue("curves", parseCurves, takeCurves, mostCurveColumns);
    }

    get range(): Range {
        return { from: this.overview?.fromNs ?? 0, to: this.overview?.toNs ?? 0 };
    }

    /** Everything that was asked for is there. */
    get settled(): boolean {
        return [this.columnsQueue, this.wholeQueue, this.labelsQueue, this.curvesQueue].every(({ idle }) => idle);
    }

    ask(name: string, keys: Record<string, string | number>): Promise<unknown> {
        return this.engine.ask(request(name, { section: this.section, ...keys }));
    }

    /** More of the log was read. */
    async update(): Promise<void> {
        try {
            this.overview = parseOverview(await this.ask("overview", {}));
        } catch (error) {
            this.failed(error instanceof Error ? error.message : String(error));
        }
        this.version++;
        this.changed();
    }

    /** Asks for what a view of `width` pixels needs and is not there. */
    want(view: Range, width: number): void {
        const { from, to } = this.range;
        if (to <= from || width < 1) return;
        const pixel = span(view) / width;
        if (!this.window || !this.serves(this.window, view, pixel)) {
            const wanted: Range = {
                from: Math.max(Math.floor(view.from - span(view) * margin), from),
                to: Math.min(Math.ceil(view.to + span(view) * margin), to),
            };
            if (wanted.to > wanted.from) {
                const columns = Math.min(Math.max(Math.round(span(wanted) / pixel), 1), mostColumns);
                this.window = { ...wanted, width: columns, pixel, version: this.version };
                this.columnsQueue.put(this.window);
            }
        }
        // The view often is the whole section.
        const whole = { from, to, width, pixel: (to - from) / width, version: this.version };
        const isWhole = (window: Window | undefined) =>
            window?.version === this.version && window.from === from && window.to === to && window.width === width;
        if (!isWhole(this.whole) && !isWhole(this.window) && this.wholeQueue.idle) this.wholeQueue.put(whole);
    }

    private serves(window: Window, view: Range, pixel: number): boolean {
        const { from, to } = this.range;
        const near = span(view) * margin * 0.2;
        return (
            window.version === this.version &&
            Math.abs(window.pixel / pixel - 1) < 1e-6 &&
            (window.from <= view.from - near || window.from <= from) &&
            (window.to >= view.to + near || window.to >= to)
        );
    }

    private keep(tile: Tile): void {
        // A picture of the same range and length is replaced: the log has grown.
        this.tiles = this.tiles.filter(
            (other) => other.version === tile.version || other.from < tile.from || other.to > tile.to,
        );
        this.tiles.push(tile);
        if (this.tiles.length > mostTiles) this.tiles.shift();
    }
}

function tileOf(window: Window, columns: Columns): Tile {
    const { width, caps, shares } = columns;
    const mean = new Uint8Array(width * 4);
    for (let x = 0; x < width * 4; x++) {
        let sum = 0;
        for (let cap = 0; cap < caps; cap++) sum += shares[cap * width * 4 + x]!;
        // What is there at all stays visible.
        mean[x] = caps > 0 ? Math.ceil(sum / caps) : 0;
    }
    return { ...window, ...columns, mean };
}

/** Where each pixel of a view is found: the number of a tile, and the column of it; -1: nowhere. */
export interface ColumnMap {
    tiles: Tile[];
    tile: Int16Array;
    column: Int32Array;
}

/** Each pixel gets the tile whose columns are nearest to it in length; the newest of equals. */
export function columnMap(candidates: readonly Tile[], view: Range, width: number): ColumnMap {
    const pixel = span(view) / width;
    const distance = (tile: Tile) => Math.abs(Math.log2(span(tile) / tile.width / pixel));
    const tiles = candidates
        .map((tile, index) => ({ tile, index }))
        .sort((a, b) => Math.round((distance(b.tile) - distance(a.tile)) * 100) || a.index - b.index)
        .map(({ tile }) => tile);
    const map = { tiles, tile: new Int16Array(width).fill(-1), column: new Int32Array(width) };
    tiles.forEach((tile, index) => {
        const first = Math.max(Math.ceil((tile.from - view.from) / pixel - 0.5), 0);
        const last = Math.min(Math.floor((tile.to - view.from) / pixel - 0.5), width - 1);
        const scale = tile.width / span(tile);
        for (let x = first; x <= last; x++) {
            const column = Math.floor((view.from + (x + 0.5) * pixel - tile.from) * scale);
            map.tile[x] = index;
            map.column[x] = Math.min(Math.max(column, 0), tile.width - 1);
        }
    });
    return map;
}

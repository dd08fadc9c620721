// One section of a log: its overview, and the pictures of it that have been received.
import type { Engine } from "./engine/engine";
import { Latest } from "./engine/latest";
import { activities, answerOf, columnsOf, errorOf, isExpected, isMissing, keysEarlier, Refused, request, type Answer, type Columns } from "./engine/protocol";
import { inSteps, type Answers, type Keys, type OverviewAnswer, type RequestName } from "./engine/requests";
import { span, type Range } from "./state/range";

/** A range in columns of equal length, at a state of the log: what requests of pictures ask for. */
export interface Window extends Range {
    /** It has all of the section: its numbers are those of the whole run. */
    whole?: boolean;
    width: number;
    /** ns of a pixel of the view that it was made for. */
    pixel: number;
    version: number;
}

export interface Tile extends Window, Columns {
    /** As `shares`, of all caps together. */
    mean: Uint8Array;
    /** It has time in which it is not known what caps did. */
    lacks: boolean;
}

/** A part of the view beyond its edges is fetched as well, so that it can be moved. */
const margin = 0.5;
const mostColumns = 16384;
/** Columns of all caps, in a picture: the engine refuses twice as many. */
const mostCells = 1 << 21;
const mostTiles = 24;

export interface List<T> {
    /** undefined: there was no answer yet. */
    value: T | undefined;
    /** It, when the log is so many ns later than its own clock. */
    at?: (later: number) => T;
    /** 0 … 1, of an answer on its way; null: none is. */
    progress: number | null;
    /** The engine cannot answer. */
    missing: boolean;
}

export interface Picture<T> {
    value: T;
    window: Window;
    /** Of the answer. */
    columns: number;
}

/** When a list was asked for. */
interface Due {
    version: number;
    /** ms. */
    askedAt: number;
    progress: number | null;
    missing: boolean;
}

/** A request on its way, or none. */
interface Pending {
    isJob: boolean;
    queue: { readonly idle: boolean };
}

interface Slot<T> extends Pending {
    queue: Latest<Window, Picture<T>>;
    newest: Picture<T> | undefined;
    asked: Window | undefined;
    askedAt: number;
    /** The engine does not have this request. */
    missing: boolean;
}

/** What some rows draw: the answers to a request about a window, and what each track has of it. */
export class PictureKind<T> {
    readonly slots = new WeakMap<Track, Slot<T>>();

    constructor(
        readonly isJob: boolean,
        readonly ask: (track: Track, window: Window) => Promise<Picture<T>>,
    ) {}
}

/** A report answers for any part with its picture of the whole. */
const ownExtent = (answer: object): { from?: number; to?: number; width?: number } => ({
    ...("from_ns" in answer && typeof answer.from_ns === "number" ? { from: answer.from_ns } : {}),
    ...("to_ns" in answer && typeof answer.to_ns === "number" ? { to: answer.to_ns } : {}),
    ...("width" in answer && typeof answer.width === "number" ? { width: answer.width } : {}),
});

/** `most`: columns; `keys`: further ones of the request. */
export function pictureKind<N extends RequestName, T>(
    name: N,
    parse: (answer: Answers[N]) => T,
    { most = mostColumns, keys }: { most?: number; keys?: Keys[N] } = {},
): PictureKind<T> {
    return new PictureKind(inSteps.has(name), async (track, window) => {
        const asked = { from: window.from, to: window.to, width: Math.min(window.width, most) };
        const answer = await track.ask(name, { ...asked, ...keys } as Keys[N]);
        const { from, to, width } = ownExtent(answer);
        const own = from !== undefined && to !== undefined ? { from, to } : {};
        return { value: parse(answer), window: { ...window, ...own }, columns: width ?? asked.width };
    });
}

/** What stands beside rows: the answers to a request about exactly what is in view; undefined: there is none. */
export const numbersKind = <N extends RequestName, T>(name: N, parse: (answer: Answers[N]) => T, keys: Keys[N] = {} as Keys[N]): PictureKind<T | undefined> =>
    new PictureKind(true, async (track, window) => {
        const { from, to, whole } = window;
        const picture = { window, columns: 1 };
        try {
            const answer = await track.ask(name, { ...(whole ? {} : { from, to }), ...keys } as Keys[N]);
            // A report answers some requests for any part with the whole.
            const own = ownExtent(answer);
            // A section may end in view.
            const end = Math.min(to, track.range.to);
            const isOther = !whole && own.from !== undefined && (own.from !== from || Math.min(own.to ?? end, track.range.to) !== end);
            return { ...picture, value: isOther ? undefined : parse(answer) };
        } catch (error) {
            if (!isExpected(errorOf(error))) throw error;
            return { ...picture, value: undefined };
        }
    });

/** What rows there are: the answers to a request about the whole section, and those of each track. */
export class ListKind<T> {
    readonly lists = new WeakMap<Track, List<T> & Due>();

    /** Resolves to the list when the log is so many ns later than its own clock. */
    constructor(readonly ask: (track: Track, progress: (share: number) => void) => Promise<(later: number) => T>) {}
}

export const listKind = <N extends RequestName, T>(name: N, parse: (answer: Answers[N]) => T, keys: Keys[N] = {} as Keys[N]): ListKind<T> =>
    new ListKind(async (track, progress) => {
        const answer = await track.ask(name, keys, { progress });
        return (later) => parse(later === track.later ? answer : answerOf(name, answer as Answer, later - track.later));
    });

/** Lists of a log that grows are asked for again this often. */
const growingMilliseconds = 2000;

/** How far a list is on its way is shown this often. */
const progressMilliseconds = 250;

/** Numbers are asked for when the view has rested for this long. */
const restMilliseconds = 120;

/** While a log is read, pictures of rows are asked for this often: they slow down reading. */
const readingMilliseconds = 1000;

export class Track {
    overview: OverviewAnswer | undefined;
    /** The overview as the engine gave it. */
    private extent: Answer | undefined;
    tiles: Tile[] = [];
    /** There is time in which it is not known what threads did. */
    threadsLack = false;
    /** The whole section. */
    whole: Tile | undefined;
    private version = 0;
    private window: Window | undefined;
    /** Of the newest columns: what rows ask for. */
    present: Window | undefined;
    /** What is in view, in whole ns; and, once the view rests, what numbers are asked for. */
    private sought: Window | undefined;
    private exact: Window | undefined;
    private rest: ReturnType<typeof setTimeout> | undefined;
    private readonly others: (() => boolean)[] = [];
    private readonly columnsQueue: Latest<Window, Columns>;
    private readonly wholeQueue: Latest<Window, Columns>;
    private readonly slots: Pending[] = [];
    private readonly lists: Due[] = [];
    /** Each gives a list to a track with other times. */
    private readonly carriers: ((track: Track) => void)[] = [];
    private reminder: ReturnType<typeof setTimeout> | undefined;
    /** Changes with the answers that decide which rows there are. */
    private generation = 0;
    /** Changes with whatever rows are drawn from. */
    revision = 0;
    /** Changes with the progress of lists. */
    steps = 0;
    /** ms: when bytes of the log came last. */
    grownAt = -Infinity;

    /** `later`: ns by which all times here, and of answers, are later than the log's own, so that logs can be
     *  aligned. */
    constructor(
        readonly engine: Engine,
        readonly section: number,
        readonly later: number,
        private readonly schedule: () => void,
        private readonly report: (track: Track, message: string) => void,
    ) {
        const queue = (done: (window: Window, answer: Columns) => void) =>
            new Latest<Window, Columns>(
                async ({ from, to, width }) => columnsOf(await this.ask("columns", { from, to, width })),
                (window, answer) => {
                    done(window, answer);
                    this.changed();
                },
                (_window, error) => this.fail(error.message),
            );
        this.columnsQueue = queue((window, columns) => {
            const tile = tileOf(window, this.hasThreads ? columns : withoutIdle(columns));
            this.keep(tile);
            this.present = window;
            if (window.from === this.range.from && window.to === this.range.to) this.whole = tile;
        });
        this.wholeQueue = queue((window, columns) => {
            this.whole = tileOf(window, this.hasThreads ? columns : withoutIdle(columns));
        });
    }

    /** Differs whenever there may be other rows than before. */
    get shape(): string {
        const { caps, program, pid, complete, waiting } = this.overview ?? {};
        const name = `${this.engine.name}/${this.section}/${program}/${pid}`;
        const due = this.lists.filter((list) => this.isDue(list)).length;
        return `${name}:${caps?.join() ?? ""}/${complete}/${this.hasEvents}/${waiting}/${this.generation}/${due}`;
    }

    /** What rows there are: the newest answer, which is asked for once the log was read. */
    list<T>(kind: ListKind<T>): List<T> {
        let list = kind.lists.get(this);
        if (!list) {
            list = { value: undefined, progress: null, missing: false, version: -1, askedAt: -Infinity };
            this.add(kind, list);
        }
        if (this.isDue(list)) {
            list.version = this.version;
            list.progress = 0;
            void this.fill(kind, list);
        }
        return list;
    }

    private add<T>(kind: ListKind<T>, list: List<T> & Due): void {
        kind.lists.set(this, list);
        this.lists.push(list);
        this.carriers.push((track) => {
            const isNew = list.progress === null && list.version === this.version;
            track.add(kind, { ...list, value: list.at?.(track.later), version: isNew ? track.version : -1, askedAt: -Infinity, progress: null });
        });
    }

    /** As `list`, without asking. */
    peek<T>(kind: ListKind<T>): List<T> {
        return kind.lists.get(this) ?? { value: undefined, progress: null, missing: false };
    }

    /** The log has grown since it was asked for. */
    private isOld({ version, progress, missing }: Due): boolean {
        return this.overview?.complete === true && this.hasEvents && version !== this.version && progress === null && !missing;
    }

    private isDue(list: Due): boolean {
        return this.isOld(list) && performance.now() - list.askedAt >= growingMilliseconds;
    }

    /** Draws when the next list is due: a log that no longer grows draws nothing by itself. */
    private remind(): void {
        const due = this.lists
            .filter((list) => this.isOld(list) && !this.isDue(list))
            .map(({ askedAt }) => askedAt + growingMilliseconds);
        clearTimeout(this.reminder);
        if (due.length > 0) this.reminder = setTimeout(() => (this.changed(), this.remind()), Math.min(...due) - performance.now() + 1);
    }

    private async fill<T>(kind: ListKind<T>, list: List<T> & Due): Promise<void> {
        let shownAt = performance.now();
        const progress = (share: number) => {
            list.progress = share;
            if (performance.now() - shownAt < progressMilliseconds) return;
            shownAt = performance.now();
            this.steps++;
            this.schedule();
        };
        try {
            list.at = await kind.ask(this, progress);
            list.value = list.at(this.later);
        } catch (error) {
            list.missing = isMissing(errorOf(error));
            if (!list.missing) this.fail(errorOf(error).message);
        }
        list.progress = null;
        list.askedAt = performance.now();
        this.generation++;
        this.changed();
        this.remind();
    }

    /** What a row draws: the newest answer of a kind. Asks for that of the present view, if there are
     *  columns of it: rows that are not in sight are not drawn, and ask for nothing. */
    picture<T>(kind: PictureKind<T>): Picture<T> | undefined {
        return this.answerFor(kind, this.present);
    }

    /** What is known of exactly the present view. */
    numbers<T>(kind: PictureKind<T>): T | undefined {
        const newest = this.answerFor(kind, this.exact);
        return newest && this.isInView(newest.window) ? newest.value : undefined;
    }

    /** That of the numbers of the present view, once it rests. */
    get numbersWindow(): Window | undefined {
        return this.exact;
    }

    /** Are numbers of a window those of the present view? */
    isInView(window: Window): boolean {
        return this.sought !== undefined && isSameView(window, this.sought);
    }

    private answerFor<T>(kind: PictureKind<T>, window: Window | undefined): Picture<T> | undefined {
        let slot = kind.slots.get(this);
        if (!slot) {
            slot = this.makeSlot(kind);
            kind.slots.set(this, slot);
            this.slots.push(slot);
        }
        const now = performance.now();
        const due = this.overview?.complete || now - slot.askedAt > readingMilliseconds;
        if (window && slot.asked !== window && !slot.missing && due) {
            slot.asked = window;
            slot.askedAt = now;
            slot.queue.put(window);
        }
        return slot.newest;
    }

    /** ns of the columns of a picture of the present view; 0: it is of another one, and the next is on its way. */
    stepOf({ window, columns }: Picture<unknown>): number {
        const isPresent = window.version === this.version && window.pixel === this.present?.pixel;
        return isPresent ? span(window) / Math.max(columns, 1) : 0;
    }

    /** ns: what is drawn from sums over slots of time is no finer in the present view; 0: it is exact. */
    get slot(): number {
        return this.tiles.at(-1)?.slot ?? 0;
    }

    /** As `picture`, without asking. */
    shown<T>(kind: PictureKind<T>): Picture<T> | undefined {
        return kind.slots.get(this)?.newest;
    }

    /** False: the engine does not have this request. */
    has<T>(kind: PictureKind<T>): boolean {
        return !kind.slots.get(this)?.missing;
    }

    private makeSlot<T>(kind: PictureKind<T>): Slot<T> {
        const slot: Slot<T> = {
            isJob: kind.isJob,
            queue: new Latest<Window, Picture<T>>(
                (window) => kind.ask(this, window),
                (_window, picture) => {
                    slot.newest = picture;
                    this.changed();
                },
                (_window, error) => {
                    slot.missing = isMissing(error);
                    if (slot.missing) this.generation++;
                    else this.fail(error.message);
                    this.changed();
                },
            ),
            newest: undefined,
            asked: undefined,
            askedAt: -Infinity,
            missing: false,
        };
        return slot;
    }

    get range(): Range {
        return { from: this.overview?.from_ns ?? 0, to: Math.max(this.overview?.to_ns ?? 0, this.overview?.from_ns ?? 0) };
    }

    /** False: all of the log was read, and it does not have what threads did. */
    get hasThreads(): boolean {
        return this.overview?.complete !== true || this.overview.recorded?.threads !== false;
    }

    get hasEvents(): boolean {
        return typeof this.overview?.from_ns === "number";
    }

    /** Everything that was asked for is there. */
    get settled(): boolean {
        const pictures = this.slots.filter(({ isJob }) => !isJob).map(({ queue }) => queue);
        return [this.columnsQueue, this.wholeQueue, ...pictures].every(({ idle }) => idle);
    }

    /** Adds a function that says whether requests made elsewhere are pending. */
    busy(waits: () => boolean): void {
        this.others.push(waits);
    }

    /** No request is pending, not even a long one. */
    get quiet(): boolean {
        return this.settled && this.rest === undefined && this.slots.every(({ queue }) => queue.idle) && !this.others.some((waits) => waits()) && this.lists.every(({ progress }) => progress === null);
    }

    /** What rows are drawn from has changed. */
    changed(): void {
        this.revision++;
        this.schedule();
    }

    fail(message: string): void {
        this.report(this, message);
    }

    /** The same section, with other times: it has the same rows, which are drawn anew. */
    moved(later: number): Track {
        const track = new Track(this.engine, this.section, later, this.schedule, this.report);
        track.grownAt = this.grownAt;
        track.take(this.extent);
        for (const carry of this.carriers) carry(track);
        return track;
    }

    private take(extent: Answer | undefined): void {
        this.extent = extent;
        if (extent !== undefined) this.overview = answerOf("overview", extent, this.later);
    }

    /** All columns that are there. */
    get candidates(): readonly Tile[] {
        return this.whole ? [this.whole, ...this.tiles] : this.tiles;
    }

    /** Long work reports its progress, and stops when `signal` is aborted: see Engine. */
    async ask<N extends RequestName>(
        name: N,
        keys: Keys[N],
        { progress = () => undefined, signal }: { progress?: (share: number) => void; signal?: AbortSignal } = {},
    ): Promise<Answers[N]> {
        const own = keysEarlier(keys, this.later);
        // An engine takes no times before its clock begins.
        if (own === null) throw new Refused("there are no events in this interval", "no_events");
        const line = request(name, { section: this.section, ...own });
        return answerOf(name, await (inSteps.has(name) ? this.engine.job(line, progress, signal) : this.engine.ask(line)), this.later);
    }

    /** More of the log was read. */
    async update(): Promise<void> {
        try {
            const before = this.overview?.read_bytes;
            this.take(await this.engine.ask(request("overview", { section: this.section })));
            if (this.overview?.read_bytes !== before) this.grownAt = performance.now();
        } catch (error) {
            this.fail(errorOf(error).message);
        }
        this.version++;
        this.threadsLack = false;
        this.changed();
        this.remind();
    }

    /** There is time in which it is not known what caps or threads did. */
    get lacks(): boolean {
        return this.threadsLack || this.candidates.some(({ lacks }) => lacks);
    }

    /** Asks for what a view of `width` pixels needs and is not there. */
    want(view: Range, width: number): void {
        const { from, to } = this.range;
        if (to <= from || width < 1) return;
        const pixel = span(view) / width;
        this.seek(view, pixel);
        if (!this.window || !this.serves(this.window, view, pixel)) {
            const wanted: Range = {
                from: Math.max(Math.floor(view.from - span(view) * margin), from),
                to: Math.min(Math.ceil(view.to + span(view) * margin), to),
            };
            if (wanted.to > wanted.from) {
                this.window = { ...wanted, width: this.widthOf(span(wanted) / pixel), pixel, version: this.version };
                this.columnsQueue.put(this.window);
            }
        }
        // The view often is the whole section.
        const whole = { from, to, width: this.widthOf(width), pixel: (to - from) / width, version: this.version };
        const isWhole = (window: Window | undefined) =>
            window?.version === this.version && window.from === from && window.to === to && window.width === whole.width;
        if (!isWhole(this.whole) && !isWhole(this.window) && this.wholeQueue.idle) this.wholeQueue.put(whole);
    }

    /** As many columns as pixels, or fewer and coarser ones. */
    private widthOf(pixels: number): number {
        const most = Math.min(mostColumns, Math.floor(mostCells / Math.max(this.overview?.caps?.length ?? 0, 1)));
        return Math.max(Math.min(Math.round(pixels), most), 1);
    }

    /** Asks for numbers of a view when it rests; of a log that grows, from time to time. */
    private seek(view: Range, pixel: number): void {
        const { from, to } = this.range;
        const whole = view.from <= from && view.to >= to;
        const { version } = this;
        // The log's clock begins at `later`.
        const wanted = { from: Math.max(Math.floor(view.from), this.later), to: Math.ceil(view.to), whole, width: 1, pixel, version };
        const isSame = this.sought !== undefined && isSameView(wanted, this.sought);
        if (isSame && (this.rest !== undefined || this.exact?.version === version)) return;
        clearTimeout(this.rest);
        this.rest = undefined;
        this.sought = wanted;
        this.exact = isSame ? this.exact : undefined;
        // Nothing of the section is in view.
        if (wanted.to <= from || wanted.from > to) return;
        const wait = isSame && !this.overview?.complete ? readingMilliseconds : restMilliseconds;
        this.rest = setTimeout(() => {
            this.rest = undefined;
            this.exact = { ...wanted, version: this.version };
            this.changed();
        }, wait);
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

const isSameView = (a: Window, b: Window): boolean => (a.whole === true && b.whole === true) || (a.from === b.from && a.to === b.to && a.whole === b.whole);

/** The rest of all time is not idle, but not known. */
function withoutIdle(columns: Columns): Columns {
    const shares = columns.shares.slice();
    const kinds = activities.length;
    const unknown = activities.indexOf("unknown");
    for (let at = 0; at < shares.length; at += kinds) {
        let rest = 255;
        for (let kind = 0; kind < kinds; kind++) if (kind !== unknown) rest -= shares[at + kind]!;
        shares[at + unknown] = Math.max(rest, 0);
    }
    return { ...columns, shares };
}

function tileOf(window: Window, columns: Columns): Tile {
    const { width, caps, shares } = columns;
    const size = width * activities.length;
    const mean = new Uint8Array(size);
    for (let x = 0; x < size; x++) {
        let sum = 0;
        for (let cap = 0; cap < caps; cap++) sum += shares[cap * size + x]!;
        // A share that is not 0 stays visible.
        mean[x] = caps > 0 ? Math.ceil(sum / caps) : 0;
    }
    return { ...window, ...columns, mean, lacks: mean.some((share, index) => share > 0 && index % activities.length === activities.indexOf("unknown")) };
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

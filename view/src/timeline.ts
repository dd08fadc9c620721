// The rows and their time axis: draws the rows in sight, and describes what is under the pointer.
import type { Engine } from "./engine/engine";
import { RowElements, type Line } from "./rows/elements";
import type { Pen } from "./draw/pen";
import type { PicturePart } from "./export/picture";
import { drawAxis, axisOf } from "./rows/axis";
import { inSight, itemAt, layOut, stuckItems, titleKey, type Item, type Layout } from "./rows/layout";
import { Links, type LinksFrame } from "./rows/links";
import { Minimap } from "./rows/minimap";
import { xOf, type Frame, type Group, type Point, type Row } from "./rows/row";
import type { PlotArea } from "./input/pointer";
import { element } from "./panes/table";
import type { Marks } from "./search";
import type { Arrangement } from "./state/arrangement";
import type { Bookmark } from "./state/notes";
import type { State } from "./state/state";
import { sameRange, span, type Range } from "./state/range";
import type { Theme } from "./theme";
import { duration, time, visible } from "./text";
import { columnMap, type ColumnMap, type Track } from "./track";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** While the view moves, texts follow it this often. */
const textMilliseconds = 150;

interface Pointer {
    ns: number;
    /** Pixels of the window. */
    y: number;
}

/** A row, and a point in it. */
export interface Place {
    item: Item & { row: Row };
    point: Point;
    /** What led to the wait of a thread there is being asked for. */
    isExplained: boolean;
}

/** What pictures are drawn from, as far as it may change. */
type Input = object | string | number | boolean | null | undefined;

export class Timeline {
    readonly element = byId("timeline");
    readonly stage = byId("stage");
    readonly minimap = byId<HTMLCanvasElement>("minimap");
    private readonly axis = byId<HTMLCanvasElement>("axis");
    private readonly base = byId("base");
    private readonly list = byId("rows");
    private readonly selection = byId("selection");
    private readonly cursor = byId("cursor");
    private readonly overMarks = byId("marks");
    private readonly status = byId("status");
    private readonly unknownKey = byId("unknown-key");
    private readonly arrows = byId<HTMLCanvasElement>("arrows");
    private readonly chain = byId("chain");
    private shownChain: readonly string[] = [];
    private readonly chosenBox = byId("chosen");
    private readonly links = new Links(() => this.schedule());
    private readonly map = new Minimap();
    private readonly elements: RowElements;
    /** What each canvas was drawn from. */
    private readonly inputs = new WeakMap<HTMLCanvasElement, readonly Input[]>();
    /** That of the last picture. */
    private view: Range = { from: 0, to: 0 };
    private textsAt = -Infinity;
    private steps = 0;
    private layout: Layout = { items: [], height: 0, pinned: [] };
    /** Pinned items that are away from their places, in the last picture. */
    private stuck: readonly Item[] = [];
    /** Where a group is dragged to. */
    private readonly dropLine = element("div", "", "drop");
    private shape = "";
    private tracks: readonly Track[] = [];
    private scheduled = false;
    private pointer: Pointer | null = null;
    /** Groups that are not as they are at first: folded, or unfolded. */
    private toggled: ReadonlySet<string> = new Set();
    /** The groups that are unfolded at first; null: as each group has it. */
    opened: readonly string[] | null = null;
    /** Marked in the map: matches of the search, and bookmarks; these also over the rows. */
    marks: readonly Marks[] = [];
    bookmarks: readonly Bookmark[] = [];
    /** A log that is being dragged, by so many pixels of the style sheet. */
    private slid: { engine: Engine; pixels: number } | null = null;
    /** Where the thing is that was chosen. */
    chosen: { key: string; range: Range } | null = null;
    /** Called after a picture was drawn, with its texts. */
    drawn: () => void = () => undefined;
    /** Called after a group was folded or unfolded. */
    folded: () => void = () => undefined;

    constructor(
        private readonly state: State,
        private readonly theme: Theme,
        private readonly groups: readonly Group[],
        private readonly arrangement: Arrangement,
    ) {
        this.elements = new RowElements({
            list: this.list,
            titleOf: ({ track }) => titleOf(track),
            toggle: (item) => this.toggle(item.group?.id ?? item.key),
            changed: () => this.layOutAgain(),
            move: (item, y, isEnd) => this.moveGroup(item, y, isEnd),
            pin: (place) => void arrangement.pin(place, !arrangement.isPinned(place)),
            isPinned: (place) => arrangement.isPinned(place),
            palette: () => theme.palette,
        });
        new ResizeObserver(() => this.schedule()).observe(this.element);
        this.element.addEventListener("scroll", () => this.schedule(), { passive: true });
        theme.listen(() => {
            this.elements.clear();
            this.layOutAgain();
        });
    }

    get area(): PlotArea {
        const { left, width } = this.axis.getBoundingClientRect();
        return { left, width };
    }

    /** Pixels of the canvas that a view is drawn in. */
    get width(): number {
        return Math.round(this.axis.clientWidth * devicePixelRatio);
    }

    /** As the address has them. */
    get folds(): readonly string[] {
        return [...this.toggled];
    }

    set folds(ids: readonly string[]) {
        this.toggled = new Set(ids);
        this.layOutAgain();
    }

    setTracks(tracks: readonly Track[]): void {
        this.tracks = tracks;
        this.elements.clear();
        this.layOutAgain();
    }

    /** There may be other rows than before. */
    layOutAgain(): void {
        this.shape = "";
        this.schedule();
    }

    schedule(): void {
        if (this.scheduled) return;
        this.scheduled = true;
        requestAnimationFrame(() => {
            this.scheduled = false;
            this.draw();
        });
    }

    /** `y`: pixels of the window. */
    hover(ns: number | null, y: number): void {
        this.pointer = ns === null ? null : { ns, y };
        this.schedule();
    }

    /** Draws a log elsewhere while it is dragged; 0: at its place. */
    slide(engine: Engine, pixels: number): void {
        this.slid = pixels === 0 ? null : { engine, pixels };
        this.schedule();
    }

    /** `y`: pixels of the window. */
    trackAt(y: number): Track | undefined {
        return this.itemAt(y - this.list.getBoundingClientRect().top)?.track;
    }

    private itemAt(y: number): Item | undefined {
        return this.stuck.find(({ top, height }) => y >= top && y < top + height) ?? itemAt(this.layout, y);
    }

    /** Of the rows, what pinned ones cover. */
    private get covered(): number {
        return this.stuck.reduce((most, { top, height }) => Math.max(most, top + height - this.element.scrollTop), 0);
    }

    /** Shows where a group would be, or moves it there. `y`: pixels of the window; null: nowhere. */
    private moveGroup({ group, track }: Item, y: number | null, isEnd: boolean): boolean {
        const at = (y ?? 0) - this.list.getBoundingClientRect().top;
        const others = this.layout.items.filter((item) => item.group && item.track === track && this.groups.includes(item.group));
        const next = others.findIndex(({ top, height }) => at < top + height / 2);
        const before = others[next] ?? others.at(-1)!;
        const isLast = next < 0;
        this.dropLine.remove();
        if (isEnd && y !== null) {
            const { order } = this.arrangement;
            const from = order.indexOf(group!.id);
            const to = order.indexOf(before.group!.id) + (isLast ? 1 : 0);
            this.arrangement.move(group!.id, to > from ? to - 1 - from : to - from);
        } else if (!isEnd && y !== null) {
            const end = this.layout.items.filter((item) => item.track === track).at(-1)!;
            this.dropLine.style.transform = `translateY(${isLast ? end.top + end.height : before.top - 2}px)`;
            this.list.prepend(this.dropLine);
        }
        return true;
    }

    /** Shows what led to the wait of the thread at a point; with null, no longer. Returns the row there, and the
     *  point in it. */
    click(ns: number | null, y: number): Place | null {
        const origin = this.list.getBoundingClientRect().top;
        const item = ns === null ? undefined : this.itemAt(y - origin);
        const point = { ns: ns ?? 0, pixel: this.pixel, y: y - origin - (item?.top ?? 0) };
        const thread = item?.row?.threadAt?.({ ...point, pixel: 1 }) ?? null;
        void this.links.click(item?.track, thread, point.ns);
        return item?.row ? { item: { ...item, row: item.row }, point, isExplained: thread !== null } : null;
    }

    /** Shows what led to the state of a thread at a time. */
    explain(track: Track | undefined, thread: number | null, ns: number): void {
        void this.links.click(track, thread, ns);
    }

    /** ns of a pixel of the style sheet. */
    get pixel(): number {
        return span(this.state.view) / Math.max(this.axis.clientWidth, 1);
    }

    /** The rows in which something can be chosen; the first of them that is in sight comes first. */
    get places(): Place["item"][] {
        this.layOut();
        const top = this.element.scrollTop;
        const items = this.layout.items.flatMap((item) => (item.row?.choice || item.row?.thingAt ? [{ ...item, row: item.row }] : []));
        const first = Math.max(items.findIndex((item) => item.top + item.height > top), 0);
        return [...items.slice(first), ...items.slice(0, first)];
    }

    /** Scrolls so that a row is in sight. */
    scrollTo(key: string): void {
        const item = this.layout.items.find((one) => one.key === key);
        if (!item) return;
        const room = this.element.clientHeight - this.axis.getBoundingClientRect().bottom + this.element.getBoundingClientRect().top;
        const { scrollTop } = this.element;
        if (item.top < scrollTop + this.covered) this.element.scrollTop = item.top - this.covered;
        else if (item.top + item.height > scrollTop + room) this.element.scrollTop = item.top + item.height - room + 8;
    }

    /** Opens groups of a track, and scrolls to the first of them that it has. */
    reveal(track: Track, ids: readonly string[]): void {
        const isFolded = (id: string) => this.layout.items.some((item) => item.track === track && (item.group?.id ?? item.key) === id && item.isOpen === false);
        for (const id of ids) if (this.arrangement.isHidden(id)) this.arrangement.hide(id, false);
        const title = titleKey(this.tracks.indexOf(track) + 1);
        for (const id of [title, ...ids]) {
            this.layOut();
            if (isFolded(id)) this.toggle(id);
        }
        this.layOut();
        const found = ids.map((id) => this.layout.items.find((item) => item.track === track && item.group?.id === id)).find((item) => item);
        if (found) this.element.scrollTop = found.top;
    }

    /** Folds all groups but these. */
    only(ids: readonly string[]): void {
        const named = this.groups.filter(({ name }) => name).map(({ id }) => id);
        const others = [...this.toggled].filter((id) => !named.includes(id));
        this.toggled = new Set([...others, ...named.filter((id) => ids.includes(id) !== (this.opened ?? []).includes(id))]);
        this.layOutAgain();
        this.folded();
    }

    private isOpen(id: string, byDefault: boolean): boolean {
        const isNamed = this.groups.some((group) => group.id === id && group.name);
        return (this.opened && isNamed ? this.opened.includes(id) : byDefault) !== this.toggled.has(id);
    }

    private toggle(id: string): void {
        const toggled = new Set(this.toggled);
        if (!toggled.delete(id)) toggled.add(id);
        this.toggled = toggled;
        this.layOutAgain();
        this.folded();
    }

    /** Finds the places of rows anew if there are other rows than before. */
    private layOut(): void {
        const shape = this.tracks.map(({ shape }) => shape).join("|");
        if (shape === this.shape) return;
        this.shape = shape;
        this.layout = layOut({
            tracks: this.tracks,
            groups: this.arrangement.order.flatMap((id) => this.groups.filter((group) => group.id === id && !this.arrangement.isHidden(id))),
            pinned: this.arrangement.arranged.pinned,
            isOpen: (id, byDefault) => this.isOpen(id, byDefault),
        });
        this.elements.setLayout(this.layout);
    }

    private draw(): void {
        if (this.tracks.length === 0) return;
        this.layOut();
        const { view, bounds, selection } = this.state;
        const width = this.width;
        if (width === 0) return;
        for (const track of this.tracks) track.want(view, width);
        const maps = new Map<Track, ColumnMap>();
        const mapOf = (track: Track): ColumnMap => {
            let map = maps.get(track);
            if (!map) maps.set(track, (map = columnMap(track.candidates, view, width)));
            return map;
        };
        const none: ColumnMap = { tiles: [], tile: new Int16Array(0), column: new Int32Array(0) };
        // Everything is measured before anything is changed: else each change costs a layout.
        const area = this.area;
        const heights = { minimap: this.minimap.clientHeight, axis: this.axis.clientHeight };
        const origin = this.list.getBoundingClientRect().top;
        const sight = this.element.getBoundingClientRect();
        const stageTop = this.stage.getBoundingClientRect().top;
        const [first, end] = inSight(this.layout, sight.top - origin, sight.bottom - origin);
        const below = this.axis.getBoundingClientRect().bottom;
        this.stuck = stuckItems(this.layout, below - origin, sight.bottom - below);
        const stuck = new Set(this.stuck.map(({ key }) => key));
        const items = [...this.stuck, ...this.layout.items.slice(first, end).filter(({ key }) => !stuck.has(key))];
        const withTexts = this.textsAreDue(view);
        const lines = this.elements.show(items, end);
        const revision = this.tracks.reduce((sum, track) => sum + track.revision, 0);
        const steps = this.tracks.reduce((sum, track) => sum + track.steps, 0);
        if (steps !== this.steps) this.elements.showNotes();
        this.steps = steps;
        const { palette } = this.theme;
        const { bookmarks, marks } = this;
        const common = [width, devicePixelRatio, palette, revision, this.tracks, view.from, view.to];
        if (this.isNew(this.minimap, ...common, heights.minimap, bounds, selection, marks, bookmarks)) {
            this.map.draw(this.frame(this.minimap, width, heights.minimap, none, bounds), this.tracks, revision, view, selection, this);
        }
        if (this.isNew(this.axis, ...common, heights.axis, selection)) {
            const base = drawAxis(this.frame(this.axis, width, heights.axis, none, view), selection);
            if (this.base.textContent !== base) this.base.textContent = base;
        }
        const shown = items.filter(({ row }) => row);
        lines.forEach((line, index) => {
            const { row, track } = shown[index]!;
            showSlid(line.canvas, this.slid?.engine === track.engine ? this.slid.pixels : 0);
            if (this.isNew(line.canvas, ...common, row)) {
                const frame = this.frame(line.canvas, width, row!.height, mapOf(track), view);
                line.text = row!.draw(frame);
                // Another log may be longer.
                if (track) frame.context.clearRect(Math.ceil(xOf(frame, track.range.to)), 0, frame.width, frame.height);
            }
            if (withTexts) showText(line, row!, track.overview?.complete === false);
        });
        this.drawOverlay(area, view, selection, origin - stageTop);
        hide(this.unknownKey, !this.tracks.some(({ lacks }) => lacks));
        if (withTexts) this.showStatus(origin, area.width);
        this.drawArrows(sight.top - stageTop, sight.height, origin - sight.top, width, view);
        if (withTexts) this.drawn();
        else this.schedule();
    }

    /** Texts cost a layout: while the view moves, they are not changed in each frame. */
    private textsAreDue(view: Range): boolean {
        const now = performance.now();
        const due = sameRange(view, this.view) || now - this.textsAt > textMilliseconds;
        if (due) this.textsAt = now;
        this.view = view;
        return due;
    }

    /** False: the canvas was drawn from the same. */
    private isNew(canvas: HTMLCanvasElement, ...inputs: readonly Input[]): boolean {
        const before = this.inputs.get(canvas);
        if (before?.length === inputs.length && inputs.every((input, index) => input === before[index])) return false;
        this.inputs.set(canvas, inputs);
        return true;
    }

    /** The axis and the rows in sight, to be drawn with other pens. */
    get parts(): { width: number; axis: PicturePart; rows: PicturePart[] } {
        const { view, selection } = this.state;
        const { palette } = this.theme;
        const { width } = this.area;
        const origin = this.list.getBoundingClientRect().top;
        const sight = this.element.getBoundingClientRect();
        const covered = this.axis.getBoundingClientRect().bottom - origin;
        const free = this.stuck.reduce((most, { top, height }) => Math.max(most, top + height), covered);
        const [first, end] = inSight(this.layout, free, sight.bottom - origin);
        const items = [...this.stuck, ...this.layout.items.slice(first, end)];
        const frame = (pen: Pen, scale: number, height: number, track: Track | undefined): Frame => {
            const columns = Math.round(width * scale);
            const map = columnMap(track?.candidates ?? [], view, columns);
            const size = { width: columns, height: Math.max(Math.round(height * scale), 1), scale };
            return { context: pen, ...size, view, columns: map, palette, tracks: this.tracks };
        };
        const rows = items.map(({ track, row, group, top, height }): PicturePart => {
            const name = row?.name ?? group?.name ?? trackName(track);
            const key = (row?.key ?? []).map(({ text, color }) => ({ text, color: String(palette[color]) }));
            const part = { top: top - (items[0]?.top ?? 0), height, name, isHeading: !row, key };
            return row ? { ...part, draw: (pen, scale) => row.draw(frame(pen, scale, height, track)) } : part;
        });
        const draw = (pen: Pen, scale: number) => drawAxis(frame(pen, scale, this.axis.clientHeight, undefined), selection);
        const axis = { top: 0, height: this.axis.clientHeight, name: "", isHeading: false, key: [], draw };
        return { width, axis, rows };
    }

    /** `rows`: the height, in pixels of the style sheet. */
    private frame(canvas: HTMLCanvasElement, width: number, rows: number, columns: ColumnMap, view: Range): Frame {
        const scale = devicePixelRatio;
        const height = Math.max(Math.round(rows * scale), 1);
        if (canvas.width !== width || canvas.height !== height) {
            canvas.width = width;
            canvas.height = height;
        }
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        return { context, width, height, scale, view, columns, palette: this.theme.palette, tracks: this.tracks };
    }

    /** `offset`: of the rows in the stage. */
    private drawOverlay({ width }: PlotArea, view: Range, selection: Range | null, offset: number): void {
        const x = (ns: number) => ((ns - view.from) / span(view)) * width;
        this.drawChosen(x, width, offset);
        const left = selection ? Math.max(x(selection.from), -2) : 0;
        const right = selection ? Math.min(x(selection.to), width + 2) : -1;
        const isInView = right >= 0 && left <= width;
        hide(this.selection, !isInView);
        if (isInView) {
            this.selection.style.transform = `translateX(${left}px)`;
            this.selection.style.width = `${Math.max(right - left, 1)}px`;
        }
        const lines = this.bookmarks.map(({ at }) => ({ at, name: "" }));
        if (this.state.cursor !== null) lines.push({ at: this.state.cursor, name: "point" });
        const inView = lines.filter(({ at }) => at >= view.from && at <= view.to);
        if (inView.length > 0 || this.overMarks.hasChildNodes()) {
            this.overMarks.replaceChildren(
                ...inView.map(({ at, name }) => {
                    const line = element("i", "", name);
                    line.style.transform = `translateX(${Math.round(x(at))}px)`;
                    return line;
                }),
            );
        }
        hide(this.cursor, !this.pointer);
        if (this.pointer) this.cursor.style.transform = `translateX(${Math.round(x(this.pointer.ns))}px)`;
    }

    /** A frame around what was chosen. */
    private drawChosen(x: (ns: number) => number, width: number, offset: number): void {
        const { chosen } = this;
        const item = chosen && [...this.stuck, ...this.layout.items].find(({ key }) => key === chosen.key);
        const left = chosen ? Math.max(x(chosen.range.from) - 2, -4) : 0;
        const right = chosen ? Math.min(Math.max(x(chosen.range.to) + 2, left + 6), width + 4) : 0;
        const isInView = item && right > 0 && left < width;
        hide(this.chosenBox, !isInView);
        if (!isInView) return;
        this.chosenBox.style.transform = `translate(${left}px, ${offset + item.top - 2}px)`;
        this.chosenBox.style.width = `${right - left}px`;
        this.chosenBox.style.height = `${item.height + 4}px`;
    }

    private showStatus(origin: number, width: number): void {
        const text = this.pointer ? this.describe(this.pointer, origin, width) : "";
        if (this.status.textContent !== text) this.status.textContent = text;
    }

    /** The cause, and the wait itself; those between are folded. */
    private showChain(texts: readonly string[]): void {
        hide(this.chain, texts.length === 0);
        if (this.shownChain === texts) return;
        this.shownChain = texts;
        const [cause = "", ...rest] = texts;
        const wait = rest.length > 0 ? `; ${rest.at(-1)}` : "";
        this.chain.replaceChildren(cause + wait);
        if (texts.length <= 2) return;
        const steps = element("ol");
        steps.append(...texts.map((text) => element("li", text)));
        const all = element("details");
        all.append(element("summary", `${texts.length} steps`), steps);
        this.chain.append(all);
    }

    /** `top`: of the canvas in the stage; `offset`: of the rows in the canvas; both in pixels of the style
     *  sheet, as `rows`, its height. */
    private drawArrows(top: number, rows: number, offset: number, width: number, view: Range): void {
        const { texts, isEmpty } = this.links;
        this.showChain(texts);
        // A canvas over all rows costs time even if nothing is on it.
        if (isEmpty && this.arrows.hidden) return;
        hide(this.arrows, isEmpty);
        const scale = devicePixelRatio;
        const height = Math.round(rows * scale);
        if (this.arrows.width !== width || this.arrows.height !== height) {
            this.arrows.width = width;
            this.arrows.height = height;
            this.arrows.style.height = `${rows}px`;
        }
        this.arrows.style.transform = `translateY(${top}px)`;
        const context = this.arrows.getContext("2d") as CanvasRenderingContext2D;
        context.clearRect(0, 0, width, height);
        for (const track of this.tracks) {
            const middles = new Map<string, number>();
            const find = (key: "thread" | "cap") => (number: number) => {
                if (middles.size === 0) {
                    for (const item of this.layout.items) {
                        if (item.track !== track || !item.row) continue;
                        const y = (offset + item.top + item.height / 2) * scale;
                        if (item.row.thread !== undefined) middles.set(`thread${item.row.thread}`, y);
                        if (item.row.cap !== undefined) middles.set(`cap${item.row.cap}`, y);
                    }
                }
                return middles.get(`${key}${number}`) ?? null;
            };
            const x = (ns: number) => ((ns - view.from) / span(view)) * width;
            const frame: LinksFrame = { context, scale, palette: this.theme.palette, x, threadY: find("thread"), capY: find("cap"), width };
            this.links.draw(track, frame);
        }
    }

    /** What is under the pointer. */
    private describe({ ns, y }: Pointer, origin: number, width: number): string {
        const { view, selection } = this.state;
        const pixel = span(view) / width;
        const item = this.itemAt(y - origin);
        const point = { ns, pixel, y: y - origin - (item?.top ?? 0) };
        const facts = item?.row?.describe?.(point) ?? [];
        this.links.hover(item?.track, item?.row?.threadAt?.(point) ?? null);
        return [
            time(ns, axisOf(view, width).step / 50),
            ...(item?.row ? [item.row.name, ...facts, ...this.links.remark] : []),
            ...(selection ? [distance(ns, selection)] : []),
        ].join(" · ");
    }
}

/** Draws a picture so many pixels further to the right, within its place. */
function showSlid({ style }: HTMLCanvasElement, pixels: number): void {
    style.transform = pixels === 0 ? "" : `translateX(${pixels}px)`;
    style.clipPath = pixels === 0 ? "" : `inset(0 ${Math.max(pixels, 0)}px 0 ${Math.max(-pixels, 0)}px)`;
}

function hide(element: HTMLElement, hidden: boolean): void {
    if (element.hidden !== hidden) element.hidden = hidden;
}

/** While a log is read, a number is that of a part of it. */
function showText({ canvas, number, text: exact }: Line, { name }: Row, isPart: boolean): void {
    const text = isPart && exact ? `≈ ${exact}` : exact;
    if (number.textContent === text) return;
    number.textContent = text;
    canvas.setAttribute("aria-label", `Picture of ${name}${text ? `: ${text}` : ""}`);
}

/** How far a time is from the selection. */
function distance(point: number, { from, to }: Range): string {
    const ns = Math.round(point);
    if (ns < from) return `${duration(from - ns)} before the selection`;
    return ns > to ? `${duration(ns - to)} after the selection` : `${duration(ns - from)} after its start`;
}

/** With how far the log was moved. */
const titleOf = (track: Track): string => {
    const { later } = track;
    const moved = later === 0 ? "" : `, moved by ${later < 0 ? "−" : "+"}${duration(Math.abs(later))}`;
    return trackName(track) + moved;
};

export function trackName({ engine, section, overview }: Track): string {
    const name = visible(engine.name);
    const program = visible(overview?.program ?? "", 60);
    // The name of a served log is not known.
    if (!overview || overview.sections.length <= 1) return name || program;
    const { pid = null } = overview;
    const part = pid === null ? `section ${section}` : `pid ${pid}`;
    const own = overview.process === undefined && name ? part : `${program || "process"} (${part})`;
    return name ? `${name}, ${own}` : own;
}

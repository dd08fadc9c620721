// The rows under their axis: makes their elements, and draws those that are in sight.
import { threadName } from "./rows/cap";
import { drawAxis, axisOf } from "./rows/axis";
import { drawMinimap } from "./rows/minimap";
import type { Frame, Row, RowKind } from "./rows/row";
import type { PlotArea } from "./input/pointer";
import { element } from "./panes/table";
import type { State } from "./state/state";
import { span, type Range } from "./state/range";
import type { Theme } from "./theme";
import { duration, percent, time, visible } from "./text";
import { columnMap, type ColumnMap, type Track } from "./track";

interface ShownRow {
    row: Row;
    track: Track;
    line: HTMLElement;
    canvas: HTMLCanvasElement;
    number: HTMLElement;
}

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Timeline {
    readonly element = byId("timeline");
    readonly stage = byId("stage");
    readonly minimap = byId<HTMLCanvasElement>("minimap");
    private readonly axis = byId<HTMLCanvasElement>("axis");
    private readonly base = byId("base");
    private readonly list = byId("rows");
    private readonly selection = byId("selection");
    private readonly cursor = byId("cursor");
    private readonly status = byId("status");
    private rows: ShownRow[] = [];
    private shape = "";
    private tracks: readonly Track[] = [];
    private scheduled = false;
    private pointer: { ns: number; target: Element | null } | null = null;
    /** Called after a picture was drawn. */
    drawn: () => void = () => undefined;

    constructor(
        private readonly state: State,
        private readonly theme: Theme,
        private readonly kinds: readonly RowKind[],
    ) {
        new ResizeObserver(() => this.schedule()).observe(this.element);
        this.element.addEventListener("scroll", () => this.schedule(), { passive: true });
        theme.listen(() => {
            this.shape = "";
            this.schedule();
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

    setTracks(tracks: readonly Track[]): void {
        this.tracks = tracks;
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

    hover(ns: number | null, target: Element | null): void {
        this.pointer = ns === null ? null : { ns, target };
        this.schedule();
    }

    /** Makes the elements of rows anew if there are other rows than before. */
    private layOut(): void {
        const shape = this.tracks
            .map((track) => `${track.engine.name}/${track.section}:${track.overview?.caps.join() ?? ""}`)
            .join("|");
        if (shape === this.shape) return;
        this.shape = shape;
        this.list.replaceChildren();
        this.rows = [];
        for (const track of this.tracks) {
            if (this.tracks.length > 1) {
                const title = element("div");
                title.setAttribute("role", "listitem");
                title.append(element("h2", trackName(track)));
                this.list.append(title);
            }
            for (const row of this.kinds.flatMap((kind) => kind(track))) this.addRow(row, track);
        }
    }

    private addRow(row: Row, track: Track): void {
        const line = element("div", "", "line");
        line.setAttribute("role", "listitem");
        const name = element("div", "", "name");
        const number = element("span", "", "number");
        name.append(element("span", row.name), number);
        if (row.key) {
            const keys = element("span", "", "keys");
            for (const { text, color } of row.key) {
                const item = element("span");
                const mark = element("i");
                mark.style.background = String(this.theme.palette[color]);
                item.append(mark, text);
                keys.append(item);
            }
            name.append(keys);
        }
        const canvas = element("canvas");
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `Picture of ${row.name}`);
        canvas.style.height = `${row.height}px`;
        line.append(name, canvas);
        this.list.append(line);
        this.rows.push({ row, track, line, canvas, number });
    }

    private draw(): void {
        if (this.tracks.length === 0) return;
        this.layOut();
        const { view, bounds, selection } = this.state;
        const width = this.width;
        if (width === 0) return;
        const maps = new Map<Track, ColumnMap>();
        for (const track of this.tracks) {
            track.want(view, width);
            const candidates = track.whole ? [track.whole, ...track.tiles] : track.tiles;
            maps.set(track, columnMap(candidates, view, width));
        }
        const none: ColumnMap = { tiles: [], tile: new Int16Array(0), column: new Int32Array(0) };
        // Everything is measured before anything is changed: else each change costs a layout.
        const area = this.area;
        const heights = { minimap: this.minimap.clientHeight, axis: this.axis.clientHeight };
        const sight = this.element.getBoundingClientRect();
        const inSight = this.rows.filter(({ canvas }) => {
            const place = canvas.getBoundingClientRect();
            return place.bottom >= sight.top && place.top <= sight.bottom;
        });
        drawMinimap(this.frame(this.minimap, width, heights.minimap, none, bounds), this.tracks, view, selection);
        const base = drawAxis(this.frame(this.axis, width, heights.axis, none, view), selection);
        const texts = inSight.map(({ row, track, canvas }) =>
            row.draw(this.frame(canvas, width, row.height, maps.get(track) ?? none, view)),
        );
        if (this.base.textContent !== base) this.base.textContent = base;
        inSight.forEach(({ number }, index) => {
            if (number.textContent !== texts[index]) number.textContent = texts[index]!;
        });
        this.drawOverlay(area, view, selection);
        this.drawn();
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
        return { context, width, height, scale, view, columns, palette: this.theme.palette };
    }

    private drawOverlay({ width }: PlotArea, view: Range, selection: Range | null): void {
        const x = (ns: number) => ((ns - view.from) / span(view)) * width;
        this.selection.hidden = !selection;
        if (selection) {
            const left = Math.max(x(selection.from), -2);
            const right = Math.min(x(selection.to), width + 2);
            this.selection.hidden = right < 0 || left > width;
            this.selection.style.transform = `translateX(${left}px)`;
            this.selection.style.width = `${Math.max(right - left, 1)}px`;
        }
        this.cursor.hidden = !this.pointer;
        if (this.pointer) this.cursor.style.transform = `translateX(${Math.round(x(this.pointer.ns))}px)`;
        const text = this.pointer ? this.describe(this.pointer.ns, this.pointer.target, width) : "";
        if (this.status.textContent !== text) this.status.textContent = text;
    }

    /** What is under the pointer. */
    private describe(ns: number, target: Element | null, width: number): string {
        const pixel = span(this.state.view) / width;
        const parts = [time(ns, axisOf(this.state.view, width).step / 50)];
        const found = this.rows.find(({ line }) => target !== null && line.contains(target));
        const cap = found ? /^cap (\d+)$/.exec(found.row.name) : null;
        if (!found || !cap) return parts[0]!;
        parts.push(found.row.name);
        const { track } = found;
        const index = track.overview?.caps.indexOf(Number(cap[1])) ?? -1;
        const tiles = track.whole ? [track.whole, ...track.tiles] : track.tiles;
        const map = columnMap(tiles, { from: ns - pixel / 2, to: ns + pixel / 2 }, 1);
        const tile = map.tiles[map.tile[0] ?? -1];
        if (tile && index >= 0) {
            const at = (index * tile.width + map.column[0]!) * 4;
            const shares = [0, 1, 2].map((kind) => (tile.shares[at + kind] ?? 0) / 255);
            const idle = Math.max(1 - shares[0]! - shares[1]! - shares[2]!, 0);
            ["running", "GC", "waiting for GC", "idle"].forEach((name, kind) => {
                const share = kind < 3 ? shares[kind]! : idle;
                if (share > 0.995) parts.push(name);
                else if (share > 0.005) parts.push(`${name} ${percent(share)}`);
            });
        }
        const run = track.labels?.spans.find((item) => item.cap === Number(cap[1]) && item.fromNs <= ns && ns < item.toNs);
        if (run) {
            const name = threadName(run);
            const thread = run.label !== null && run.thread !== null ? `${name} (thread ${run.thread})` : name;
            parts.push(`${thread}, ${duration(run.toNs - run.fromNs)}`);
            if (run.stop) parts.push(visible(run.stop, 80));
        }
        return parts.join(" · ");
    }
}

export const trackName = (track: Track): string =>
    (track.overview?.sections ?? 1) > 1
        ? `${visible(track.engine.name)}, section ${track.section}`
        : visible(track.engine.name);

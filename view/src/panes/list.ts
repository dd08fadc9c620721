// A table of many rows: sorted and filtered here, and only the rows in sight are elements.
import { setContent } from "../export/csv";
import { grouped } from "../text";
import { cellClass, element } from "./table";

export interface Column<Row> {
    title: string;
    /** The member of rows that it has, for `sortBy`. */
    key?: string;
    /** The least are of interest: sorted by it, the list begins with them. */
    leastFirst?: boolean;
    /** What the column is sorted by; null: not in the log, which comes last. */
    value(row: Row): number | string | null;
    /** What it is sorted by instead. */
    rank?(row: Row): number | null;
    /** Of numbers; texts are shown as they are. */
    text?(value: number, row: Row): string;
    /** In widths of a digit. */
    width?: number;
    /** The text for null, unless null means that the log lacks the value. */
    none?: string;
}

export interface ListOptions<Row> {
    caption: string;
    /** The first has the name of the row. */
    columns: readonly Column<Row>[];
    /** The column that the rows are sorted by at first, falling. */
    sort: number;
    rising?: boolean;
    /** What choosing a row does. */
    open?(row: Row): void;
    /** What the field for the filter is called; no field without. */
    filter?: string;
}

const rowHeight = 25;
/** Rows out of sight that have elements, for the keyboard and for scrolling. */
const spare = 8;
let lists = 0;

const compare = (a: number | string | null, b: number | string | null): number => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === "string" || typeof b === "string") return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
    return a - b;
};

export class List<Row> {
    readonly element = element("div", "", "list");
    private readonly id = ++lists;
    private readonly table = element("table");
    private readonly body = this.table.createTBody();
    private readonly note = element("p", "", "remark");
    private readonly field = element("input");
    private rows: readonly Row[] = [];
    private all = 0;
    private which = "";
    /** The rows that are listed, in their order. */
    listed: readonly Row[] = [];
    private sort: number;
    private rising: boolean;
    private active = 0;
    /** Column to be scrolled into sight; -1: none. */
    private sought = -1;
    private first = -1;
    private last = -1;

    constructor(private readonly options: ListOptions<Row>) {
        this.sort = options.sort;
        this.rising = options.rising ?? false;
        if (options.filter) {
            this.field.type = "search";
            this.field.placeholder = options.filter;
            this.field.setAttribute("aria-label", options.filter);
            this.field.addEventListener("input", () => this.arrange());
            this.element.append(this.field);
        }
        this.makeHead();
        const wide = element("div", "", "wide");
        wide.append(this.table);
        this.note.setAttribute("role", "status");
        this.element.append(wide, this.note);
        const draw = () => this.element.isConnected && this.draw();
        const resized = new ResizeObserver(draw);
        for (const pane of document.querySelectorAll(".pane")) {
            pane.addEventListener("scroll", draw, { passive: true });
            resized.observe(pane);
        }
        new ResizeObserver(draw).observe(this.element);
        const { columns } = options;
        const titles = columns.map(({ title }) => title);
        setContent(this.table, () => [titles, ...this.listed.map((row) => columns.map(({ value }) => value(row)))]);
        this.table.addEventListener("keydown", (event) => this.key(event));
        this.table.addEventListener("click", (event) => {
            const line = event.target instanceof Element ? event.target.closest("tbody tr[aria-rowindex]") : null;
            if (line) this.choose(Number(line.getAttribute("aria-rowindex")) - 2);
        });
    }

    /** `leftOut`: how many others there are; `which` says which ones these are. */
    set(rows: readonly Row[], leftOut = 0, which = "first"): void {
        this.rows = rows;
        this.all = rows.length + leftOut;
        this.which = which;
        this.arrange();
    }

    private makeHead(): void {
        const { columns, caption } = this.options;
        this.table.createCaption().textContent = caption;
        const line = this.table.createTHead().insertRow();
        line.setAttribute("aria-rowindex", "1");
        const group = element("colgroup");
        let width = 0;
        columns.forEach(({ title, width: own }, index) => {
            // Also the title, with the sign of the order.
            const digits = Math.max(own ?? (index === 0 ? 15 : 8), title.length + 2);
            width += digits;
            const column = element("col");
            if (index > 0) column.style.width = `${digits}ch`;
            group.append(column);
            const head = element("th");
            head.scope = "col";
            const button = element("button", title);
            button.addEventListener("click", () => {
                this.rising = this.sort === index ? !this.rising : this.risesFirst(index);
                this.sort = index;
                this.arrange();
            });
            head.append(button);
            line.append(head);
        });
        this.table.tHead!.before(group);
        this.table.style.minWidth = `${width}ch`;
    }

    private risesFirst(column: number): boolean {
        return this.options.columns[column]!.leastFirst ?? typeof this.valueOf(column) === "string";
    }

    /** Sorts by the column of a member, and shows it as soon as the list is in the page. */
    sortBy(key: string): void {
        const column = this.options.columns.findIndex((one) => one.key === key);
        if (column < 0) return;
        this.rising = this.risesFirst(column);
        this.sort = this.sought = column;
        this.arrange();
    }

    /** Scrolls the pane so that the sought column and its first rows are in sight. */
    private seek(): void {
        const head = this.table.tHead!.rows[0]!.cells[this.sought];
        if (!head || !this.element.isConnected) return;
        this.sought = -1;
        const [pane, wide] = [this.pane(), this.table.parentElement!];
        const [place, sight, room] = [head, pane, wide].map((one) => one.getBoundingClientRect()) as [DOMRect, DOMRect, DOMRect];
        if (place.top < sight.top || place.bottom + spare * rowHeight > sight.bottom) pane.scrollTop += place.top - sight.top - sight.height / 2;
        if (place.left < room.left || place.right > room.right) wide.scrollLeft += place.right - room.right;
    }

    /** A value of the column, to know of which kind it is. */
    private valueOf(column: number): number | string | null | undefined {
        return this.rows.map((row) => this.options.columns[column]!.value(row)).find((value) => value !== null);
    }

    private arrange(): void {
        const { columns } = this.options;
        const wanted = this.field.value.trim().toLowerCase();
        const matches = (row: Row) =>
            columns.some(({ value }) => {
                const found = value(row);
                return typeof found === "string" && found.toLowerCase().includes(wanted);
            });
        const { value, rank = value } = columns[this.sort]!;
        const sign = this.rising ? 1 : -1;
        this.listed = this.rows
            .filter((row) => !wanted || matches(row))
            .map((row) => ({ row, key: rank(row) }))
            .sort((a, b) => (a.key === null || b.key === null ? compare(a.key, b.key) : sign * compare(a.key, b.key)))
            .map(({ row }) => row);
        [...this.table.tHead!.rows[0]!.cells].forEach((head, index) => {
            head.classList.toggle("words", typeof this.valueOf(index) === "string");
            if (index === this.sort) head.setAttribute("aria-sort", this.rising ? "ascending" : "descending");
            else head.removeAttribute("aria-sort");
        });
        const { length } = this.rows;
        const notes = [
            ...(this.listed.length < length ? [`${grouped(this.listed.length)} of ${grouped(length)} rows`] : []),
            ...(length < this.all ? [`The ${grouped(length)} ${this.which} of ${grouped(this.all)}`] : []),
            ...(length === 0 ? ["None in this range"] : []),
        ];
        this.note.textContent = notes.join("; ");
        this.table.setAttribute("aria-rowcount", String(this.listed.length + 1));
        this.active = Math.min(this.active, Math.max(this.listed.length - 1, 0));
        this.first = this.last = -1;
        this.draw();
    }

    /** Where it is shown, or will be. */
    private pane(): Element {
        return this.element.closest(".pane") ?? document.getElementById("pane")!;
    }

    /** Makes the rows that are in sight. */
    private draw(): void {
        this.seek();
        const pane = this.pane();
        const sight = pane.getBoundingClientRect();
        const top = sight.top - this.body.getBoundingClientRect().top;
        const count = this.listed.length;
        const limit = (row: number) => Math.min(Math.max(row, 0), count);
        const first = limit(Math.min(Math.floor(top / rowHeight), count - spare) - spare);
        const last = limit(Math.max(Math.ceil((top + sight.height) / rowHeight), first + spare) + spare);
        if (first === this.first && last === this.last) return;
        this.first = first;
        this.last = last;
        const focused = this.body.contains(document.activeElement);
        const lines: HTMLElement[] = [];
        if (first > 0) lines.push(this.gap(first));
        if (this.active < first || this.active >= last) this.active = Math.min(first + (first > 0 ? spare : 0), Math.max(last - 1, 0));
        for (let index = first; index < last; index++) lines.push(this.line(index));
        if (last < count) lines.push(this.gap(count - last));
        this.body.replaceChildren(...lines);
        if (focused) this.focus();
    }

    private gap(rows: number): HTMLElement {
        const line = element("tr", "", "gap");
        line.setAttribute("aria-hidden", "true");
        const cell = element("td");
        cell.colSpan = this.options.columns.length;
        cell.style.height = `${rows * rowHeight}px`;
        line.append(cell);
        return line;
    }

    private line(index: number): HTMLElement {
        const row = this.listed[index]!;
        const line = element("tr");
        line.setAttribute("aria-rowindex", String(index + 2));
        this.options.columns.forEach(({ value, text, none }, column) => {
            const found = value(row);
            const shown = found === null ? (none ?? "N/A") : typeof found === "string" ? found : text ? text(found, row) : grouped(found);
            const cell = element(column === 0 ? "th" : "td", "", cellClass(found));
            if (column === 0) cell.setAttribute("scope", "row");
            if (typeof found === "string") {
                cell.classList.add("words");
                cell.title = shown;
            }
            if (column === 0 && this.options.open) {
                const button = element("button", shown, "row");
                button.id = `row-${this.id}-${index}`;
                button.tabIndex = index === this.active ? 0 : -1;
                cell.append(button);
            } else {
                cell.textContent = shown;
            }
            line.append(cell);
        });
        return line;
    }

    private choose(index: number): void {
        const row = this.listed[index];
        if (row === undefined || !this.options.open) return;
        this.activate(index);
        this.options.open(row);
    }

    private activate(index: number): void {
        this.body.querySelector("button[tabindex='0']")?.setAttribute("tabindex", "-1");
        this.active = index;
        document.getElementById(`row-${this.id}-${index}`)?.setAttribute("tabindex", "0");
    }

    private focus(): void {
        document.getElementById(`row-${this.id}-${this.active}`)?.focus({ preventScroll: true });
    }

    /** Up and down move from row to row. */
    private key(event: KeyboardEvent): void {
        const page = 10;
        const steps: Record<string, number> = {
            ArrowDown: 1,
            ArrowUp: -1,
            PageDown: page,
            PageUp: -page,
            Home: -this.listed.length,
            End: this.listed.length,
        };
        const step = steps[event.key];
        const on = event.target instanceof Element && event.target.matches("tbody button");
        if (step === undefined || !on || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        const index = Math.min(Math.max(this.active + step, 0), this.listed.length - 1);
        const pane = this.pane();
        const place = this.body.getBoundingClientRect().top - pane.getBoundingClientRect().top + index * rowHeight;
        const room = pane.clientHeight;
        if (place < rowHeight) pane.scrollTop += place - rowHeight * 2;
        else if (place > room - 2 * rowHeight) pane.scrollTop += place - room + 3 * rowHeight;
        this.draw();
        this.activate(index);
        this.focus();
    }
}

// The elements of rows in sight. Those of a row that goes out of sight are reused for another one, so that
// the cost depends only on the rows in sight; headings always have elements, for the keyboard.
import { element } from "../panes/table";
import type { Palette } from "../theme";
import type { Item, Layout } from "./layout";
import type { Row } from "./row";

/** Elements of a row. */
export interface Line {
    element: HTMLElement;
    name: HTMLElement;
    number: HTMLElement;
    keys: HTMLElement;
    pin: HTMLElement;
    canvas: HTMLCanvasElement;
    row: Row | undefined;
    /** The number that the picture has. */
    text: string;
}

export interface ElementsOptions {
    list: HTMLElement;
    titleOf(item: Item): string;
    toggle(item: Item): void;
    /** Pins a row "GROUP/ROW" to the top, or no longer. */
    pin(place: string): void;
    isPinned(place: string): boolean;
    /** The heading of a group is dragged to a height of the window, and let go; null: put back. */
    move(item: Item, y: number | null, isEnd: boolean): boolean;
    changed(): void;
    palette(): Palette;
}

export class RowElements {
    private readonly lines = new Map<string, Line>();
    private readonly headings = new Map<string, { element: HTMLElement; show(item: Item): void }>();
    private readonly free: Line[] = [];
    private items: readonly Item[] = [];

    constructor(private readonly options: ElementsOptions) {}

    /** There are other rows than before. */
    setLayout({ items, height }: Layout): void {
        const { list } = this.options;
        list.style.height = `${height}px`;
        const wanted = items.filter((item) => !item.row);
        const keys = new Set(wanted.map(({ key }) => key));
        for (const [key, heading] of this.headings) {
            if (keys.has(key)) continue;
            heading.element.remove();
            this.headings.delete(key);
        }
        for (const item of wanted) {
            let heading = this.headings.get(item.key);
            if (!heading) {
                heading = item.lacking ? makeLacking() : this.makeHeading(item);
                this.headings.set(item.key, heading);
            }
            heading.show(item);
            place(heading.element, item);
        }
        for (const line of this.lines.values()) line.element.remove();
        this.items = items;
        putInOrder(list, wanted.map(({ key }) => this.headings.get(key)!.element), null);
    }

    /** There are other notes than before. */
    showNotes(): void {
        for (const item of this.items) if (!item.row) this.headings.get(item.key)?.show(item);
    }

    /** Makes all lines anew: other logs, or other colors. */
    clear(): void {
        for (const { element } of [...this.lines.values(), ...this.headings.values()]) element.remove();
        this.lines.clear();
        this.headings.clear();
        this.free.length = 0;
    }

    /** The lines of rows in sight, in their order; `end`: the place in the layout after the last one. */
    show(items: readonly Item[], end: number): Line[] {
        const { list } = this.options;
        const keys = new Set(items.map(({ key }) => key));
        for (const [key, line] of this.lines) {
            if (keys.has(key)) continue;
            this.lines.delete(key);
            this.free.push(line);
        }
        const shown = items.filter(({ row }) => row).map((item) => {
            let line = this.lines.get(item.key);
            if (!line) {
                line = this.free.pop() ?? this.makeLine();
                this.lines.set(item.key, line);
            }
            if (line.row !== item.row) this.fill(line, item.row!);
            line.element.dataset.place = item.place ?? "";
            showPin(line.pin, this.options.isPinned(item.place ?? ""));
            place(line.element, item);
            return line;
        });
        for (const item of items) if (!item.row) place(this.headings.get(item.key)!.element, item);
        for (const line of this.free) line.element.remove();
        this.free.length = Math.min(this.free.length, 40);
        // In the order of the rows, for the keyboard and for screen readers.
        const order = items.flatMap(({ key }) => this.lines.get(key)?.element ?? this.headings.get(key)?.element ?? []);
        const below = this.items.find((item, index) => index >= end && !item.row);
        putInOrder(list, order, (below && this.headings.get(below.key)?.element) ?? null);
        return shown;
    }

    private makeLine(): Line {
        const line = element("div", "", "line");
        line.setAttribute("role", "listitem");
        const gutter = element("div", "", "name");
        const [name, number, keys] = [element("span"), element("span", "", "number"), element("span", "", "keys")];
        // By keys, a row that something is chosen in is pinned.
        const pin = element("button", "Pin", "small pin");
        pin.tabIndex = -1;
        pin.setAttribute("aria-hidden", "true");
        pin.addEventListener("click", () => this.options.pin(line.dataset.place ?? ""));
        gutter.append(name, number, keys, pin);
        const canvas = element("canvas");
        canvas.setAttribute("role", "img");
        line.append(gutter, canvas);
        return { element: line, name, number, keys, pin, canvas, row: undefined, text: "" };
    }

    private fill(line: Line, row: Row): void {
        line.row = row;
        line.name.textContent = row.name;
        line.name.title = row.title ?? "";
        line.number.textContent = "";
        line.canvas.setAttribute("aria-label", `Picture of ${row.name}`);
        line.canvas.style.height = `${row.height}px`;
        line.keys.hidden = !row.key;
        line.element.classList.toggle("thread", row.thread !== undefined);
        line.element.classList.toggle("keyed", row.key !== undefined);
        line.keys.replaceChildren();
        for (const { text, color } of row.key ?? []) {
            const item = element("span");
            const mark = element("i");
            mark.style.background = String(this.options.palette()[color]);
            item.append(mark, text);
            line.keys.append(item);
        }
    }

    private makeHeading(first: Item): { element: HTMLElement; show(item: Item): void } {
        let present = first;
        const made = element("div", "", first.group ? "line heading" : "line title");
        made.setAttribute("role", "listitem");
        const button = element("button");
        let wasMoved = false;
        button.addEventListener("click", () => {
            if (!wasMoved) this.options.toggle(present);
            wasMoved = false;
        });
        button.addEventListener("pointerdown", (event) => {
            wasMoved = false;
            if (event.button === 0 && first.group) dragUpright(button, event, (y, isEnd) => (wasMoved = this.options.move(present, y, isEnd) || wasMoved));
        });
        const heading = element(first.group ? "h3" : "h2");
        heading.append(button);
        const note = element("div", "", "note");
        made.append(heading, note);
        const text = element("span");
        note.append(text);
        const controls = first.group?.controls?.(first.track, () => this.options.changed());
        if (controls) note.append(controls);
        return {
            element: made,
            show: (item) => {
                present = item;
                const name = item.group?.name ?? this.options.titleOf(item);
                if (button.textContent !== name) button.textContent = name;
                button.setAttribute("aria-expanded", String(item.isOpen ?? true));
                const why = item.group?.note?.(item.track) ?? "";
                if (text.textContent !== why) text.textContent = why;
                if (controls) controls.hidden = !item.isOpen;
            },
        };
    }
}

/** What the log lacks: names, each with the reason where the pointer rests; a screen reader gets all. */
function makeLacking(): { element: HTMLElement; show(item: Item): void } {
    const made = element("div", "", "line heading lacking");
    made.setAttribute("role", "listitem");
    const text = element("span", "", "note");
    const names = element("span");
    names.setAttribute("aria-hidden", "true");
    const all = element("span", "", "unseen");
    text.append(names, all);
    made.append(element("h3", "Not in this log"), text);
    let shown = "";
    return {
        element: made,
        show: ({ lacking = [] }) => {
            const whole = lacking.map(({ name, why }) => `${name}: ${why}`).join(" ");
            if (whole === shown) return;
            shown = whole;
            all.textContent = whole;
            names.replaceChildren(
                ...lacking.flatMap(({ name, why }, index) => {
                    const one = element("span", name, "lack");
                    one.title = why;
                    return index > 0 ? [", ", one] : [one];
                }),
            );
        },
    };
}

/** Puts elements before `next`. One that is in its place stays there: it may have the focus. */
function putInOrder(list: HTMLElement, elements: readonly HTMLElement[], next: Element | null): void {
    for (let i = elements.length - 1; i >= 0; i--) {
        const element = elements[i]!;
        if (element.parentElement !== list || element.nextElementSibling !== next) list.insertBefore(element, next);
        next = element;
    }
}

/** Beyond this many pixels, a press is a drag. */
const dragPixels = 4;

/** Follows a drag up or down. `move`: see ElementsOptions. */
function dragUpright(handle: HTMLElement, { pointerId, clientY }: PointerEvent, move: (y: number | null, isEnd: boolean) => void): void {
    let begun = false;
    const listeners = new AbortController();
    const { signal } = listeners;
    const end = (y: number | null) => {
        listeners.abort();
        if (begun) move(y, true);
    };
    handle.setPointerCapture(pointerId);
    handle.addEventListener("pointermove", (event) => {
        begun ||= Math.abs(event.clientY - clientY) >= dragPixels;
        if (begun) move(event.clientY, false);
    }, { signal });
    handle.addEventListener("pointerup", (event) => end(event.clientY), { signal });
    handle.addEventListener("pointercancel", () => end(null), { signal });
    addEventListener("keydown", ({ key }) => key === "Escape" && end(null), { signal });
}

function showPin(pin: HTMLElement, isPinned: boolean): void {
    const text = isPinned ? "Unpin" : "Pin";
    if (pin.textContent !== text) pin.textContent = text;
}

function place(element: HTMLElement, { top, height, isStuck = false }: Item): void {
    const transform = `translateY(${top}px)`;
    if (element.style.transform !== transform) element.style.transform = transform;
    element.classList.toggle("stuck", isStuck);
    const size = `${height}px`;
    if (element.style.height !== size) element.style.height = size;
}

// Tables of numbers. All text is set as text, never as markup.

export type Cell = string | null;

export function element<K extends keyof HTMLElementTagNameMap>(
    name: K,
    text = "",
    className = "",
): HTMLElementTagNameMap[K] {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
}

/** The class of a cell; null is what the log does not say. */
export const cellClass = (value: string | number | null): string => (value === null ? "unknown" : "");

function cell(value: Cell): HTMLTableCellElement {
    const made = element("td", value ?? "N/A", cellClass(value));
    if (value === null) made.title = "Not in this log";
    return made;
}

export function table(caption: string, head: readonly string[], rows: readonly (readonly [string, ...Cell[]])[]): HTMLTableElement {
    const made = element("table");
    made.append(element("caption", caption));
    if (head.length > 0) {
        const line = document.createElement("tr");
        for (const text of head) {
            const title = element(text ? "th" : "td", text);
            if (text) title.scope = "col";
            line.append(title);
        }
        made.createTHead().append(line);
    }
    const body = made.createTBody();
    for (const [name, ...cells] of rows) {
        const line = document.createElement("tr");
        const title = element("th", name);
        title.scope = "row";
        line.append(title, ...cells.map(cell));
        body.append(line);
    }
    return made;
}

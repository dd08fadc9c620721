// Tables as CSV (RFC 4180): numbers as they are, not as they are shown.

export type CsvCell = string | number | boolean | null;

/** What is written for the tables of panes that have more than is shown. */
const contents = new WeakMap<Element, () => CsvCell[][]>();

/** `rows` gives the head and all rows. */
export function setContent(table: HTMLTableElement, rows: () => CsvCell[][]): void {
    contents.set(table, rows);
}

function contentOf(table: HTMLTableElement): CsvCell[][] {
    const found = contents.get(table);
    if (found) return found();
    return [...table.rows].map((line) => [...line.cells].map((cell) => cell.dataset.value ?? cell.textContent ?? ""));
}

/** A spreadsheet would interpret a text of the log that begins like a formula as one. */
function field(cell: CsvCell): string {
    if (cell === null) return "";
    if (typeof cell !== "string") return String(cell);
    const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvOf = (table: HTMLTableElement): string =>
    contentOf(table)
        .map((cells) => `${cells.map(field).join(",")}\r\n`)
        .join("");

// Ticky-ticky counters: the entries and the allocation of each piece of code.
import { bytes, grouped } from "../text";
import { countColumn, leftOut, number, rowsOf, text, textColumn, type Row } from "./fields";
import { List } from "./list";
import { job, type Pane } from "./pane";
import { element } from "./table";

const sizeColumn = (title: string, key: string, width = 10) => ({
    title,
    value: (row: Row) => number(row, key),
    text: bytes,
    width,
});

export function tickyPane(): Pane {
    const list = new List<Row>({
        caption: "Ticky-ticky counters",
        columns: [
            textColumn("counter", "label", 20),
            countColumn("entries", "entries", 10),
            sizeColumn("allocates", "allocs_bytes"),
            sizeColumn("per entry", "allocs_per_entry_bytes"),
            sizeColumn("allocated as", "allocd_bytes", 12),
            { title: "entries/s", value: (row) => number(row, "entries_per_second"), text: (value) => grouped(value), width: 10 },
            textColumn("kind", "type", 7),
            textColumn("arguments", "arguments", 10),
            { title: "place", value: (row) => text(row, "location") ?? text(row, "module") ?? "", width: 14 },
        ],
        sort: 1,
        filter: "Filter counters",
    });
    return {
        name: "ticky",
        title: "Ticky",
        isJob: true,
        ask: job("ticky"),
        show(answer) {
            const rows = rowsOf(answer, "counters");
            if (rows.length === 0) {
                return [element("p", "No ticky-ticky counters here. Build with ghc -ticky and run with +RTS -lT.", "missing")];
            }
            list.set(rows, leftOut(answer));
            return [list.element];
        },
    };
}

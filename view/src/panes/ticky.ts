// Ticky-ticky counters: the entries and the allocation of each piece of code.
import type { TickyCounter } from "../engine/requests";
import { bytes } from "../text";
import { countColumn, numberColumn, shownText, textColumn } from "./fields";
import { List } from "./list";
import { recorded, requestPane, type Pane } from "./pane";
import { element } from "./table";

export function tickyPane(): Pane {
    const list = new List<TickyCounter>({
        caption: "Ticky-ticky counters",
        columns: [
            textColumn("counter", "label", 20),
            countColumn("entries", "entries", 10),
            numberColumn("allocates", "allocs_bytes", bytes, 10),
            numberColumn("per entry", "allocs_per_entry_bytes", bytes, 10),
            numberColumn("allocated as", "allocd_bytes", bytes, 12),
            countColumn("entries/s", "entries_per_second", 10),
            textColumn("kind", "type", 7),
            textColumn("arguments", "arguments", 10),
            { title: "place", value: ({ location, module }) => shownText(location) ?? shownText(module) ?? "", width: 14 },
        ],
        sort: 1,
        filter: "Filter counters",
    });
    return requestPane({
        name: "ticky",
        title: "Ticky",
        isJob: true,
        missing: recorded("ticky", "This log has no ticky-ticky counters. Build with ghc -ticky and run with +RTS -lT."),
        request: "ticky",
        show({ counters: rows, left_out }) {
            if (rows.length === 0) {
                return [element("p", "No ticky-ticky counters here.", "missing")];
            }
            list.set(rows, left_out, "that allocate most");
            return [list.element];
        },
    });
}

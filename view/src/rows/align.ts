// Several logs on one axis of time: the dialog that aligns them at their beginnings, or at a marker that all have.
import { element } from "../panes/table";
import { visible } from "../text";
import type { Track } from "../track";

/** ns by the log's own clock: the first of each marker of a log. */
async function markersOf(tracks: readonly Track[]): Promise<Map<string, number>> {
    const first = new Map<string, number>();
    for (const track of tracks) {
        if (!track.hasEvents) continue;
        const { markers } = await track.ask("message_rows", { width: 1 });
        for (const { text, time_ns } of markers.listed) first.set(text, Math.min(first.get(text) ?? Infinity, time_ns - track.later));
    }
    return first;
}

export class AlignMenu {
    private readonly dialog = document.getElementById("align") as HTMLDialogElement;
    private readonly list = this.dialog.querySelector("ul") as HTMLElement;
    private readonly none = this.dialog.querySelector("p.missing") as HTMLElement;

    /** `logs`: the tracks of each; `align`: moves each so many ns later than its own clock says. */
    constructor(
        private readonly logs: () => readonly (readonly Track[])[],
        private readonly align: (later: readonly number[]) => void,
        private readonly failed: (message: string) => void,
    ) {}

    open(): void {
        const logs = this.logs();
        if (logs.length < 2) return;
        this.none.hidden = true;
        const beginnings = this.line("The beginnings of the programs", logs.map(() => 0));
        this.list.replaceChildren(beginnings);
        this.dialog.showModal();
        Promise.all(logs.map(markersOf)).then(
            ([first, ...others]) => {
                // It was opened once more.
                if (beginnings.parentElement !== this.list) return;
                const common = [...first!].filter(([name]) => others.every((markers) => markers.has(name)));
                this.none.hidden = common.length > 0;
                this.list.append(
                    ...common.map(([name, at]) => this.line(`Marker ${visible(name, 60)}`, [0, ...others.map((markers) => at - markers.get(name)!)])),
                );
            },
            (reason) => this.failed(String(reason)),
        );
    }

    private line(text: string, later: readonly number[]): HTMLElement {
        const line = element("li");
        const button = element("button", text);
        button.addEventListener("click", () => {
            this.dialog.close();
            this.align(later);
        });
        line.append(button);
        return line;
    }
}

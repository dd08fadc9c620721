// What can be saved as a file: the picture in view, the picture and the tables of the pane.
import { errorOf } from "../engine/protocol";
import { Drawing } from "../draw/drawing";
import { element } from "../panes/table";
import type { Theme } from "../theme";
import { csvOf } from "./csv";
import { printDrawing, printTimeline, type TimelinePicture } from "./picture";
import type { Format } from "./sheet";

export interface ExportOptions {
    theme: Theme;
    /** The name of the files, without what is added to it; null: there is nothing to save. */
    name(): string | null;
    timeline(): TimelinePicture;
    failed(message: string): void;
}

function save(blob: Blob, name: string): void {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(-120);
    link.click();
    // The browser needs it until the file is written.
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export class ExportMenu {
    private readonly dialog = document.getElementById("export") as HTMLDialogElement;
    private readonly list = this.dialog.querySelector(".choices") as HTMLElement;

    constructor(private readonly options: ExportOptions) {}

    open(): void {
        if (this.options.name() === null) return;
        const drawings = [...document.querySelectorAll<HTMLCanvasElement>(".pane canvas")].flatMap((canvas) => Drawing.of(canvas) ?? []);
        const tables = [...document.querySelectorAll<HTMLTableElement>(".pane table")];
        this.list.replaceChildren(
            this.line("Timeline in view", [
                ["PNG", () => this.timeline("png")],
                ["SVG", () => this.timeline("svg")],
            ]),
            ...drawings.map((drawing) =>
                this.line(drawing.name, [
                    ["PNG", () => this.drawing(drawing, "png")],
                    ["SVG", () => this.drawing(drawing, "svg")],
                ]),
            ),
            ...tables.map((table) => {
                const title = table.caption?.textContent || "Table";
                return this.line(title, [["CSV", () => this.table(table, title)]]);
            }),
        );
        this.dialog.showModal();
    }

    timeline(format: Format): void {
        if (this.options.name() === null) return;
        this.finish(printTimeline(this.options.timeline(), format), `timeline.${format}`);
    }

    private drawing(drawing: Drawing, format: Format): void {
        const background = getComputedStyle(document.getElementById("panes")!).backgroundColor;
        this.finish(printDrawing(drawing, format, background), `${drawing.name.toLowerCase()}.${format}`);
    }

    private table(table: HTMLTableElement, title: string): void {
        this.finish(Promise.resolve(new Blob([csvOf(table)], { type: "text/csv" })), `${title.toLowerCase()}.csv`);
    }

    private finish(made: Promise<Blob>, name: string): void {
        this.dialog.close();
        made.then(
            (blob) => save(blob, `${this.options.name() ?? "log"}-${name}`),
            (error) => this.options.failed(errorOf(error).message),
        );
    }

    private line(title: string, formats: [name: string, run: () => void][]): HTMLElement {
        const made = element("li");
        made.append(element("span", title));
        for (const [name, run] of formats) {
            const button = element("button", name, "small");
            button.setAttribute("aria-label", `${title} as ${name}`);
            button.addEventListener("click", run);
            made.append(button);
        }
        return made;
    }
}

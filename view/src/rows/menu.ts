// The dialog in which groups of rows are hidden, shown and moved, and pinned rows are listed.
import { element } from "../panes/table";
import type { Arrangement } from "../state/arrangement";
import { visible } from "../text";
import type { Group } from "./row";

export class RowsMenu {
    private readonly dialog = document.getElementById("arrange") as HTMLDialogElement;
    private readonly list = this.dialog.querySelector("ul.groups") as HTMLElement;
    private readonly pins = this.dialog.querySelector("ul.pins") as HTMLElement;

    constructor(
        private readonly arrangement: Arrangement,
        private readonly groups: readonly Group[],
    ) {
        (this.dialog.querySelector("#arrange-reset") as HTMLElement).addEventListener("click", () => {
            arrangement.reset();
            this.show();
        });
    }

    open(): void {
        this.show();
        this.dialog.showModal();
    }

    private show(): void {
        const { order, arranged } = this.arrangement;
        this.list.replaceChildren(...order.map((id, index) => this.line(id, index, order.length)));
        this.pins.replaceChildren(...arranged.pinned.map((key) => this.pinLine(key)));
        this.pins.hidden = arranged.pinned.length === 0;
    }

    private line(id: string, index: number, count: number): HTMLElement {
        const group = this.groups.find((one) => one.id === id);
        const name = group?.name || "All caps";
        const line = element("li");
        const label = element("label");
        const box = element("input");
        box.type = "checkbox";
        box.checked = !this.arrangement.isHidden(id);
        box.addEventListener("change", () => this.arrangement.hide(id, !box.checked));
        label.append(box, ` ${name}`);
        const move = (by: number, text: string, what: string) => {
            const button = element("button", text, "small");
            button.id = `move-${id}-${what}`;
            button.setAttribute("aria-label", `Move ${name} ${what}`);
            button.disabled = by < 0 ? index === 0 : index === count - 1;
            button.addEventListener("click", () => {
                this.arrangement.move(id, by);
                this.show();
                const again = document.getElementById(button.id) as HTMLButtonElement;
                if (again.disabled) (again.parentElement?.querySelector("button:enabled") as HTMLElement | null)?.focus();
                else again.focus();
            });
            return button;
        };
        line.append(label, element("span", "", "fill"), move(-1, "↑", "up"), move(1, "↓", "down"));
        return line;
    }

    private pinLine(key: string): HTMLElement {
        const line = element("li");
        const button = element("button", "Unpin", "small");
        const name = visible(key, 60);
        button.setAttribute("aria-label", `Unpin ${name}`);
        button.addEventListener("click", () => {
            this.arrangement.pin(key, false);
            this.show();
        });
        line.append(element("span", name), button);
        return line;
    }
}

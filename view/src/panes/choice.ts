// One of a few modes, as a row of buttons.
import { element } from "./table";

export function choice<Name extends string>(
    label: string,
    names: readonly (readonly [Name, string])[],
    first: Name,
    chosen: (name: Name) => void,
): HTMLElement {
    const made = element("span", "", "group");
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", label);
    const buttons = names.map(([name, text]) => {
        const button = element("button", text, "small");
        button.setAttribute("aria-pressed", String(name === first));
        button.addEventListener("click", () => {
            for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
            chosen(name);
        });
        return button;
    });
    made.append(...buttons);
    return made;
}

const isWide = () => document.body.classList.contains("wide-pane");
const wideButtons = new Set<WeakRef<HTMLElement>>();

/** Whether the panes are wider than the splitter says. */
export function setWide(wide: boolean): void {
    if (wide === isWide()) return;
    document.body.classList.toggle("wide-pane", wide);
    for (const made of wideButtons) made.deref()?.setAttribute("aria-pressed", String(wide));
}

/** Makes the panes wider, and back. */
export function wideButton(): HTMLElement {
    const made = element("button", "Wide", "small");
    made.title = "Makes the pane wider";
    made.setAttribute("aria-pressed", String(isWide()));
    made.addEventListener("click", () => setWide(!isWide()));
    wideButtons.add(new WeakRef(made));
    return made;
}

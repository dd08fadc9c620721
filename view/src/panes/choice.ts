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

/** Makes the panes wider, and back. */
export function wideButton(): HTMLElement {
    const made = element("button", "Wide", "small");
    made.title = "Makes the pane wider";
    const show = () => made.setAttribute("aria-pressed", String(document.body.classList.contains("wide-pane")));
    made.addEventListener("click", () => {
        document.body.classList.toggle("wide-pane");
        show();
    });
    show();
    return made;
}

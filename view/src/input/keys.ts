// Keys of the page: each is looked up in a table of commands.
import type { Command } from "./commands";

const names: Record<string, string> = {
    ArrowLeft: "←",
    ArrowRight: "→",
    ArrowUp: "↑",
    ArrowDown: "↓",
    Escape: "Esc",
};

/** A key as the help shows it. */
export const keyName = (key: string): string =>
    key
        .split("+")
        .map((part) => names[part] ?? (/^[a-z]$/.test(part) ? part.toUpperCase() : part))
        .join("+")
        .replace(/^$/, "+");

function keyOf(event: KeyboardEvent): string {
    const key = /^[A-Z]$/.test(event.key) ? event.key.toLowerCase() : event.key;
    const shift = event.shiftKey && (key.length > 1 || /^[a-z]$/.test(key));
    return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shift ? "Shift+" : ""}${key}`;
}

/** `active` says whether a key is for the page. */
export function listenToKeys(commands: readonly Command[], active: (command: Command) => boolean): void {
    const byKey = new Map(commands.flatMap((command) => command.keys.map((key) => [key, command] as const)));
    document.addEventListener("keydown", (event) => {
        const target = event.target;
        if (event.altKey || event.defaultPrevented) return;
        if (target instanceof HTMLElement && target.matches("select, textarea, input:not([type=file])")) return;
        if (event.key === "Enter" && target instanceof Element && target.closest("button, input, summary")) return;
        const command = byKey.get(keyOf(event));
        if (!command || !active(command)) return;
        // There, they scroll the pane.
        if (/^Arrow(Up|Down)$/.test(event.key) && target instanceof Element && target.closest(".pane")) return;
        event.preventDefault();
        command.run();
    });
}

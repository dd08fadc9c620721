// Bookmarks, the markers of the program, and a note; the address of the page contains the bookmarks and the note.
import type { Match } from "../engine/requests";
import type { Notes } from "../state/notes";
import type { State } from "../state/state";
import { span } from "../state/range";
import { time, visible } from "../text";
import { numberColumn } from "./fields";
import { List } from "./list";
import { requestPane, type Pane } from "./pane";
import { element } from "./table";

const mostMarkers = 1000;

export function notesPane(notes: Notes, state: State, show: (at: number) => void): Pane {
    const root = element("div", "", "notes");
    const list = element("ul");
    const empty = element("p", "No bookmarks. B sets one at the cursor, or in the middle of the view.", "remark");
    const add = element("button", "Add a bookmark");
    const label = element("label", "Note");
    const field = element("textarea");
    field.rows = 5;
    field.placeholder = "Kept in the address of this page, with the view and the bookmarks";
    label.append(field);
    root.append(element("h3", "Bookmarks"), list, empty, add, label);
    const found = new List<Match>({
        caption: "Markers of the program",
        columns: [
            { title: "marker", value: ({ text }) => visible(text), width: 20 },
            numberColumn("time", "time_ns", (ns) => time(ns, 1000), 14),
        ],
        sort: 1,
        rising: true,
        open: ({ time_ns }) => show(time_ns),
        filter: "Filter markers",
    });
    const more = element("p", `Only the first ${mostMarkers} of the range are listed.`, "remark");
    add.addEventListener("click", () => bookmark(notes, state));
    field.addEventListener("input", () => (notes.note = field.value));

    function refresh(): void {
        if (field.value !== notes.note) field.value = notes.note;
        empty.hidden = notes.bookmarks.length > 0;
        const shape = notes.bookmarks.map(({ at }) => at).join();
        if (list.dataset.shape === shape) return;
        list.dataset.shape = shape;
        const step = Math.max(span(state.view) / 1000, 1);
        list.replaceChildren(
            ...notes.bookmarks.map(({ at, name }) => {
                const line = element("li");
                const go = element("button", time(at, step), "row");
                go.setAttribute("aria-label", `Go to ${visible(name) || "the bookmark"} at ${time(at, step)}`);
                go.addEventListener("click", () => show(at));
                const input = element("input");
                input.value = name;
                input.maxLength = 200;
                input.setAttribute("aria-label", `Name of the bookmark at ${time(at, step)}`);
                input.addEventListener("input", () => notes.add(at, input.value));
                const remove = element("button", "×", "small");
                remove.setAttribute("aria-label", `Delete the bookmark at ${time(at, step)}`);
                remove.addEventListener("click", () => {
                    notes.remove(at);
                    add.focus();
                });
                line.append(go, input, remove);
                return line;
            }),
        );
    }

    return requestPane({
        name: "notes",
        title: "Notes",
        isJob: true,
        request: "events",
        keys: { event: "USER_MARKER", count: mostMarkers },
        show(answer) {
            found.set(answer.events);
            more.hidden = !answer.more;
            return [root, found.element, more];
        },
        refresh,
    });
}

/** Sets a bookmark at the cursor, or in the middle of the view if the cursor is not in it. */
export function bookmark(notes: Notes, state: State): number {
    const { cursor, view } = state;
    const inView = cursor !== null && cursor >= view.from && cursor <= view.to;
    const at = Math.round(inView ? cursor : (view.from + view.to) / 2);
    if (!notes.bookmarks.some((known) => known.at === at)) notes.add(at, `Bookmark ${notes.bookmarks.length + 1}`);
    return at;
}

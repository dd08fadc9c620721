// The events from the cursor on, or from the beginning of the range, as a table.
import { errorOf } from "../engine/protocol";
import type { EventsAnswer, Keys, Match } from "../engine/requests";
import type { State } from "../state/state";
import { time, visible } from "../text";
import { List } from "./list";
import { paneOf, rangeKeys, type Pane, type Question } from "./pane";
import { element } from "./table";

const pageEvents = 500;

/** `more`: there are others, in the direction that was asked for. */
type Page = Pick<EventsAnswer, "events" | "more"> & { inside: boolean; problem?: string };

export function eventsPane(state: State, go: (match: Match) => void): Pane {
    const field = element("input");
    field.type = "search";
    field.placeholder = "Filter events by their text";
    field.setAttribute("aria-label", field.placeholder);
    const regex = element("input");
    regex.type = "checkbox";
    const regexLabel = element("label", "", "switch");
    regexLabel.append(regex, "regex");
    const filter = element("div", "", "filter");
    filter.append(field, regexLabel);
    const earlier = element("button", "Earlier events");
    const later = element("button", "Later events");
    const note = element("p", "", "remark");
    note.setAttribute("role", "status");

    let events: Match[] = [];
    let asked: Question | undefined;
    /** Set by the table itself: the events stay. */
    let chosen: number | null = null;
    let begin: number | null = null;
    let wanted = "";

    const list = new List<Match>({
        caption: "Events",
        columns: [
            { title: "time", value: (event) => event.time_ns, text: (ns) => time(ns, 1), width: 15 },
            { title: "cap", value: (event) => event.cap, width: 4, none: "" },
            { title: "text", value: (event) => visible(event.text, 500), width: 44 },
        ],
        sort: 0,
        rising: true,
        open: (event) => {
            chosen = event.time_ns;
            go(event);
        },
    });

    let timer: ReturnType<typeof setTimeout> | undefined;
    const typed = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            wanted = `${regex.checked} ${field.value}`;
            again();
        }, 250);
    };
    field.addEventListener("input", typed);
    regex.addEventListener("change", typed);
    let again: () => void = () => undefined;

    const keys = (): Keys["events"] => ({
        count: pageEvents,
        ...(field.value ? { text: field.value, ...(regex.checked ? { regex: 1 as const } : {}) } : {}),
    });

    const load = async (backward: boolean) => {
        const edge = backward ? events[0] : events.at(-1);
        const question = asked;
        if (!edge || !question) return;
        const range = { ...rangeKeys(question), ...(backward ? { to: edge.time_ns + 1, backward: 1 as const } : { from: edge.time_ns }) };
        try {
            const page = await question.track.ask("events", { ...keys(), ...range, beyond: edge.position }, question);
            events = backward ? [...page.events, ...events] : [...events, ...page.events];
            (backward ? earlier : later).disabled = !page.more;
            list.set(events);
        } catch (error) {
            if (!question.signal.aborted) note.textContent = visible(errorOf(error).message);
        }
    };
    earlier.addEventListener("click", () => void load(true));
    later.addEventListener("click", () => void load(false));

    /** Where the list begins: the cursor, if it is in the range. */
    const beginning = () => {
        if (state.cursor !== chosen) {
            begin = state.cursor;
            chosen = state.cursor;
        }
        return begin;
    };

    return paneOf<Page>({
        name: "events",
        title: "Events",
        isJob: true,
        key: (listen) => {
            again = listen;
            return `${beginning() ?? ""} ${wanted}`;
        },
        async ask(question) {
            const { from, to } = question.range;
            const at = beginning();
            const inside = at !== null && at > from && at <= to;
            const range = { ...rangeKeys(question), ...(inside ? { from: Math.floor(at) } : {}) };
            try {
                return { ...(await question.track.ask("events", { ...keys(), ...range }, question)), inside };
            } catch (error) {
                // The pattern is malformed.
                if (question.signal.aborted || !field.value) throw error;
                return { events: [], more: false, inside, problem: errorOf(error).message };
            }
        },
        show(page, question) {
            asked = question;
            events = page.events;
            earlier.disabled = !page.inside || events.length === 0;
            later.disabled = !page.more;
            note.textContent = visible(page.problem ?? "");
            list.set(events);
            return [filter, note, earlier, list.element, later];
        },
    });
}

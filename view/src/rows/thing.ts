// One thing that rows show, which can be chosen: a state of a thread, a collection, a span, a message, a column of
// caps, a sample of a band.
import type { ChosenElement, ElementAnswer, ElementSpan, Keys } from "../engine/requests";
import { span, type Range } from "../state/range";
import { duration, grouped, time, visible } from "../text";
import type { Track } from "../track";

export type Way = "next" | "previous" | "longest";

/** A fact about a thing: its name, and what it is. */
export type Fact = readonly [name: string, text: string];

export interface Thing {
    /** Spoken when it is chosen. */
    readonly name: string;
    /** A point of time has no length. */
    readonly range: Range;
    readonly facts: readonly Fact[];
    /** The thread of which the events that led to it are known. */
    readonly thread: number | null;
    readonly isCollection: boolean;
    /** Those of its thread, around it and in it. */
    readonly around: readonly ElementSpan[];
    readonly inside: readonly ElementSpan[];
    readonly insideCount: number;
    /** Another of its kind or, with `any`, of its row; null: there is none. */
    step(way: Way, any?: boolean): Promise<Thing | null>;
}

/** What of a row can be chosen: the kind, and the keys that select it. */
export type Choice = Pick<Keys["element"], "kind" | "thread" | "cap" | "generation" | "name" | "group" | "state">;

/** A thing that the page itself knows. */
export function ownThing(thing: Pick<Thing, "name" | "range" | "facts" | "step">): Thing {
    return { thread: null, isCollection: false, around: [], inside: [], insideCount: 0, ...thing };
}

export const nameOfThread = ({ thread, label }: { thread: number | null; label: string | null }): string =>
    thread === null ? "" : label === null ? `thread ${thread}` : `${visible(label, 80)} (thread ${thread})`;

/** The texts of states: those of rows. */
type StateText = (state: string) => string;

function nameOf(element: ChosenElement, stateText: StateText): string {
    const { kind, cap, generation, text, state } = element;
    const thread = nameOfThread(element);
    const onCap = cap === null ? "" : ` on cap ${cap}`;
    switch (kind) {
        case "thread":
            return state === "running" ? `Run of ${thread}${onCap}` : `${thread}: ${stateText(state ?? "")}`;
        case "collection":
            return `Collection${generation === null ? "" : ` of generation ${generation}`}`;
        case "span":
            return `Span ${visible(text ?? "", 100)}${thread ? ` of ${thread}` : onCap}`;
        default:
            return `${kind === "marker" ? "Marker" : "Message"} ${visible(text ?? "", 200)}`;
    }
}

/** The facts in the engine's answer; those of what happened meanwhile follow. */
function factsOf({ kind, from_ns: from, to_ns: to, cap, thread, label, next, open }: ChosenElement, stateText: StateText): Fact[] {
    const step = Math.max((to - from) / 1000, 1);
    const isPoint = kind === "marker" || kind === "message";
    const facts: Fact[] = isPoint ? [["At", time(from, 1)]] : [["From", time(from, step)], ["To", open ? "its end is not in the log" : time(to, step)], ["Length", duration(to - from)]];
    if (next !== null) facts.push(["Then", next === "ended" ? "the thread ended" : stateText(next)]);
    if (kind === "collection" && cap !== null) facts.push(["Leader", `cap ${cap}`]);
    if (isPoint && thread !== null) facts.push(["Thread", nameOfThread({ thread, label })]);
    if (isPoint && cap !== null) facts.push(["Cap", String(cap)]);
    return facts;
}

/** The next one is of the same kind: a state is followed by the same state, a span by one of its row in the table of spans. */
const sameKind = ({ name, ...choice }: Choice, { kind, state, text }: ChosenElement): Choice => ({
    ...choice,
    ...(choice.kind === "thread" && state !== null ? { state } : {}),
    ...(kind === "span" && text !== null ? { group: text } : name === undefined ? {} : { name }),
});

/** Asks for what is chosen: that at a time or, if none has it, within so many ns. `ofRow`: what its row has. */
export async function findThing(
    track: Track,
    choice: Choice,
    where: { which?: Way; time: number; within?: number },
    stateText: StateText,
    signal?: AbortSignal,
    ofRow = choice,
): Promise<Thing | null> {
    const { which, time: ns, within = 0 } = where;
    const keys = { ...choice, ...(which ? { which } : { within: Math.ceil(within) }), time: Math.round(ns) };
    const answer: ElementAnswer = await track.ask("element", keys, signal ? { signal } : {});
    const { element, around, inside, inside_count: insideCount } = answer;
    if (!element) return null;
    const own = sameKind(choice, element);
    return {
        name: nameOf(element, stateText),
        range: { from: element.from_ns, to: element.to_ns },
        facts: factsOf(element, stateText),
        thread: element.kind === "thread" ? element.thread : null,
        isCollection: element.kind === "collection",
        around,
        inside,
        insideCount,
        step: (way, any) => findThing(track, any ? ofRow : own, { which: way, time: element.from_ns }, stateText, undefined, ofRow),
    };
}

/** A column of what caps did, as wide as a pixel. */
export function columnThing(name: string, bounds: Range, pixel: number, ns: number): Thing {
    const length = Math.max(Math.round(pixel), 1);
    const begin = Math.floor(ns / length) * length;
    const from = Math.max(begin, bounds.from);
    const range = { from, to: Math.max(begin + length, from + 1) };
    const step = Math.max(span(range) / 100, 1);
    return ownThing({
        name: `${name} at ${time(from, step)}`,
        range,
        facts: [["From", time(from, step)], ["To", time(range.to, step)], ["Length", duration(span(range))]],
        step: (way) => {
            const at = begin + (way === "next" ? length : -length);
            const isThere = way !== "longest" && at + length > bounds.from && at < bounds.to;
            return Promise.resolve(isThere ? columnThing(name, bounds, length, at) : null);
        },
    });
}

export const insideText = ({ insideCount }: Thing): string => `${grouped(insideCount)} ${insideCount === 1 ? "span" : "spans"} in it`;

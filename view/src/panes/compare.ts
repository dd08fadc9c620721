// What has changed between two runs: the numbers of hectic compare. A row leads to where its number shows.
import { Refused } from "../engine/protocol";
import type { ComparedCause, ComparedNumber, ComparisonAnswer } from "../engine/requests";
import { whyNotIn } from "../rows/empty";
import { sameRange, type Range } from "../state/range";
import { bytes, duration, grouped, percent, short, visible } from "../text";
import type { Track } from "../track";
import { choice, wideButton } from "./choice";
import { commandLine, ruleName } from "./findings";
import { withSign } from "./fields";
import { List, type Column } from "./list";
import { paneOf, type Pane, type Question } from "./pane";
import { element, table } from "./table";

/** What compares the two logs that are open. */
export interface Comparer {
    /** Of a part of each, as the logs' clocks have it; null: of whole runs. */
    compare(parts: readonly [Range, Range] | null, question: Question): Promise<ComparisonAnswer>;
    /** What a range of the axis is of each. */
    partsOf(range: Range): readonly [Range, Range];
    /** A log that has nothing in a range; undefined: both have. */
    without(range: Range): Track | undefined;
    /** The arguments of the command. */
    readonly operands: string;
}

/** How sure a difference is, the surest first, with what the command calls it. */
const certainties = [
    ["certain", "certain"],
    ["indicative", "indicative"],
    ["large", "large"],
    ["one_side", "one side only"],
    ["none", "not certain"],
] as const;

/** The rows that show a number, by how its name begins; those of caps show the others. */
const places: readonly (readonly [begin: string, rows: readonly string[]])[] = [
    ["time.gc", ["gc"]],
    ["gc.", ["gc"]],
    ["memory.", ["heap"]],
    ["heap(", ["heap_profile"]],
    ["cost_centre(", ["time_profile"]],
    ["span(", ["spans"]],
    ["marker(", ["messages"]],
    ["message(", ["messages"]],
    ["threads.", ["threads"]],
    ["sparks.", ["sparks"]],
];

export const rowsOf = (number: string): readonly string[] => places.find(([begin]) => number.startsWith(begin))?.[1] ?? ["caps"];

const texts: Readonly<Record<string, (value: number) => string>> = { ns: duration, bytes, count: grouped, share: percent };

const valueText = (value: number, unit: string): string => texts[unit]?.(value) ?? short(value);

const rankOf = ({ certainty }: ComparedNumber): number => certainties.findIndex(([name]) => name === certainty);

const hasChanged = (row: ComparedNumber): boolean => rankOf(row) < 3;

function valueColumn(title: string, key: "old" | "new" | "change"): Column<ComparedNumber> {
    return {
        title,
        value: (row) => row[key],
        text: (value, { unit }) => (key === "change" ? withSign(valueText(value, unit), value) : valueText(value, unit)),
        width: 8,
    };
}

function findingsText({ findings }: ComparisonAnswer): HTMLElement[] {
    return ([["came", "new"], ["went", "old"]] as const).flatMap(([change, log]) => {
        const found = findings.filter((finding) => finding.change === change).map(({ id }) => ruleName(id));
        return found.length > 0 ? [element("p", `Findings of the ${log} log only: ${found.join(", ")}.`)] : [];
    });
}

/** A table for each number that has changed and has parts. */
function causesTables({ causes, compare }: ComparisonAnswer): HTMLElement[] {
    const changed = new Set(compare.filter(hasChanged).map(({ number }) => number));
    const known = causes.filter(({ number, change }) => change !== 0 && changed.has(number));
    const numbers = [...new Set(known.map(({ number }) => number))];
    const row = ({ part, change, within }: ComparedCause): [string, string] => [visible(part) + (within ? ", within the others" : ""), withSign(duration(change), change)];
    return numbers.map((name) => table(`What makes up the change of ${visible(name)}`, [], known.filter(({ number }) => number === name).map(row)));
}

/** Of the command; with a blank behind. */
const options = ([old, latest]: readonly [Range, Range]): string =>
    `--from ${old.from}ns --to ${old.to}ns ${sameRange(old, latest) ? "" : `--new-from ${latest.from}ns --new-to ${latest.to}ns `}`;

/** `show`: shows rows, by their groups, in both logs. */
export function comparePane(comparer: () => Comparer | undefined, show: (rows: readonly string[]) => void): Pane {
    const list = new List<ComparedNumber>({
        caption: "Numbers",
        columns: [
            { title: "number", value: ({ number }) => visible(number), width: 18 },
            valueColumn("old", "old"),
            valueColumn("new", "new"),
            { title: "change", value: ({ part }) => part, text: (part) => withSign(percent(part), part), width: 10, none: "" },
            { title: "certainty", value: rankOf, text: (rank) => certainties[rank]?.[1] ?? "", width: 12 },
            valueColumn("difference", "change"),
        ],
        // As the command orders them.
        sort: 4,
        rising: true,
        open: ({ number }) => show(rowsOf(number)),
        filter: "Filter numbers by name",
    });
    let mode: "changed" | "all" = "changed";
    let numbers: readonly ComparedNumber[] = [];
    const fill = () => {
        const shown = mode === "all" ? numbers : numbers.filter(hasChanged);
        list.set(shown, shown.length > 0 ? numbers.length - shown.length : 0, "that have changed");
    };
    const modes = choice("Numbers", [["changed", "What has changed"], ["all", "All numbers"]] as const, mode, (name) => {
        mode = name;
        fill();
    });
    const controls = element("p", "", "controls");
    controls.append(modes, wideButton());
    return paneOf<ComparisonAnswer | string>({
        name: "compare",
        title: "Compare",
        isJob: true,
        isOfAll: true,
        isOffered: () => comparer() !== undefined,
        async ask(question) {
            const { range, whole } = question;
            const { compare, partsOf, without } = comparer()!;
            const track = without(range);
            if (track) return whyNotIn(track);
            try {
                return await compare(whole ? null : partsOf(range), question);
            } catch (error) {
                if (error instanceof Refused) return error.message;
                throw error;
            }
        },
        show(answer, { range, whole }) {
            const parts = whole ? null : comparer()?.partsOf(range);
            const command = commandLine(`hectic compare ${parts ? options(parts) : ""}${comparer()?.operands ?? ""}`);
            if (typeof answer === "string") return [element("p", visible(answer, 500), "missing"), ...(comparer()?.without(range) ? [] : [command])];
            numbers = answer.compare;
            fill();
            const verdict = element("div", "", "verdict");
            verdict.append(...answer.verdict.map((sentence) => element("p", visible(sentence, 1000))), ...findingsText(answer));
            return [verdict, controls, list.element, ...causesTables(answer), command];
        },
    });
}

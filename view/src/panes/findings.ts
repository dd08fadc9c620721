// What stands out, a card each: a number, a sentence, the next command. A card leads to where the finding shows.
import type { Finding, FindingPlace, FindingsAnswer } from "../engine/requests";
import { span, type Range } from "../state/range";
import { bytes, duration, grouped, percent, shellWord, short, time, visible } from "../text";
import type { Track } from "../track";
import { requestPane, type Pane, type Question } from "./pane";
import { element } from "./table";

/** Goes to where a finding shows; `part`: its range, unless that is all that was judged. */
export type ShowPlace = (place: FindingPlace, part: Range | null, question: Question) => void;

/** Longer commands are cut where they are shown, not where they are copied. */
const longestCommand = 300;
const copiedMilliseconds = 1500;

const abbreviations: Readonly<Record<string, string>> = { gc: "GC", mvar: "MVar", stm: "STM" };

/** The name of a rule, in words. */
export function ruleName(id: string): string {
    const words = id.split("_").map((word) => abbreviations[word] ?? word);
    const [first = "", ...rest] = words;
    return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
}

const valueTexts: Readonly<Record<string, (value: number) => string>> = {
    share: percent,
    ns: duration,
    bytes,
    threads: (value) => `${Number.isInteger(value) ? grouped(value) : short(value)} threads`,
    events: (value) => `${grouped(value)} events`,
};

/** The command, for a shell. */
function commandOf({ command }: Finding, { engine, overview }: Track): string {
    const name = overview?.log ?? engine.name;
    return name ? command.replace(/ LOG$/, () => ` ${shellWord(name)}`) : command;
}

/** Copies a text that is shown in an element; without the right to do so, selects it. */
async function copy(text: string, shown: HTMLElement): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        getSelection()?.selectAllChildren(shown);
        return false;
    }
}

/** A command, with a button that copies it. */
export function commandLine(text: string): HTMLElement {
    const line = element("div", "", "command");
    const code = element("code", visible(text, longestCommand));
    const button = element("button", "Copy", "small");
    button.setAttribute("aria-label", `Copy the command ${visible(text, longestCommand)}`);
    button.addEventListener("click", async () => {
        button.textContent = (await copy(text, code)) ? "Copied" : "Selected";
        setTimeout(() => (button.textContent = "Copy"), copiedMilliseconds);
    });
    line.append(code, button);
    return line;
}

function priceBar(importance: number): HTMLElement {
    const made = element("span", "", "price");
    const bar = element("i");
    bar.style.width = `${importance * 100}%`;
    made.append(bar, element("span", `importance ${percent(importance)}`));
    made.title = "About the share of the time that the finding explains (docs/verdicts.md)";
    return made;
}

/** A text in which no line ends within a flag. */
function sentences(text: string): HTMLElement {
    const made = element("span", "", "says");
    for (const part of visible(text, 1000).split(/(?<=\s|^)([-+]\S+)/)) made.append(/^[-+]/.test(part) ? element("span", part, "flag") : part);
    return made;
}

function placeText(part: Range | null, { whole }: Question): string {
    if (!part) return whole ? "Show the whole run" : "Show the range";
    const step = Math.max(span(part) / 1000, 1);
    return `Show ${time(part.from, step)} to ${time(part.to, step)} (${duration(span(part))})`;
}

function card(finding: Finding, answer: FindingsAnswer, question: Question, show: ShowPlace): HTMLElement {
    const { from_ns: from, to_ns: to } = finding.where;
    /* A place without a length is shown with what is around it. */
    const around = to - from > 1 ? 0 : (answer.to_ns - answer.from_ns) / 50;
    const shown = { from: Math.max(from - around, answer.from_ns), to: Math.min(to + around, answer.to_ns) };
    const part = from > answer.from_ns || to < answer.to_ns ? shown : null;
    const made = element("li", "", "card");
    const button = element("button");
    const head = element("span", "", "number");
    head.append(element("b", valueTexts[finding.unit]?.(finding.value) ?? short(finding.value)), " ", element("span", ruleName(finding.id)));
    button.append(head, " ", priceBar(finding.importance), " ", sentences(finding.text), " ", element("span", placeText(part, question), "place"));
    button.addEventListener("click", () => show(finding.where, part, question));
    made.append(button, commandLine(commandOf(finding, question.track)));
    return made;
}

/** What was not measured. */
function unknownRules({ unknown }: FindingsAnswer, { whole }: Question): HTMLElement[] {
    if (unknown.length === 0) return [];
    const made = element("details", "", "unknown-rules");
    const why = whole ? "The log lacks what they measure, or has too little of the run" : "The log or this range lacks what they measure; some are about whole runs";
    made.append(
        element("summary", `Not known: ${unknown.length} of the rules`),
        element("p", `${why}: ${unknown.map(ruleName).join(", ")}.`),
    );
    return [made];
}

export const findingsPane = (show: ShowPlace): Pane =>
    requestPane({
        name: "findings",
        title: "Findings",
        isJob: true,
        request: "findings",
        show(answer, question) {
            const list = element("ol", "", "cards");
            list.append(...answer.findings.map((finding) => card(finding, answer, question, show)));
            const nothing = answer.nothing === null ? [] : [element("p", visible(answer.nothing, 1000), "nothing")];
            return [...(answer.findings.length > 0 ? [list] : []), ...nothing, ...unknownRules(answer, question)];
        },
    });

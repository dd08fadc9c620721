// A report: a page that contains one log, or two and their comparison; or snapshots of them, which the engine reads instead.
import { answerOf, reportOf, type Json } from "./protocol";
import type { ComparisonAnswer, Report } from "./requests";

const textOf = (id: string) => document.getElementById(id)?.textContent ?? "";

/** What the names of the elements of a log end with. */
const numbers = ["", "-2"];

/** What hectic view has written into this page, of each log; none: it is not a report. */
export function readReports(): Report[] {
    const texts = numbers.map((number) => textOf(`report${number}`)).filter((text) => text);
    return texts.map((text) => reportOf(JSON.parse(text) as Json));
}

/** The snapshots as files that the engine reads. */
export function snapshotsOf(reports: readonly Report[]): File[] {
    return reports.map(({ log }, index) => {
        const id = `snapshot${numbers[index]}`;
        const text = atob(textOf(id));
        const bytes = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
        document.getElementById(id)?.remove();
        return new File([bytes], log);
    });
}

/** What hectic compare says about the whole runs; undefined: there is one log. */
export function comparisonInReport(): ComparisonAnswer | undefined {
    const text = textOf("comparison");
    return text ? answerOf("comparison", JSON.parse(text) as Json) : undefined;
}

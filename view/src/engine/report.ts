// A report: a page that contains a snapshot of a log, which the engine reads instead of one.
import { reportOf, type Json } from "./protocol";
import type { Report } from "./requests";

const textOf = (id: string) => document.getElementById(id)?.textContent ?? "";

/** What hectic view has written into this page; undefined: it is not a report. */
export function readReport(): Report | undefined {
    const text = textOf("report");
    return text ? reportOf(JSON.parse(text) as Json) : undefined;
}

/** The snapshot as a file that the engine reads. */
export function snapshotOf(report: Report): File {
    const text = atob(textOf("snapshot"));
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    document.getElementById("snapshot")?.remove();
    return new File([bytes], report.log);
}

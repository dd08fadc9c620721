// What a report holds, and what was left out.
import type { Report } from "../engine/requests";
import { bytes, visible } from "../text";
import { element } from "./table";

export function showReport(host: HTMLElement, reports: readonly Report[]): void {
    host.replaceChildren(...reports.map(detailsOf));
    host.hidden = false;
}

function detailsOf(report: Report): HTMLElement {
    const { log, slots, startup, damaged_places: damaged, left_out: leftOut, shortened } = report;
    const summary = element(
        "summary",
        `Report of ${visible(log, 100)}: ${slots === null ? "the log" : "the whole run"}${leftOut.length > 0 ? `; ${leftOut.length} left out` : ""}${damaged > 0 ? "; the log is damaged" : ""}`,
    );
    const held =
        slots === null
            ? ["The log is in this file: numbers, tables and search work for any part of it."]
            : [
                  `Pictures have up to ${slots} time slots: they become coarse when they are enlarged.`,
                  "Numbers and tables are those of the whole run; for those of a selection, open the log.",
                  "Events are left out.",
              ];
    const items = [
        ...held,
        ...(damaged > 0 ? [`The log is damaged in ${damaged} ${damaged === 1 ? "place" : "places"}, which are left out.`] : []),
        ...(startup
            ? [
                  `Arguments: ${startup.arguments.map((text) => visible(text)).join(" ")}`,
                  ...startup.environment.map((text) => `Environment: ${visible(text)}`),
              ]
            : ["Arguments and environment of the program, and directories, are left out."]),
        ...shortened.map(
            ({ request, section, rows }) =>
                `Shortened to ${rows} rows, to limit the size of the report: ${visible(request, 60)} of section ${section}.`,
        ),
        ...leftOut.map(
            ({ request, section, bytes: size }) =>
                `Left out, to limit the size of the report: ${visible(request, 60)} of section ${section} (${bytes(size)}).`,
        ),
    ];
    const list = element("ul");
    list.append(...items.map((text) => element("li", text)));
    const details = element("details");
    details.append(summary, list);
    return details;
}

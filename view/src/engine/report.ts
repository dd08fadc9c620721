// A report: a page that contains a snapshot of a log, which the engine reads instead of one.

export interface Report {
    /** The name of the log. */
    log: string;
    /** The parts of time that its pictures have at most. */
    slots: number;
    /** How the program was started, and with directories; undefined: left out. */
    startup: { arguments: string[]; environment: string[] } | undefined;
    leftOut: { request: string; section: number; bytes: number }[];
    /** Tables that have only the first rows. */
    shortened: { request: string; section: number; rows: number }[];
}

const textOf = (id: string) => document.getElementById(id)?.textContent ?? "";

const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
const startupOf = ({ arguments: words, environment }: Record<string, unknown>) => ({
    arguments: textsOf(words),
    environment: textsOf(environment),
});

/** What hectic view has written into this page; undefined: it is not a report. */
export function readReport(): Report | undefined {
    const text = textOf("report");
    if (!text) return undefined;
    const { log, slots, startup, left_out: leftOut, shortened } = JSON.parse(text) as Record<string, unknown>;
    return {
        log: String(log),
        slots: Number(slots),
        startup: startup ? startupOf(startup as Record<string, unknown>) : undefined,
        leftOut: (Array.isArray(leftOut) ? leftOut : []).map((item: Record<string, unknown>) => ({
            request: String(item.request),
            section: Number(item.section),
            bytes: Number(item.bytes),
        })),
        shortened: (Array.isArray(shortened) ? shortened : []).map((item: Record<string, unknown>) => ({
            request: String(item.request),
            section: Number(item.section),
            rows: Number(item.rows),
        })),
    };
}

/** The snapshot as a file that the engine reads. */
export function snapshotOf(report: Report): File {
    const text = atob(textOf("snapshot"));
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    document.getElementById("snapshot")?.remove();
    return new File([bytes], report.log);
}

// Minimum mutator utilisation: the least share of time outside of collections, of all windows of a length.
import { duration, percent } from "../text";
import { curve } from "./chart";
import { recorded, requestPane, type Pane } from "./pane";
import { element, table } from "./table";

export function mmuPane(): Pane {
    return requestPane({
        name: "mmu",
        title: "Utilisation",
        isJob: true,
        missing: recorded("gc", "This log has no events of collections. Record them with +RTS -lg (part of -l)."),
        request: "mmu",
        show({ window_ns, mutator_share }) {
            const points = window_ns.map((window, index): readonly [number, number] => [window, mutator_share[index] ?? 0]);
            const never = points.filter(([, share]) => share <= 0).at(-1);
            const label =
                `Minimum mutator utilisation over the length of the window: ` +
                points.filter((_, index) => index % 8 === 0).map(([window, share]) => `${duration(window)} ${percent(share)}`).join(", ");
            return [
                element("h3", "Minimum mutator utilisation"),
                element(
                    "p",
                    "In every window of this length, at least this share of the time was not spent in collections.",
                    "remark",
                ),
                ...(points.length > 1 ? [curve(label, points)] : []),
                table(
                    "By window",
                    ["length", "minimum utilisation"],
                    points.filter((_, index) => index % Math.max(Math.ceil(points.length / 24), 1) === 0 || index === points.length - 1).map(
                        ([window, share]) => [duration(window), percent(share)],
                    ),
                ),
                ...(never ? [element("p", `A window of at least ${duration(never[0])} was spent entirely in collections.`, "remark")] : []),
            ];
        },
    });
}

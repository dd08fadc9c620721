// What fills the heap, and what grows: the bands of a heap profile, as a picture and as a table.
import { Drawing } from "../draw/drawing";
import type { Range } from "../state/range";
import { bytes, percent, time } from "../text";
import type { Theme } from "../theme";
import { bandAt, drawBands, type BandMode, type BandPicture } from "./bands";
import { choice, wideButton } from "./choice";
import { numberColumn, shownText } from "./fields";
import { drawnBands, labelOf, legendItems, mostBands, profilesOf, type LabelledBand, type Profile } from "./heap_profile";
import { heapChange } from "./heap_change";
import { List } from "./list";
import { recorded, requestPane, type Pane } from "./pane";
import { element } from "./table";

const modes: readonly (readonly [BandMode, string])[] = [["area", "Area"], ["lines", "Lines"], ["share", "Shares"]];

const sizeColumn = <K extends string>(title: string, key: K) => numberColumn(title, key, bytes, 9);

export function heapPane(theme: Theme): Pane {
    let profiles: Profile[] = [];
    let chosen = 0;
    let mode: BandMode = "area";
    let range: Range = { from: 0, to: 1 };
    let pointed: { sample: number; band: number | null } | null = null;

    const picture = (): BandPicture => {
        const profile = profiles[chosen];
        return {
            range,
            times: profile?.times ?? [],
            bands: profile ? drawnBands(profile) : [],
            mode,
            band: pointed?.band ?? null,
            sample: pointed?.sample ?? null,
        };
    };
    const drawing = new Drawing(
        "Heap bands",
        theme,
        (width) => Math.round(Math.min(Math.max(width * 0.6, 200), 460)),
        (paper) => drawBands(paper, picture()),
    );
    const { canvas } = drawing;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Heap bands over time; arrows choose a sample and a band");
    const status = element("output", "", "pointed");
    const legend = element("ul", "", "legend");
    const select = element("select");
    select.setAttribute("aria-label", "Heap profile");
    const controls = element("p", "", "controls");
    const choose = choice("Picture", modes, mode, (name) => {
        mode = name;
        drawing.schedule();
    });
    controls.append(choose, wideButton(), select);

    const list = new List<LabelledBand>({
        caption: "Bands",
        columns: [
            { title: "band", value: labelOf, width: 18 },
            sizeColumn("mean", "mean_bytes"),
            sizeColumn("end", "end_bytes"),
            sizeColumn("largest", "max_bytes"),
            numberColumn("growth", "growth_bytes", (value) => `${bytes(value)}/s`, 11),
            { title: "steady", value: ({ suspect }) => (suspect ? "grows" : ""), width: 7 },
            sizeColumn("deviation", "stddev_bytes"),
            { title: "place", value: ({ location }) => shownText(location) ?? "", width: 14 },
        ],
        sort: 1,
        open: (row) => {
            const index = profiles[chosen]?.bands.findIndex((band) => band.row === row) ?? -1;
            const times = profiles[chosen]?.times.length ?? 0;
            point(index < 0 || times === 0 ? null : { sample: pointed?.sample ?? times - 1, band: Math.min(index, mostBands) });
        },
        filter: "Filter bands",
    });

    function point(at: typeof pointed): void {
        pointed = at;
        status.textContent = describe();
        for (const [index, item] of [...legend.children].entries()) item.classList.toggle("marked", index === at?.band);
        drawing.schedule();
    }

    function describe(): string {
        const { times, bands } = picture();
        if (!pointed || times[pointed.sample] === undefined) return "";
        const total = bands.reduce((sum, { sizes }) => sum + (sizes[pointed!.sample] ?? 0), 0);
        const step = Math.max((range.to - range.from) / 1000, 1);
        const parts = [time(times[pointed.sample]!, step)];
        const band = pointed.band === null ? undefined : bands[pointed.band];
        if (band) {
            const size = band.sizes[pointed.sample] ?? 0;
            parts.push(band.label, `${bytes(size)}${total > 0 ? ` (${percent(size / total)})` : ""}`);
        }
        parts.push(`all ${bytes(total)}`);
        return parts.join(" · ");
    }

    function fillLegend(): void {
        const items = legendItems(picture().bands, theme.dark);
        items.forEach((item, band) => item.addEventListener("pointerenter", () => point({ sample: pointed?.sample ?? 0, band })));
        legend.replaceChildren(...items);
    }
    theme.listen(fillLegend);

    function fill(): void {
        const profile = profiles[chosen];
        pointed = null;
        status.textContent = "";
        const rows = profile?.bands.map(({ row }) => row) ?? [];
        list.set(rows, (profile?.bandCount ?? 0) - rows.length, "largest");
        fillLegend();
        drawing.schedule();
    }

    canvas.addEventListener("pointermove", (event) => {
        const at = bandAt(picture(), event.offsetX, event.offsetY, canvas.clientWidth, canvas.clientHeight);
        if (at?.sample !== pointed?.sample || at?.band !== pointed?.band) point(at);
    });
    canvas.addEventListener("pointerleave", () => point(null));
    canvas.addEventListener("keydown", (event) => {
        const { times, bands } = picture();
        const steps: Record<string, [sample: number, band: number]> = {
            ArrowLeft: [-1, 0],
            ArrowRight: [1, 0],
            ArrowUp: [0, 1],
            ArrowDown: [0, -1],
        };
        const step = steps[event.key];
        if (!step || times.length === 0 || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        const limit = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
        point({
            sample: limit(pointed ? pointed.sample + step[0] : 0, times.length),
            band: limit(pointed?.band == null ? 0 : pointed.band + step[1], bands.length),
        });
    });
    select.addEventListener("change", () => {
        chosen = Number(select.value);
        fill();
    });

    return requestPane({
        name: "heap",
        title: "Heap bands",
        isJob: true,
        missing: recorded("heap_profile", "This log has no heap profile. Record one with +RTS -hT -l (or -hy, -hc …: ghc -prof)."),
        request: "heap",
        show(answer, question) {
            profiles = profilesOf(answer);
            range = question.range;
            if (profiles.length === 0) {
                return [element("p", "No heap profile here.", "missing")];
            }
            chosen = Math.min(chosen, profiles.length - 1);
            select.hidden = profiles.length < 2;
            select.replaceChildren(
                ...profiles.map(({ title, times }, index) => {
                    const option = element("option", `Profile ${index + 1}, ${title}, ${times.length} samples`);
                    option.value = String(index);
                    option.selected = index === chosen;
                    return option;
                }),
            );
            fill();
            return [controls, canvas, status, legend, list.element];
        },
        change: heapChange(theme, modes),
    });
}

// How the bands of two heap profiles differ: both pictures on the same axes, and a table.
import { Drawing } from "../draw/drawing";
import type { HeapAnswer } from "../engine/requests";
import type { Range } from "../state/range";
import { bytes } from "../text";
import type { Theme } from "../theme";
import { drawBands, mostOf, type Band, type BandMode } from "./bands";
import { choice, wideButton } from "./choice";
import { changeColumns, leftOutText, noPair, pairsOf, type Both } from "./fields";
import { drawnBands, legendItems, profilesOf, type LabelledBand, type Profile } from "./heap_profile";
import { List } from "./list";
import type { Question } from "./pane";
import { element } from "./table";

type Pair = readonly [old: Profile, latest: Profile];

/** A band in one or both of two profiles. */
interface BandChange {
    label: string;
    runs: readonly [LabelledBand | undefined, LabelledBand | undefined];
    /** Bytes at each time of each profile. */
    sizes: readonly [readonly number[], readonly number[]];
    /** What a profile without the band has; null: it may be one of those that are left out. */
    without: Both;
}

/** By the whole label, not the part that is shown; of bands with the same one the largest first. */
function bandsByName({ bands }: Profile): Map<string, Profile["bands"][number]> {
    const counts = new Map<string, number>();
    return new Map(
        bands.map((band) => {
            const name = `${band.row.label}\n${band.row.module ?? ""}`;
            const count = counts.get(name) ?? 0;
            counts.set(name, count + 1);
            return [`${count} ${name}`, band];
        }),
    );
}

const meanOf = ({ runs }: BandChange): number => Math.max(...runs.map((run) => run?.mean_bytes ?? 0));

/** The largest first. */
function changesOf(pair: Pair): BandChange[] {
    const [old, latest] = [bandsByName(pair[0]), bandsByName(pair[1])];
    const [oldNone, latestNone] = pair.map(({ times }) => times.map(() => 0)) as [number[], number[]];
    const without = pair.map(({ bandCount, bands }) => (bandCount > bands.length ? null : 0)) as [number | null, number | null];
    const made = [...new Set([...old.keys(), ...latest.keys()])].map((name): BandChange => {
        const [before, after] = [old.get(name), latest.get(name)];
        return {
            label: (after ?? before)!.label,
            runs: [before?.row, after?.row],
            sizes: [before?.sizes ?? oldNone, after?.sizes ?? latestNone],
            without,
        };
    });
    return made.sort((a, b) => meanOf(b) - meanOf(a));
}

const sizeOf =
    (key: "mean_bytes" | "max_bytes" | "end_bytes") =>
    ({ runs: [old, latest], without }: BandChange): Both => [old ? old[key] : without[0], latest ? latest[key] : without[1]];

export function heapChange(theme: Theme, modes: readonly (readonly [BandMode, string])[]): (old: HeapAnswer, latest: HeapAnswer, question: Question) => Element[] {
    let pairs: Pair[] = [];
    let chosen = 0;
    let mode: BandMode = "area";
    let range: Range = { from: 0, to: 1 };
    /** Of the chosen pair: those with the same place have the same color. */
    let drawn: readonly [Band[], Band[]] = [[], []];

    const pictures = () => ([0, 1] as const).map((side) => ({ times: pairs[chosen]?.[side].times ?? [], bands: drawn[side], mode }));
    const drawings = ["Old", "New"].map(
        (name, side) =>
            new Drawing(
                `Heap bands, ${name.toLowerCase()}`,
                theme,
                (width) => Math.round(Math.min(Math.max(width * 0.4, 140), 300)),
                (paper) => {
                    const both = pictures();
                    drawBands(paper, { ...both[side]!, range, most: Math.max(...both.map(mostOf)), band: null, sample: null });
                },
            ),
    );
    for (const { canvas, name } of drawings) {
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `${name}: the table below has its numbers`);
    }
    const draw = () => drawings.forEach((drawing) => drawing.schedule());
    const legend = element("ul", "", "legend");
    const fillLegend = () => legend.replaceChildren(...legendItems(drawn[0].length > drawn[1].length ? drawn[0] : drawn[1], theme.dark));
    theme.listen(fillLegend);
    const select = element("select");
    select.setAttribute("aria-label", "Heap profile");
    const controls = element("p", "", "controls");
    controls.append(
        choice("Picture", modes, mode, (name) => {
            mode = name;
            draw();
        }),
        wideButton(),
        select,
    );
    const list = new List<BandChange>({
        caption: "Bands",
        columns: [
            { title: "band", value: ({ label }) => label, width: 18 },
            ...changeColumns<BandChange>("mean", sizeOf("mean_bytes"), bytes),
            ...changeColumns<BandChange>("largest", sizeOf("max_bytes"), bytes, 11),
            ...changeColumns<BandChange>("end", sizeOf("end_bytes"), bytes),
        ],
        sort: 1,
        filter: "Filter bands",
    });

    const note = element("p", "", "remark");

    function fill(): void {
        const pair = pairs[chosen]!;
        const changes = changesOf(pair);
        const bandsOf = (side: 0 | 1) => drawnBands({ bands: changes.map(({ label, sizes }) => ({ label, sizes: sizes[side] })), totals: pair[side].totals });
        drawn = [bandsOf(0), bandsOf(1)];
        list.set(changes);
        const [old, latest] = pair.map(({ bandCount, bands }) => bandCount - bands.length) as [number, number];
        note.textContent = leftOutText("Small bands", [old, latest]);
        fillLegend();
        draw();
    }
    select.addEventListener("change", () => {
        chosen = Number(select.value);
        fill();
    });

    return (old, latest, question) => {
        const both = [profilesOf(old), profilesOf(latest)] as const;
        pairs = pairsOf(...both);
        range = question.range;
        if (pairs.length === 0) return noPair("a heap profile by the same breakdown", ...both);
        chosen = Math.min(chosen, pairs.length - 1);
        select.hidden = pairs.length < 2;
        select.replaceChildren(...pairs.map(([{ title }], index) => new Option(`Profile ${title}`, String(index), false, index === chosen)));
        fill();
        return [controls, ...drawings.flatMap(({ canvas }, side) => [element("h3", side ? "New" : "Old"), canvas]), legend, list.element, note];
    };
}

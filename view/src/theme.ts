// Light and dark; the colors of the pictures. They are those of the style sheet, where every pair that
// meets differs in lightness, so that no kind of color vision is needed to tell them apart.
import { read, write } from "./state/stored";

export interface Palette {
    dark: boolean;
    /** As ImageData has them: 0xAABBGGRR. */
    idle: number;
    running: number;
    collecting: number;
    waitingBegin: number;
    waitingEnd: number;
    waitingOut: number;
    /** Drawn as stripes: see `stripe`. */
    unknown: number;
    text: string;
    faint: string;
    line: string;
    runningText: string;
    edge: string;
    accent: string;
    accentText: string;
    shade: string;
    heap: string;
    blocks: string;
    live: string;
    allocated: string;
    gc: string;
    runnable: string;
    created: string;
    woken: string;
    migrated: string;
    requested: string;
    spark: string;
    sparkConverted: string;
    sparkFizzled: string;
    sparkCollected: string;
    sparkDud: string;
    sparkOverflowed: string;
    sparkPool: string;
    font: string;
}

const key = "hectic-theme";

/** A color of the style sheet as ImageData has it. */
export function pixelOf(color: string): number {
    const [, r = "0", g = "0", b = "0"] = /^#(..)(..)(..)$/.exec(color) ?? [];
    return ((255 << 24) | (parseInt(b, 16) << 16) | (parseInt(g, 16) << 8) | parseInt(r, 16)) >>> 0;
}

export class Theme {
    private readonly system = matchMedia("(prefers-color-scheme: dark)");
    private chosen = read(key);
    private readonly listeners: (() => void)[] = [];
    palette: Palette;

    constructor() {
        this.palette = this.apply();
        this.system.addEventListener("change", () => this.update());
    }

    get dark(): boolean {
        return this.chosen ? this.chosen === "dark" : this.system.matches;
    }

    listen(listener: () => void): void {
        this.listeners.push(listener);
    }

    toggle(): void {
        this.chosen = this.dark ? "light" : "dark";
        write(key, this.chosen);
        this.update();
    }

    private update(): void {
        this.palette = this.apply();
        for (const listener of this.listeners) listener();
    }

    private apply(): Palette {
        const root = document.documentElement;
        root.dataset.theme = this.dark ? "dark" : "light";
        const style = getComputedStyle(root);
        const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
        return {
            dark: this.dark,
            idle: pixelOf(color("idle")),
            running: pixelOf(color("running")),
            collecting: pixelOf(color("collecting")),
            waitingBegin: pixelOf(color("waiting-begin")),
            waitingEnd: pixelOf(color("waiting-end")),
            waitingOut: pixelOf(color("waiting-out")),
            unknown: pixelOf(color("unknown")),
            text: color("text"),
            faint: color("faint"),
            line: color("line"),
            runningText: color("running-text"),
            edge: color("edge"),
            accent: color("accent"),
            accentText: color("accent-text"),
            shade: color("shade"),
            heap: color("heap"),
            blocks: color("blocks"),
            live: color("live"),
            allocated: color("allocated"),
            gc: color("collecting"),
            runnable: color("runnable"),
            created: color("created"),
            woken: color("woken"),
            migrated: color("migrated"),
            requested: color("requested"),
            spark: color("spark"),
            sparkConverted: color("spark-converted"),
            sparkFizzled: color("spark-fizzled"),
            sparkCollected: color("spark-collected"),
            sparkDud: color("spark-dud"),
            sparkOverflowed: color("spark-overflowed"),
            sparkPool: color("spark-pool"),
            font: style.fontFamily,
        };
    }
}

// The line between the timeline and the panes: it is moved by the pointer or by keys. Browsers remember the width of the panes.
import { setWide } from "./panes/choice";
import { read, write } from "./state/stored";

const stored = "hectic.panes";
const least = 280;
/** What is left to the timeline. */
const leastBeside = 420;
const step = 24;

/** `sides`: how many panes there are side by side; the width is that of each. */
export function makeSplitter(line: HTMLElement, panes: HTMLElement, sides: () => number): void {
    const present = () => panes.clientWidth / sides();
    const most = () => Math.max((window.innerWidth - leastBeside) / sides(), least);
    const tell = () => {
        line.setAttribute("aria-valuemin", String(least));
        line.setAttribute("aria-valuemax", String(Math.round(most())));
        line.setAttribute("aria-valuenow", String(Math.round(present())));
    };
    /** null: as at first. */
    const set = (width: number | null) => {
        setWide(false);
        const bounded = width === null ? null : Math.round(Math.min(Math.max(width, least), most()));
        document.documentElement.style.setProperty("--pane-width", bounded === null ? "" : `${bounded}px`);
        write(stored, bounded === null ? null : String(bounded));
        tell();
    };
    const remembered = Number(read(stored));
    if (remembered > 0) set(remembered);
    new ResizeObserver(tell).observe(panes);

    line.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        line.focus();
        line.setPointerCapture(event.pointerId);
        const width = present();
        const begin = event.clientX;
        const move = ({ clientX }: PointerEvent) => set(width + (begin - clientX) / sides());
        line.addEventListener("pointermove", move);
        for (const end of ["pointerup", "pointercancel"]) line.addEventListener(end, () => line.removeEventListener("pointermove", move), { once: true });
    });
    line.addEventListener("dblclick", () => set(null));
    line.addEventListener("keydown", (event) => {
        const width = present();
        const wanted = { ArrowLeft: width + step, ArrowRight: width - step, Home: most(), End: least, Enter: null }[event.key];
        if (wanted === undefined) return;
        event.preventDefault();
        set(wanted);
    });
}

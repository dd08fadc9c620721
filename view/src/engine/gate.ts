// The engine keeps a few jobs. If there are more, the one that was not asked for the longest time begins
// again. So the page asks for no more than these at a time.
import type { Engine } from "./engine";

/** The engine keeps 4 (JOBS_MAX in src/view/engine.h): one may be there that is not asked for any more. */
const most = 3;

interface Gate {
    under: number;
    waiting: (() => void)[];
}

const gates = new WeakMap<Engine, Gate>();

/** Runs `work` once fewer than `most` others of the engine are under way; first come, first served. */
export async function inTurn<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
    const gate = gates.get(engine) ?? { under: 0, waiting: [] };
    gates.set(engine, gate);
    if (gate.under < most) gate.under++;
    else await new Promise<void>((resolve) => gate.waiting.push(resolve));
    try {
        return await work();
    } finally {
        // The place is handed on.
        const next = gate.waiting.shift();
        if (next) next();
        else gate.under--;
    }
}

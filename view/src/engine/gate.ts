// The engine keeps a few jobs. If there are more, the one that was not asked for the longest time begins
// again. So the page asks for no more than these at a time.
/** The engine keeps 4 (JOBS_MAX in src/view/engine/engine.h): one may be there that is not asked for any more. */
export const mostJobs = 3;

export class Gate {
    private under = 0;
    private readonly waiting: (() => void)[] = [];

    /** Runs `work` once fewer than `mostJobs` others are under way; first come, first served. */
    async inTurn<T>(work: () => Promise<T>): Promise<T> {
        if (this.under < mostJobs) this.under++;
        else await new Promise<void>((resolve) => this.waiting.push(resolve));
        try {
            return await work();
        } finally {
            // The place is handed on.
            const next = this.waiting.shift();
            if (next) next();
            else this.under--;
        }
    }
}

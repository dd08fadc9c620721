// What answers requests about a log: the engine in a worker, or the server of hectic view.
import type { Answer } from "./protocol";

/** How much of a log has been read. */
export interface Progress {
    read: number;
    /** Bytes of the log; 0: not known. */
    size: number;
    /** Everything was read: answers are those of the whole log. */
    complete: boolean;
}

export interface Engine {
    /** The name of the log. */
    readonly name: string;
    /** Rejects with what is wrong: Refused, if the engine says it. */
    ask(request: string): Promise<Answer>;
    /** Asks for what may take long. `progress` gets 0 … 1. Rejects when `signal` is aborted: nothing is read
     *  for it any more. */
    job(request: string, progress: (share: number) => void, signal?: AbortSignal): Promise<Answer>;
    close(): void;
}

export interface EngineEvents {
    progress(progress: Progress): void;
    /** Reading ended early; what was read before can still be asked. */
    failed(message: string): void;
}

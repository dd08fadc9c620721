// The engine in a worker, for a file of the user's. At file:// a worker can only come from a blob.
import engineText from "embedded:engine";
import workerText from "embedded:worker";
import type { Engine, EngineEvents } from "./engine";
import type { FromWorker, ToWorker } from "./messages";
import { Refused, type Answer } from "./protocol";

function engineBytes(): ArrayBuffer {
    const text = atob(engineText);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes.buffer;
}

function newWorker(): Worker {
    const url = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    const wasm = engineBytes();
    const message: ToWorker = { kind: "prepare", wasm };
    worker.postMessage(message, [wasm]);
    return worker;
}

/** A worker that is ready when a log is chosen. */
let spare: Worker | undefined;

export function prepareEngine(): void {
    spare ??= newWorker();
}

interface Pending {
    resolve(answer: Answer): void;
    reject(error: Error): void;
    progress?(share: number): void;
}

export class LocalEngine implements Engine {
    private readonly worker: Worker;
    private readonly pending = new Map<number, Pending>();
    private lastId = 0;

    constructor(
        private readonly file: File,
        events: EngineEvents,
    ) {
        this.worker = spare ?? newWorker();
        spare = undefined;
        this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
            switch (data.kind) {
                case "progress":
                    events.progress(data.progress);
                    break;
                case "failed":
                    events.failed(data.message);
                    break;
                case "step":
                    this.pending.get(data.id)?.progress?.(data.share);
                    break;
                case "answer":
                    this.take(data.id)?.resolve(data.answer);
                    break;
                case "refused":
                    this.take(data.id)?.reject(new Refused(data.message, data.code));
                    break;
            }
        };
        this.worker.onerror = (event) => events.failed(event.message);
        this.send({ kind: "open", file });
    }

    get name(): string {
        return this.file.name;
    }

    ask(request: string): Promise<Answer> {
        const id = ++this.lastId;
        return new Promise((resolve, reject) => {
            this.pending.set(id, { resolve, reject });
            this.send({ kind: "ask", id, request });
        });
    }

    job(request: string, progress: (share: number) => void, signal?: AbortSignal): Promise<Answer> {
        const id = ++this.lastId;
        return new Promise((resolve, reject) => {
            signal?.throwIfAborted();
            this.pending.set(id, { resolve, reject, progress });
            this.send({ kind: "job", id, request });
            signal?.addEventListener("abort", () => {
                const dropped = this.take(id);
                if (!dropped) return;
                this.send({ kind: "drop", id });
                dropped.reject(signal.reason as Error);
            });
        });
    }

    close(): void {
        this.worker.terminate();
        for (const { reject } of this.pending.values()) reject(new Error("closed"));
        this.pending.clear();
    }

    private send(message: ToWorker): void {
        this.worker.postMessage(message);
    }

    private take(id: number) {
        const found = this.pending.get(id);
        this.pending.delete(id);
        return found;
    }
}

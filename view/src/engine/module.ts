// The engine, compiled to wasm: the interface of view_wasm.c.

interface Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    seed(low: number, high: number): void;
    "new"(log: number): number;
    free(view: number): void;
    read(view: number, size: number): number;
    ask(view: number, request: number, length: number): number;
    bytes(view: number): number;
    length(view: number): number;
    json(view: number): number;
    alloc(size: number): number;
    release(room: number): void;
}

/** Copies bytes of the log from `position` on into `room`; returns their number, 0 at the end. */
export type ReadAt = (position: number, room: Uint8Array) => number;

export type ReadResult = "more" | "end" | "failed";

const outOfMemory = "not enough memory";

export class EngineModule {
    private constructor(
        private readonly wasm: Exports,
        private readonly view: number,
    ) {}

    static async load(module: WebAssembly.Module, readAt: ReadAt): Promise<EngineModule> {
        let memory: WebAssembly.Memory | undefined;
        const read = (_log: number, position: number, pointer: number, size: number): number => {
            try {
                return readAt(position, new Uint8Array(memory!.buffer, pointer >>> 0, size >>> 0));
            } catch {
                return -1;
            }
        };
        const instance = await WebAssembly.instantiate(module, { env: { read } });
        const wasm = instance.exports as unknown as Exports;
        memory = wasm.memory;
        wasm._initialize();
        const [low, high] = crypto.getRandomValues(new Uint32Array(2));
        wasm.seed(low!, high!);
        const view = wasm.new(0);
        if (view === 0) throw new Error(outOfMemory);
        return new EngineModule(wasm, view);
    }

    /** Reads about `size` bytes of the log. */
    read(size: number): ReadResult {
        return (["more", "end"] as const)[this.wasm.read(this.view, size)] ?? "failed";
    }

    /** Bytes, or a text of JSON. */
    ask(request: string): { bytes: ArrayBuffer } | { json: string } {
        const text = new TextEncoder().encode(request);
        const room = this.wasm.alloc(Math.max(text.length, 1));
        if (room === 0) throw new Error(outOfMemory);
        new Uint8Array(this.wasm.memory.buffer, room >>> 0, text.length).set(text);
        const answered = this.wasm.ask(this.view, room, text.length) === 1;
        this.wasm.release(room);
        const start = this.wasm.bytes(this.view) >>> 0;
        const bytes = this.wasm.memory.buffer.slice(start, start + (this.wasm.length(this.view) >>> 0));
        const json = this.wasm.json(this.view) === 1;
        if (!answered) throw new Error(messageOf(json ? new TextDecoder().decode(bytes) : ""));
        return json ? { json: new TextDecoder().decode(bytes) } : { bytes };
    }

    /** What went wrong when reading failed. */
    error(): string {
        try {
            const answer = this.ask("error");
            return messageOf("json" in answer ? answer.json : "");
        } catch (error) {
            return String(error instanceof Error ? error.message : error);
        }
    }
}

function messageOf(json: string): string {
    try {
        const { message } = JSON.parse(json) as { message?: unknown };
        if (typeof message === "string" && message) return message;
    } catch {
        // Not JSON: nothing is known.
    }
    return outOfMemory;
}

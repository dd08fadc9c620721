// The engine, compiled to wasm: the interface of view_wasm.c.
import { errorOf, refusalOf, type Answer, type Json } from "./protocol";

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

/** Bytes of the log. */
export interface Piece {
    position: number;
    length: number;
}

/** Takes what a request reads next, in this order: at once, or when it is asked again. */
export type Expect = (pieces: readonly Piece[], atOnce: boolean) => void;

export type ReadResult = "more" | "end" | "failed";

const outOfMemory = "not enough memory";

export class EngineModule {
    private constructor(
        private readonly wasm: Exports,
        private readonly view: number,
    ) {}

    static async load(module: WebAssembly.Module, readAt: ReadAt, expect: Expect): Promise<EngineModule> {
        let memory: WebAssembly.Memory | undefined;
        const read = (_log: number, position: number, pointer: number, size: number): number => {
            try {
                return readAt(position, new Uint8Array(memory!.buffer, pointer >>> 0, size >>> 0));
            } catch {
                return -1;
            }
        };
        const expectPieces = (_log: number, pointer: number, count: number, atOnce: number): void => {
            const pairs = new BigUint64Array(memory!.buffer, pointer >>> 0, count * 2);
            const pieces: Piece[] = [];
            for (let i = 0; i < pairs.length; i += 2) {
                pieces.push({ position: Number(pairs[i]), length: Number(pairs[i + 1]) });
            }
            expect(pieces, atOnce === 1);
        };
        const instance = await WebAssembly.instantiate(module, { env: { read, expect: expectPieces } });
        const wasm = instance.exports as WebAssembly.Exports & Exports;
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

    ask(request: string): Answer {
        const text = new TextEncoder().encode(request);
        const room = this.wasm.alloc(Math.max(text.length, 1));
        if (room === 0) throw new Error(outOfMemory);
        new Uint8Array(this.wasm.memory.buffer, room >>> 0, text.length).set(text);
        const answered = this.wasm.ask(this.view, room, text.length) === 1;
        this.wasm.release(room);
        const start = this.wasm.bytes(this.view) >>> 0;
        const bytes = this.wasm.memory.buffer.slice(start, start + (this.wasm.length(this.view) >>> 0));
        const isJson = this.wasm.json(this.view) === 1;
        if (!answered && !isJson) throw new Error(outOfMemory);
        const answer: Answer = isJson ? (JSON.parse(new TextDecoder().decode(bytes)) as Json) : bytes;
        if (!answered) throw refusalOf(answer, outOfMemory);
        return answer;
    }

    /** What went wrong when reading failed. */
    error(): string {
        try {
            return refusalOf(this.ask("error"), outOfMemory).message;
        } catch (error) {
            return errorOf(error).message;
        }
    }
}

// The worker of a log: reads it into the engine, and answers requests meanwhile.
import { LogBytes, unpacked } from "./bytes";
import type { FromWorker, ToWorker } from "./messages";
import { EngineModule } from "./module";

const port = self as unknown as {
    postMessage(message: FromWorker, transfer: Transferable[]): void;
    onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};
const send = (message: FromWorker, transfer: Transferable[] = []) => port.postMessage(message, transfer);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Requests that came before the engine was there. */
let waiting: { id: number; request: string }[] | undefined = [];
let engine: EngineModule | undefined;

function answer(id: number, request: string): void {
    try {
        if (!engine) throw new Error("the log cannot be read");
        const found = engine.ask(request);
        if ("bytes" in found) send({ kind: "answer", id, answer: found.bytes }, [found.bytes]);
        else send({ kind: "answer", id, answer: JSON.parse(found.json) as unknown });
    } catch (error) {
        send({ kind: "refused", id, message: messageOf(error) });
    }
}

function answerWaiting(): void {
    const requests = waiting ?? [];
    waiting = undefined;
    for (const { id, request } of requests) answer(id, request);
}

const turn = new MessageChannel();

/** Lets requests be answered that came meanwhile: reading alone would not. */
function pause(): Promise<void> {
    return new Promise((resolve) => {
        turn.port1.onmessage = () => resolve();
        turn.port2.postMessage(null);
    });
}

async function compile(packed: ArrayBuffer): Promise<WebAssembly.Module> {
    const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(bytes).arrayBuffer());
}

/** The engine is compiled before there is a log. */
let compiled: Promise<WebAssembly.Module> | undefined;

async function open(file: File): Promise<void> {
    const bytes = new LogBytes(await unpacked(file));
    if (!compiled) throw new Error("there is no engine");
    engine = await EngineModule.load(await compiled, bytes.readAt);
    const begun = performance.now();
    let read = 0;
    let reported = 0;
    for (;;) {
        const length = await bytes.next();
        let result = engine.read(length || 1);
        // At the end of the stream, until the engine has seen that there is no more.
        while (length === 0 && result === "more") result = engine.read(1 << 16);
        read += length;
        if (result === "failed") throw new Error(engine.error());
        const complete = length === 0;
        const now = performance.now();
        // The first picture early, the others at growing intervals: they delay reading.
        if (complete || reported === 0 || now - reported > Math.max(100, (now - begun) / 8)) {
            reported = now;
            if (waiting) answerWaiting();
            send({ kind: "progress", progress: { read, size: bytes.size, complete } });
        }
        if (complete) return;
        await pause();
    }
}

port.onmessage = ({ data }) => {
    switch (data.kind) {
        case "prepare":
            compiled = compile(data.wasm);
            compiled.catch(() => undefined); // Reported when a log is opened.
            break;
        case "open":
            open(data.file).catch((error: unknown) => {
                send({ kind: "failed", message: messageOf(error) });
                answerWaiting();
            });
            break;
        case "ask":
            if (waiting) waiting.push(data);
            else answer(data.id, data.request);
            break;
    }
};

// The worker of a log: reads it into the engine, and answers requests meanwhile. Jobs are worked on in
// slices of time, between which other requests are answered.
import type { Ahead } from "./ahead";
import { LogBytes, unpacked } from "./bytes";
import { mostJobs } from "./gate";
import type { FromWorker, ToWorker } from "./messages";
import { EngineModule } from "./module";
import { errorOf, progressOf, Refused, type Answer } from "./protocol";

declare const self: {
    postMessage(message: FromWorker, transfer: Transferable[]): void;
    onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};
const send = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, transfer);
function refuse(id: number, error: Error): void {
    send({ kind: "refused", id, message: error.message, code: error instanceof Refused ? error.code : "failed" });
}

/** Requests that came before the engine was there. */
let waiting: { id: number; request: string }[] | undefined = [];
let engine: EngineModule | undefined;
let bytes: LogBytes | undefined;
let isReading = true;

function attempt(request: string): Answer {
    if (!engine) throw new Error("the log cannot be read");
    return engine.ask(request);
}

function answer(id: number, request: string): void {
    try {
        const found = attempt(request);
        send({ kind: "answer", id, answer: found }, found instanceof ArrayBuffer ? [found] : []);
    } catch (error) {
        refuse(id, errorOf(error));
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

/** What takes long is worked on for so long before other requests are looked at. */
const sliceMilliseconds = 16;
const reportMilliseconds = 100;

interface Job {
    id: number;
    request: string;
    reportedAt: number;
    ahead: Ahead | undefined;
}

/** The first ones take turns. */
const jobs: Job[] = [];
let isWorking = false;

/** Works on a job for a slice of time. True: it is done. */
function advance(job: Job): boolean {
    const { id, request } = job;
    const until = performance.now() + sliceMilliseconds;
    try {
        if (bytes) bytes.ahead = job.ahead ??= bytes.newAhead();
        for (;;) {
            const found = attempt(request);
            const progress = progressOf(found);
            if (progress === null) {
                send({ kind: "answer", id, answer: found });
                return true;
            }
            const now = performance.now();
            if (now - job.reportedAt > reportMilliseconds) {
                job.reportedAt = now;
                send({ kind: "step", id, share: progress });
            }
            if (now >= until || job.ahead?.awaited()) return false;
        }
    } catch (error) {
        refuse(id, errorOf(error));
        return true;
    } finally {
        if (bytes) bytes.ahead = undefined;
    }
}

async function workOnJobs(): Promise<void> {
    // Jobs read events, which would delay reading the log.
    if (isWorking || isReading) return;
    isWorking = true;
    for (let turn = 0; jobs.length > 0; turn++) {
        const job = jobs[turn % Math.min(jobs.length, mostJobs)]!;
        for (let waits; (waits = job.ahead?.awaited()); ) await waits;
        if (jobs.includes(job) && advance(job)) drop(job.id);
        await pause();
    }
    isWorking = false;
}

function drop(id: number): void {
    const index = jobs.findIndex((job) => job.id === id);
    if (index >= 0) jobs.splice(index, 1);
}

async function compile(packed: ArrayBuffer): Promise<WebAssembly.Module> {
    const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(bytes).arrayBuffer());
}

/** The engine is compiled before there is a log. */
let compiled: Promise<WebAssembly.Module> | undefined;

async function open(file: File): Promise<void> {
    bytes = new LogBytes(await unpacked(file));
    if (!compiled) throw new Error("there is no engine");
    engine = await EngineModule.load(await compiled, bytes.readAt, bytes.expect);
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

self.onmessage = ({ data }) => {
    switch (data.kind) {
        case "prepare":
            compiled = compile(data.wasm);
            compiled.catch(() => undefined); // Reported when a log is opened.
            break;
        case "open":
            open(data.file)
                .catch((error) => {
                    send({ kind: "failed", message: errorOf(error).message });
                    answerWaiting();
                })
                .finally(() => {
                    isReading = false;
                    void workOnJobs();
                });
            break;
        case "ask":
            if (waiting) waiting.push(data);
            else answer(data.id, data.request);
            break;
        case "job":
            jobs.push({ id: data.id, request: data.request, reportedAt: -Infinity, ahead: undefined });
            void workOnJobs();
            break;
        case "drop":
            drop(data.id);
            break;
    }
};

// What the page and the worker of an engine send to each other.
import type { Progress } from "./engine";

export type ToWorker =
    | { kind: "prepare"; wasm: ArrayBuffer }
    | { kind: "open"; file: File }
    | { kind: "ask"; id: number; request: string };

export type FromWorker =
    | { kind: "progress"; progress: Progress }
    | { kind: "failed"; message: string }
    | { kind: "answer"; id: number; answer: unknown }
    | { kind: "refused"; id: number; message: string };

// What the page and the worker of an engine send to each other.
import type { Progress } from "./engine";

export type ToWorker =
    | { kind: "prepare"; wasm: ArrayBuffer }
    | { kind: "open"; file: File }
    | { kind: "ask"; id: number; request: string }
    /** What may take long: requests that are asked meanwhile are answered first. */
    | { kind: "job"; id: number; request: string }
    | { kind: "drop"; id: number };

export type FromWorker =
    | { kind: "progress"; progress: Progress }
    | { kind: "failed"; message: string }
    | { kind: "step"; id: number; share: number }
    | { kind: "answer"; id: number; answer: unknown }
    | { kind: "refused"; id: number; message: string };

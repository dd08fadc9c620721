// What the page and the worker of an engine send to each other.
import type { Progress } from "./engine";
import type { Answer } from "./protocol";
import type { ErrorCode } from "./requests";

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
    | { kind: "answer"; id: number; answer: Answer }
    | { kind: "refused"; id: number; message: string; code: ErrorCode };

// node run.mjs MODULE.wasm ARGUMENT...: runs a WASI program on standard input and output.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [file, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [file, ...args], returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(file), {
    wasi_snapshot_preview1: wasi.wasiImport,
});
process.exitCode = wasi.start(instance);

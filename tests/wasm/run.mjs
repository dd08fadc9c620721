// node run.mjs MODULE.wasm: for each line "ARGUMENT INPUT OUTPUT" of standard input, runs a program with that argument,
// from one file to another; fails if one fails. It has what such a program needs of WASI: Node's own crashes after some runs.
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const BAD_FILE = 8, CANNOT_SEEK = 70;
class Exit extends Error {}

function run(words, files) {
    let memory;
    const view = () => new DataView(memory.buffer);
    const strings = words.map((word) => new TextEncoder().encode(`${word}\0`));
    /** Sums what `use` returns for each buffer of a list, up to the first that is not used whole. */
    const transfer = (use) => (file, list, count, sum) => {
        let total = 0;
        for (let i = 0; i < count; i++) {
            const [at, size] = [0, 4].map((offset) => view().getUint32(list + 8 * i + offset, true));
            const used = use(files[file], new Uint8Array(memory.buffer, at, size));
            total += used;
            if (used < size) break;
        }
        view().setUint32(sum, total, true);
        return 0;
    };
    const wasi = {
        args_sizes_get(count, size) {
            view().setUint32(count, strings.length, true);
            view().setUint32(size, strings.reduce((sum, { length }) => sum + length, 0), true);
            return 0;
        },
        args_get(pointers, at) {
            for (const [i, string] of strings.entries()) {
                view().setUint32(pointers + 4 * i, at, true);
                new Uint8Array(memory.buffer).set(string, at);
                at += string.length;
            }
            return 0;
        },
        fd_read: transfer((file, bytes) => readSync(file, bytes)),
        fd_write: transfer((file, bytes) => writeSync(file, bytes)),
        fd_close: () => 0,
        fd_fdstat_get: () => BAD_FILE, // not a terminal
        fd_seek: () => CANNOT_SEEK,
        proc_exit(code) {
            throw new Exit(String(code));
        },
    };
    const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
    memory = exports.memory;
    try {
        exports._start();
    } catch (error) {
        if (!(error instanceof Exit)) throw error;
        if (error.message !== "0") throw new Error(`${words}: exit code ${error.message}`);
    }
}

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
    const [argument, input, output] = line.split(" ");
    const files = [openSync(input, "r"), openSync(output, "w"), 2];
    run(["core", argument], files);
    for (const file of files.slice(0, 2)) closeSync(file);
}

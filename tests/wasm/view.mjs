// node view.mjs view.wasm: for each line "LOG REQUESTS OUTPUT" of standard input, as view.c, with the engine under wasm32,
// used as view_wasm.c describes.
import { webcrypto } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
let file, output, wasm;
function read(_log, position, pointer, size) {
    return readSync(file, new Uint8Array(wasm.memory.buffer, pointer >>> 0, size >>> 0), 0, size >>> 0, position);
}

function write(bytes) {
    for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at);
}
const print = (text) => write(new TextEncoder().encode(text));

function answer(view, request) {
    const text = new TextEncoder().encode(request);
    const room = wasm.alloc(text.length + 1);
    new Uint8Array(wasm.memory.buffer, room, text.length).set(text);
    let done, bytes;
    do {
        done = wasm.ask(view, room, text.length);
        bytes = new Uint8Array(wasm.memory.buffer, wasm.bytes(view), wasm.length(view));
    } while (new TextDecoder().decode(bytes.subarray(0, 17)) === '{"complete":false');
    wasm.release(room);
    const type = wasm.json(view) ? "application/json" : "application/octet-stream";
    print(`${request} ${done} ${type} ${wasm.length(view)}\n`);
    write(new Uint8Array(wasm.memory.buffer, wasm.bytes(view), wasm.length(view)));
    print("\n");
}

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
    const [log, requests, answers] = line.split(" ");
    [file, output] = [openSync(log, "r"), openSync(answers, "w")];
    wasm = (await WebAssembly.instantiate(module, { env: { read, expect() {} } })).exports;
    wasm._initialize();
    wasm.seed(...webcrypto.getRandomValues(new Uint32Array(2)));
    const view = wasm.new(0);
    let result;
    do result = wasm.read(view, 100000);
    while (result === 0);
    print(`read ${result}\n`);
    for (const request of readFileSync(requests, "utf8").split("\n")) if (request) answer(view, request);
    wasm.free(view);
    closeSync(file);
    closeSync(output);
}

// node view.mjs view.wasm LOG: as view.c, with the engine under wasm32, used as view_wasm.c describes.
import { webcrypto } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

const [module, log] = process.argv.slice(2);
const file = openSync(log, "r");
let wasm;
function read(_log, position, pointer, size) {
    return readSync(file, new Uint8Array(wasm.memory.buffer, pointer >>> 0, size >>> 0), 0, size >>> 0, position);
}
const { instance } = await WebAssembly.instantiate(readFileSync(module), { env: { read } });
wasm = instance.exports;
wasm._initialize();
wasm.seed(...webcrypto.getRandomValues(new Uint32Array(2)));

function write(bytes) {
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
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

const view = wasm.new(0);
let result;
do result = wasm.read(view, 100000);
while (result === 0);
print(`read ${result}\n`);
for (const line of readFileSync(0, "utf8").split("\n")) if (line) answer(view, line);
wasm.free(view);
closeSync(file);

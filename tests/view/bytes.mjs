// What the worker of the page reads of a log is what the file has: at once and ahead.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const packages = `${process.env.HECTIC_MODULES}/view/package.json`;
if (!existsSync(packages)) {
    console.log("SKIPPED: needs esbuild (scripts/install-deps test)");
    process.exit(77);
}
const { outputFiles } = await createRequire(packages)("esbuild").build({
    entryPoints: ["view/src/engine/bytes.ts"],
    nodePaths: [`${process.env.HECTIC_MODULES}/view/node_modules`],
    bundle: true,
    write: false,
    format: "esm",
});
const { LogBytes } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

const size = (40 << 20) + 12345;
const content = new Uint8Array(size);
for (let i = 0; i < size; i += 4) content[i] = (i >> 2) * 2654435761 >>> 24;

/** What FileReaderSync and arrayBuffer() read; `pending` reads are asynchronous and end when a test says so. */
let reads = { atOnce: 0, callsAtOnce: 0, ahead: 0, calls: 0 };
let pending = [];
let fails = false;
let isGone = false;

class Log {
    constructor(from = 0, to = size) {
        Object.assign(this, { from, to, size: to - from });
    }
    slice(from, to) {
        return new Log(Math.min(this.from + from, this.to), Math.min(this.from + to, this.to));
    }
    get bytes() {
        return content.slice(this.from, this.to).buffer;
    }
    arrayBuffer() {
        reads.ahead += this.size;
        reads.calls++;
        const { bytes } = this;
        const willFail = fails;
        return new Promise((resolve, reject) => pending.push(() => (willFail ? reject(new Error("gone")) : resolve(bytes))));
    }
}
globalThis.Blob = class {
    constructor(parts) {
        this.parts = parts;
    }
};
globalThis.FileReaderSync = class {
    readAsArrayBuffer({ parts }) {
        const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.size, 0));
        let at = 0;
        for (const part of parts) {
            if (isGone) throw new Error("gone");
            bytes.set(new Uint8Array(part.bytes), at);
            at += part.size;
        }
        reads.atOnce += at;
        reads.callsAtOnce++;
        return bytes.buffer;
    }
};

function check(log, position, length) {
    const room = new Uint8Array(length);
    let got = 0;
    while (got < length) {
        const count = log.readAt(position + got, room.subarray(got));
        if (count === 0) break;
        got += count;
    }
    assert.equal(got, Math.min(length, Math.max(size - position, 0)), `at ${position}`);
    assert.ok(Buffer.compare(room.subarray(0, got), content.subarray(position, position + got)) === 0, `at ${position}`);
}

const begin = () => {
    reads = { atOnce: 0, callsAtOnce: 0, ahead: 0, calls: 0 };
    pending = [];
    return new LogBytes(new Log());
};

/** The chunks of a log of some caps, in order of time. */
function chunksOf(caps) {
    const chunks = [];
    const block = Math.floor(size / caps);
    for (let at = 0; at < block; at += 32768) {
        for (let cap = 0; cap < caps; cap++) chunks.push({ position: cap * block + at, length: Math.min(32768, block - at) });
    }
    return chunks;
}

/** Reads chunks as a job does, in steps; `arrive` says whether what is read ahead is there in time. */
async function readAll(log, chunks, arrive) {
    const ahead = log.newAhead();
    const step = 40;
    log.ahead = ahead;
    log.expect(chunks.slice(0, 512), false);
    for (let first = 0; first < chunks.length; first += step) {
        const waits = ahead.awaited();
        if (waits) {
            const done = pending;
            pending = [];
            if (arrive) for (const end of done) end();
            if (arrive) await waits;
        }
        log.ahead = ahead;
        for (const { position, length } of chunks.slice(first, first + step)) check(log, position, length);
        log.expect(chunks.slice(first + step, first + step + 512), false);
        log.ahead = undefined;
    }
}

// A job: all is read ahead, and nothing twice.
for (const caps of [1, 8, 64]) {
    const log = begin();
    await readAll(log, chunksOf(caps), true);
    assert.equal(reads.atOnce, 0);
    assert.ok(reads.ahead <= size, `${reads.ahead} bytes were read ahead`);
    assert.ok(reads.calls < size / (1 << 16), `${reads.calls} calls`);
}

// What is read ahead comes late, or the file cannot be read any more: the same bytes.
let log = begin();
await readAll(log, chunksOf(8), false);
assert.ok(reads.ahead > 0);
log = begin();
fails = true;
await readAll(log, chunksOf(8), true);
fails = false;

// Nothing is read ahead of what is not expected.
log = begin();
log.ahead = log.newAhead();
for (let i = 0; i < 300; i++) check(log, (i * 7919 * 4096) % size, 42000);
assert.equal(log.ahead.awaited(), undefined);
assert.equal(reads.ahead, 0);

// The chunks of 64 caps, as a request for a picture reads them: each block once.
log = begin();
for (let at = 0; at < 1 << 19; at += 32768) for (let cap = 0; cap < 64; cap++) check(log, (cap << 19) + at, 32768);
assert.ok(reads.atOnce <= 32 << 20, `${reads.atOnce} bytes were read at once`);

// Places that a request tells are read by one call; a job's, too, if it needs them at once.
for (const isJob of [false, true]) {
    log = begin();
    if (isJob) log.ahead = log.newAhead();
    const places = Array.from({ length: 100 }, (_, i) => ({ position: ((i * 37) % 100) * 400000 + 777, length: 32768 }));
    log.expect(places, true);
    assert.equal(reads.callsAtOnce, 1);
    for (const { position, length } of [...places, ...places]) check(log, position, length);
    assert.equal(reads.callsAtOnce, 1);
    assert.ok(reads.atOnce <= 100 * 3 * 16384, `${reads.atOnce} bytes were read`);
}

// The last blocks of the file, and what is beyond its end.
log = begin();
log.expect([{ position: size - 50000, length: 50000 }], true);
check(log, size - 50000, 50000);
check(log, size - 1000, 5000);
check(log, size, 10);

// A file that cannot be read any more: the engine gets the error when it reads.
log = begin();
isGone = true;
log.expect([{ position: 0, length: 100 }], true);
assert.throws(() => check(log, 0, 100));
isGone = false;
check(log, 0, 100);

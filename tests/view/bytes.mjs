// What the worker of the page reads of a log is what the file has: at once, in its order, and ahead.
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
let reads = { atOnce: 0, ahead: 0 };
let pending = [];
let fails = false;

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
        const { bytes } = this;
        const willFail = fails;
        return new Promise((resolve, reject) => pending.push(() => (willFail ? reject(new Error("gone")) : resolve(bytes))));
    }
}
globalThis.FileReaderSync = class {
    readAsArrayBuffer(log) {
        reads.atOnce += log.size;
        return log.bytes;
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
    reads = { atOnce: 0, ahead: 0 };
    pending = [];
    return new LogBytes(new Log());
};

/** Reads the log in its order as a job does, in steps; `arrive` says whether what is read ahead is there in time. */
async function readAll(log, arrive) {
    const step = 1 << 20;
    for (let position = 0; position < size; position += step) {
        const waits = log.ahead?.fetch();
        if (waits) {
            const done = pending;
            pending = [];
            if (arrive) for (const end of done) end();
            if (arrive) await waits;
        }
        log.isJob = true;
        for (let at = position; at < Math.min(position + step, size); at += 50000) {
            check(log, at, Math.min(50000, position + step - at));
        }
        log.isJob = false;
    }
    check(log, size, 10);
}

// A job in the order of the file: nearly all is read ahead, and nothing twice.
let log = begin();
await readAll(log, true);
assert.ok(reads.atOnce < 10 << 20, `${reads.atOnce} bytes were read at once`);
assert.ok(reads.atOnce + reads.ahead < size * 1.1, `${reads.atOnce} + ${reads.ahead} bytes were read`);

// What is read ahead comes late, or the file cannot be read any more: the same bytes.
log = begin();
await readAll(log, false);
assert.ok(reads.ahead > 0 && reads.ahead < size / 2, `${reads.ahead} bytes were read ahead`);
log = begin();
fails = true;
await readAll(log, true);
fails = false;

// Not in order, and many chunks at the same time, as those of caps: nothing is read ahead.
log = begin();
log.isJob = true;
for (let i = 0; i < 300; i++) check(log, (i * 7919 * 4096) % size, 42000);
for (let at = 0; at < 2 << 20; at += 65536) for (let cap = 0; cap < 8; cap++) check(log, (cap << 21) + at, 65536);
assert.equal(log.ahead?.fetch(), undefined);
assert.equal(reads.ahead, 0);

// The chunks of 64 caps: what is read before it is needed is still there when it is needed.
log = begin();
for (let at = 0; at < 1 << 19; at += 32768) for (let cap = 0; cap < 64; cap++) check(log, (cap << 19) + at, 32768);
assert.ok(reads.atOnce < 40 << 20, `${reads.atOnce} bytes were read at once`);

// Reading ahead keeps few bytes in memory, and ends with the jobs.
log = begin();
log.isJob = true;
for (let at = 0; at < 10 << 20; at += 65536) check(log, at, 65536);
assert.ok(log.ahead.fetch() instanceof Promise);
log.ahead.fetch();
assert.ok(reads.ahead <= 16 << 20, `${reads.ahead} bytes were read ahead`);
log.rest();
assert.equal(log.ahead, undefined);
check(log, 11 << 20, 65536);

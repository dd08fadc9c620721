// Logs that are compressed by gzip or zstd are unpacked in the page; damaged ones are refused with words.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

if (spawnSync("zstd", ["--version"]).status !== 0) {
    console.log("SKIPPED: needs zstd (scripts/install-deps test)");
    process.exit(77);
}
const log = `${work}/log.eventlog`;
generateLog("--size", "3M", "-o", log);
const bytes = readFileSync(log);
const wanted = JSON.parse(hectic("stat", "--jsonl", "--from", "1ms", "--to", "60ms", log));
const zstd = (input, ...options) => execFileSync("zstd", ["-qc", ...options], { input, maxBuffer: 1 << 26 });

const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5]);
const pieces = [];
for (let at = 0; at < 40000; at += 10) pieces.push(bytes.subarray(at, at + 10));
// A frame for ten bytes each, as blocks that are not compressed.
const tiny = pieces.map((part) => Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 10, 81, 0, 0]), part]));
const files = {
    gzip: gzipSync(bytes),
    "fast": zstd(bytes, "-1"),
    "without checksum": zstd(bytes, "-19", "--no-check"),
    "large window": zstd(bytes, "--long=27", "--check", "--no-content-size"),
    "frames": Buffer.concat([
        skipped,
        zstd(bytes.subarray(0, 100)),
        zstd(Buffer.alloc(0)),
        zstd(bytes.subarray(100, 1000000), "--check"),
        skipped,
        zstd(bytes.subarray(1000000)),
    ]),
    "tiny frames": Buffer.concat([...tiny, zstd(bytes.subarray(40000))]),
};
const good = zstd(bytes, "--check");
const refused = {
    "ends early": [good.subarray(0, good.length - 5000), /ends within data compressed by zstd$/],
    "no frame follows": [Buffer.concat([good, Buffer.from("and more text")]), /compressed by zstd are damaged$/],
    "a window of 2 GiB": [Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8]), good.subarray(6)]), /too much memory/],
    "with a dictionary": [Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0x50, 7]), good.subarray(6)]), /with a dictionary$/],
};
await withPage({}, async (page) => {
    for (const [name, content] of Object.entries(files)) {
        const file = `${work}/${name}.packed`;
        writeFileSync(file, content);
        await openLogs(page, file);
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), [], name);
        const found = await page.evaluate(() => window.hectic.select({ from: 1e6, to: 6e7 }));
        assert.deepEqual(found, wanted, name);
    }
    for (const [name, [content, message]] of Object.entries(refused)) {
        const file = `${work}/${name}`;
        writeFileSync(file, content);
        await openLogs(page, file);
        const errors = await page.evaluate(() => window.hectic.errors);
        assert.match(errors[0], message, name);
    }
});
console.log(`${Object.keys(files).length} files, ${Object.keys(refused).length} refused`);

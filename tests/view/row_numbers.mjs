// The numbers beside rows of large logs are those of the command. In all others: numbers.mjs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";
import { compareRowNumbers, part, partOf, strict } from "../support/range_numbers.mjs";

// More messages than the page keeps, and threads whose states it has in slots of time: all count, and all are drawn.
await withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    const log = `${work}/messages.eventlog`;
    generateLog("--size", "56M", "--mix", "threads=25,gc=5,messages=70", "-o", log);
    await openLogs(page, log);
    const { from_ns: first, to_ns: last } = JSON.parse(hectic("stat", "--jsonl", log));
    assert.ok(strict(log, null, "spans").message_count > 1 << 20);
    for (const range of [null, { from: last - 1e6, to: last }, partOf({ first, last }), partOf({ first, last })]) {
        const names = await compareRowNumbers(page, log, range, { first, last });
        for (const name of ["All caps", "Allocation", "Messages", "Markers"]) assert.ok(names.includes(name), name);
        assert.ok(names.filter((name) => /thread \d/.test(name)).length > 100 || range, "threads");
        // The right edge of the picture has messages, too.
        await page.locator("#timeline").evaluate((element) => element.scrollTo({ top: 0 }));
        await page.getByRole("img", { name: "Picture of Messages" }).waitFor();
        await page.evaluate(() => window.hectic.idle());
        const isDrawn = await page.getByRole("img", { name: "Picture of Messages" }).evaluate((canvas) => {
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
            copy.drawImage(canvas, 0, 0);
            const { data } = copy.getImageData(canvas.width * 0.9, 0, canvas.width * 0.05, canvas.height);
            return data.some((value, index) => index % 4 === 3 && value > 0);
        });
        assert.ok(isDrawn, "no messages are drawn at the end");
    }
    // Close up, their texts are there.
    const shown = hectic("show", "--jsonl", "--no-header", ...part({ from: last - 1e6, to: last }), log)
        .split("\n")
        .filter((line) => line.includes('"USER_MSG"'));
    assert.ok(shown.length > 0 && shown.length < 2048);
    await page.evaluate((range) => window.hectic.view(range).then(() => window.hectic.idle()), { from: last - 1e6, to: last });
    const { time, message } = JSON.parse(shown[0]);
    const place = await page.getByRole("img", { name: "Picture of Messages" }).boundingBox();
    await page.mouse.move(place.x + (place.width * (time - last + 1e6)) / 1e6, place.y + 5);
    await page.waitForFunction((text) => document.querySelector("#status").textContent.includes(text), message.slice(0, 20));
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// The histogram of spans is of all of them, the table of the longest says how many there are.
await withPage({}, async (page) => {
    const log = `${work}/spans.eventlog`;
    const program = `
import struct, sys
sys.path.insert(0, "tests/support")
from eventlog import write
events, time = [(1000, 0, 1, struct.pack(">I", 7))], 2000
for i in range(3000):
    length = 100 + i * i % 99991
    events += [(time, 0, 19, b"START work"), (time + length, 0, 19, b"STOP work")]
    time += length + 10
open(sys.argv[1], "wb").write(write(events, {1: 4}))`;
    execFileSync("python3", ["-c", program, log]);
    await openLogs(page, log);
    await page.click("#tab-spans");
    await page.locator("#pane[data-pane=spans][aria-busy=false]").waitFor();
    const lengths = strict(log, null, "spans", "--each").spans.map(({ duration_ns }) => duration_ns);
    assert.equal(lengths.length, 3000);
    const bars = await page.locator("#pane .chart .bar title").allTextContents();
    const counts = bars.map((text) => Number(text.split(": ")[1].replaceAll("\u202f", "")));
    assert.equal(counts.reduce((a, b) => a + b), 3000);
    // Quarters of powers of two.
    const quarter = (ns) => (ns < 64 ? 0 : Math.floor(Math.log2(ns)) * 4 + Math.floor((ns / 2 ** Math.floor(Math.log2(ns)) - 1) * 4));
    const wanted = new Map();
    for (const ns of lengths) wanted.set(quarter(ns), (wanted.get(quarter(ns)) ?? 0) + 1);
    assert.deepEqual(counts, [...wanted].sort(([a], [b]) => a - b).map(([, count]) => count));
    assert.match(await page.locator("#pane .list .remark").last().textContent(), /^The 1\u202f000 longest of 3\u202f000$/);
});

// A report: one file that shows a run. It holds the log, or says what it does not hold.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

const axe = `${process.env.HECTIC_MODULES}/node_modules/axe-core/axe.min.js`;
const log = "tests/logs/demo.eventlog";
const report = `${work}/report <b>.html`;
const write = (log, ...options) => {
    hectic("view", "--force", "-o", report, ...options, log);
    assert.ok(statSync(report).size <= 10000000);
    return { url: pathToFileURL(report).href };
};

/** The picture of each row. */
const pictures = (page) =>
    page.evaluate(() => [...document.querySelectorAll("#rows canvas")].slice(0, 3).map((canvas) => canvas.toDataURL()));

const select = (page, range) => page.evaluate((range) => window.hectic.select(range), range);

// A log that has room: numbers, search and events of any part, as of the redacted log.
await withPage(write(log), async (page) => {
    await page.evaluate(() => window.hectic.ready);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    assert.equal(await page.locator("#program").textContent(), "demo");
    assert.match(await page.title(), /^demo\.eventlog/);
    for (const [from, to] of [[0, 1e12], [4000000, 5000000]]) {
        const numbers = JSON.parse(hectic("stat", "--jsonl", "--from", `${from}ns`, "--to", `${to}ns`, log));
        assert.deepEqual(await select(page, { from, to }), numbers);
    }
    const lines = hectic("show", "--no-header", log).split("\n");
    const found = await page.evaluate(() => window.hectic.search("creating thread"));
    assert.equal(found.length, lines.filter((line) => line.includes("creating thread")).length);
    assert.ok(found.length > 0);

    await page.locator("#report-note summary").click();
    await page.getByText("The log is in this file").waitFor();
    await page.evaluate(() => window.hectic.view({ from: 0, to: 1e12 }).then(() => window.hectic.idle()));
    const drawn = await pictures(page);

    // Its accessibility: the rest is tested in accessibility.mjs.
    if (existsSync(axe)) {
        await page.evaluate(readFileSync(axe, "utf8"));
        const { violations } = await page.evaluate(() => globalThis.axe.run("#report-note"));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`), []);
    }

    // A log can be opened in it; its pictures are the same.
    await openLogs(page, log);
    assert.equal(await page.locator("#report-note").isVisible(), false);
    assert.equal(await page.locator("#program").textContent(), "./demo");
    assert.equal((await pictures(page)).length, drawn.length);
});

// One that has not: the numbers of the whole run, and for those of a part the command that has them.
const large = `${work}/large.eventlog`;
generateLog("--events", "300000", "--caps", "4", "-o", large);
await withPage(write(large, "--max-size", "1M"), async (page) => {
    await page.evaluate(() => window.hectic.ready);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    assert.deepEqual(await select(page, { from: 0, to: 1e12 }), JSON.parse(hectic("stat", "--jsonl", large)));
    const refused = await page
        .evaluate(() => window.hectic.select({ from: 4000000, to: 5000000 }))
        .then(String, (error) => error.message);
    assert.match(refused, /the report holds this of the whole run only: use hectic stat --from TIME --to TIME LOG/);
    await page.locator("#report-note summary").click();
    await page.getByText("Numbers and tables are those of the whole run").waitFor();
});

// Several sections, and logs without any event.
for (const other of ["restarted", "threads", "every-event"]) {
    await withPage(write(`tests/logs/${other}.eventlog`), async (page) => {
        await page.evaluate(() => window.hectic.ready);
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), [], other);
        assert.ok((await page.locator("#rows canvas").count()) >= 3, other);
    });
}

// Pictures that are coarser than the pixels say so: those of a report, enlarged; of the log, only what is reported from time
// to time.
const recordTexts = () => {
    window.texts = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        window.texts.push(text);
        return fillText.call(this, text, ...rest);
    };
};
const busy = `${work}/busy.eventlog`;
generateLog("--size", "4M", "--caps", "4", "--threads", "12", "-o", busy);
const { to_ns: end } = JSON.parse(hectic("stat", "--jsonl", busy));
await withPage({ ...write(busy, "--max-size", "2M"), prepare: recordTexts, viewport: { width: 1280, height: 1300 } }, async (page) => {
    await page.evaluate(() => window.hectic.ready);
    const coarse = async (range) => {
        await page.evaluate((range) => window.hectic.view(range).then(() => window.hectic.idle()), range);
        await page.evaluate(() => (window.texts = []));
        await page.click("#theme"); // draws all again
        await page.evaluate(() => window.hectic.idle());
        return page.evaluate(() => window.texts.filter((text) => text.startsWith("coarse: ")));
    };
    const part = { from: Math.round(end / 2), to: Math.round(end / 2 + end / 1000) };
    assert.deepEqual(await coarse({ from: 0, to: 1e15 }), []);
    const found = await coarse(part);
    // All caps, each cap, the heap, allocation, threads.
    assert.ok(found.length >= 8, String(found));
    await openLogs(page, busy);
    assert.deepEqual(await coarse({ from: 0, to: 1e15 }), []);
    // Allocation is reported at collections.
    const { gc } = JSON.parse(hectic("stat", "--jsonl", busy));
    const reports = await coarse(part);
    assert.match(String(reports), /^coarse: \d+ µs$/);
    const share = (parseFloat(reports[0].slice(8)) * 1e3) / (end / gc.pause.count);
    assert.ok(share > 0.25 && share < 4, `${reports}: ${share}`);
});

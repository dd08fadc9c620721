// A report: one file that shows a run without the log, and says what it does not hold.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

const axe = `${process.env.HECTIC_MODULES}/node_modules/axe-core/axe.min.js`;
const log = "tests/logs/demo.eventlog";
const report = `${work}/report <b>.html`;
const write = (log, ...options) => {
    hectic("view", "--force", "-o", report, ...options, log);
    assert.ok(statSync(report).size <= 3000000);
    return { url: pathToFileURL(report).href };
};

/** The picture of each row. */
const pictures = (page) =>
    page.evaluate(() => [...document.querySelectorAll("#rows canvas")].slice(0, 3).map((canvas) => canvas.toDataURL()));

await withPage(write(log), async (page) => {
    await page.evaluate(() => window.hectic.ready);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    assert.equal(await page.locator("#program").textContent(), "demo");
    assert.match(await page.title(), /^demo\.eventlog/);

    // The numbers of the whole run are those of hectic stat; those of a part are refused with words.
    const stat = JSON.parse(hectic("stat", "--jsonl", log));
    const whole = await page.evaluate((range) => window.hectic.select(range), { from: 0, to: 1e12 });
    assert.deepEqual(whole, stat);
    const refused = await page
        .evaluate(() => window.hectic.select({ from: 4000000, to: 5000000 }))
        .then(String, (error) => error.message);
    assert.match(refused, /the report holds this of the whole run only/);

    // What it is, and what it has not.
    await page.locator("#report-note summary").click();
    await page.getByText("Numbers and tables are those of the whole run").waitFor();
    await page.evaluate(() => window.hectic.view({ from: 4000000, to: 6000000 }).then(() => window.hectic.idle()));
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
    const again = await pictures(page);
    assert.equal(again.length, drawn.length);
});

// Several sections, and logs without any event.
for (const other of ["restarted", "threads", "every-event"]) {
    await withPage(write(`tests/logs/${other}.eventlog`), async (page) => {
        await page.evaluate(() => window.hectic.ready);
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), [], other);
        assert.ok((await page.locator("#rows canvas").count()) >= 3, other);
    });
}

// Pictures that are coarser than the pixels say so: those of a report, enlarged, but not those of the log.
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
await withPage({ ...write(busy), prepare: recordTexts, viewport: { width: 1280, height: 1300 } }, async (page) => {
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
    assert.deepEqual(await coarse(part), []);
});

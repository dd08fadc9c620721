// A report: one file that shows a run without the log, and says what it does not hold.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { hectic, openLogs, withPage, work } from "../support/page.mjs";

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

// The page from hectic view: the same pictures and numbers; it follows a log that grows.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { hectic, withPage, withServer, work } from "../support/page.mjs";

const log = "tests/logs/demo.eventlog";
await withServer([log], (url) =>
    withPage({ url }, async (page) => {
        await page.evaluate(() => window.hectic.ready);
        const range = { from: 5000000, to: 11000000 };
        const found = await page.evaluate((range) => window.hectic.select(range), range);
        assert.deepEqual(found, JSON.parse(hectic("stat", "--jsonl", "--from", "5ms", "--to", "11ms", log)));
        assert.equal(await page.locator("#program").textContent(), "./demo");
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    }),
);

// Two halves of a log, one after the other.
const bytes = readFileSync("tests/logs/threads.eventlog");
const growing = `${work}/growing.eventlog`;
writeFileSync(growing, bytes.subarray(0, bytes.length / 2));
await withServer([growing], (url) =>
    withPage({ url }, async (page) => {
        await page.locator("#live", { hasText: /^(live|waiting)$/ }).waitFor();
        const last = () => page.locator("#pane .range").textContent();
        await page.evaluate(() => window.hectic.ready);
        await page.locator("#pane .range").waitFor();
        const before = await last();
        appendFileSync(growing, bytes.subarray(bytes.length / 2));
        await page.waitForFunction((text) => document.querySelector("#pane .range").textContent !== text, before);
        await page.waitForFunction(() => / to 20\.\d+ ms /.test(document.querySelector("#pane .range").textContent));
        await page.locator("#live", { hasText: "ended" }).waitFor();
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    }),
);

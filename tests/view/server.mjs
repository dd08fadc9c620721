// The page from hectic view: the same pictures and numbers; it follows a log that grows.
import assert from "node:assert/strict";
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { generateLog, hectic, withPage, withServer, work } from "../support/page.mjs";

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

// Two halves of a log, one after the other: while a program has the file open, when it was killed, and when another one
// continues the file all the same. The numbers of a log that was cut are those of the command.
const whole = `${work}/whole.eventlog`;
generateLog("--caps", "3", "--size", "3M", "--seed", "19", "-o", whole);
const bytes = readFileSync(whole);
const half = bytes.length / 2;
const growing = `${work}/growing.eventlog`;
writeFileSync(growing, bytes.subarray(0, half));
const writer = openSync(growing, "a");
await withServer([growing], (url) =>
    withPage({ url }, async (page) => {
        const part = { from: 1000000, to: 1e12 };
        const isAsPrinted = async (file) => {
            const { to_ns: to } = JSON.parse(hectic("stat", "--jsonl", file));
            // The pane has followed.
            await page.waitForFunction((to) => {
                const [, end, unit] = / to ([\d.]+) (ms|s) /.exec(document.querySelector("#pane .range")?.textContent ?? "") ?? [];
                return Math.abs(end * { ms: 1e6, s: 1e9 }[unit] - to) <= to / 1000;
            }, to);
            const numbers = JSON.parse(hectic("stat", "--jsonl", "--from", "1ms", "--to", "1000s", file));
            assert.deepEqual(await page.evaluate((range) => window.hectic.select(range), part), numbers);
            await page.evaluate(() => document.activeElement.blur());
            await page.keyboard.press("Escape");
            await page.locator("#pane h2", { hasText: "Whole run" }).waitFor();
        };
        const sign = (text) => page.locator("#live", { hasText: text }).waitFor();
        const damage = page.locator("#damage");
        await sign(/^(live|waiting)(, incomplete)?$/);
        await page.evaluate(() => window.hectic.ready);
        assert.equal(await damage.isVisible(), false);
        closeSync(writer);
        await sign(/^ended$/);
        await damage.getByText("the log was cut: it has all caps until").waitFor();
        await isAsPrinted(growing);
        appendFileSync(growing, bytes.subarray(half));
        await isAsPrinted(whole);
        await damage.waitFor({ state: "hidden" });
        await sign(/^ended$/);
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    }),
);

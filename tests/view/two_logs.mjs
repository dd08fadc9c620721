// hectic view OLD NEW: both runs below each other, and what hectic compare says about them.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { csvOf, generateLog, hectic, isAccessible, openLogs, withPage, withServer, work } from "../support/page.mjs";

const logs = ["tests/logs/demo.eventlog", "tests/logs/spans.eventlog"];

/** The numbers in the table of the pane: name, old, new, change, certainty, difference. */
const table = (page) => page.locator("#pane .list tbody tr[aria-rowindex]").evaluateAll((lines) => lines.map(({ cells }) => [...cells].map(({ innerText }) => innerText.trim())));

const compared = (...options) => JSON.parse(hectic("compare", "--json", ...options, ...logs));

/** The pane has all that the command says: of whole runs, or of a part of the axis. `part`: ns. */
async function isCompared(page, files, part) {
    if (part) await page.evaluate((range) => window.hectic.select(range), part);
    await page.evaluate(() => window.hectic.idle());
    const options = part ? ["--from", `${part.from}ns`, "--to", `${part.to}ns`] : [];
    const wanted = JSON.parse(hectic("compare", "--json", ...options, ...files));
    assert.deepEqual(await page.locator("#pane .verdict p").allTextContents(), wanted.verdict);
    await page.getByRole("button", { name: "All numbers" }).click();
    assert.equal(Number(await page.locator("#pane .list table").getAttribute("aria-rowcount")), wanted.compare.length + 1);
    const [, ...rows] = await csvOf(page, "Numbers");
    const cell = (value) => (value === null ? "" : String(value));
    assert.deepEqual(new Map(rows.map(([number, old, latest]) => [number, [old, latest]])), new Map(wanted.compare.map(({ number, old, new: latest }) => [number, [cell(old), cell(latest)]])));
    const names = files.map((file) => file.split("/").pop());
    assert.equal(await page.locator("#pane .command code").textContent(), ["hectic compare", ...options, ...names].join(" "));
}

// Logs that are opened by a page without a server.
await withPage({}, async (page) => {
    await openLogs(page, ...logs);
    await isCompared(page, logs);
    assert.equal(await page.locator("#pane").getAttribute("data-pane"), "compare");
    await isCompared(page, logs, { from: 1000000, to: 9000000 });
    await openLogs(page, ...["time-profile", "heap-profile-y"].map((name) => `tests/logs/${name}.eventlog`));
    await isCompared(page, ["time-profile", "heap-profile-y"].map((name) => `tests/logs/${name}.eventlog`));

    // Several runs of a log are for the command.
    await openLogs(page, logs[0], "tests/logs/restarted.eventlog");
    await page.evaluate(() => window.hectic.idle());
    assert.match(await page.locator("#pane .missing").textContent(), /logs of one run each/);
    assert.equal(await page.locator("#pane .command code").textContent(), "hectic compare demo.eventlog restarted.eventlog");
});

await withServer(logs, (url) =>
    withPage({ url }, async (page) => {
        await page.evaluate(() => window.hectic.ready);
        await page.evaluate(() => window.hectic.idle());
        assert.equal(await page.locator("#program").textContent(), "./demo, ./spans");
        assert.equal(await page.locator("#pane").getAttribute("data-pane"), "compare");

        // The whole runs.
        const whole = compared();
        const wanted = whole.compare.filter(({ certainty }) => certainty !== "none" && certainty !== "one_side");
        assert.deepEqual((await table(page)).map(([name]) => name), wanted.map(({ number }) => number));
        assert.deepEqual(await table(page), [
            ["memory.allocated_bytes", "503 KiB", "241 KiB", "\u221252.0 %", "large", "\u2212262 KiB"],
            ["memory.heap_max_bytes", "1.00 MiB", "3.00 MiB", "+200.0 %", "large", "+2.00 MiB"],
        ]);
        const verdict = await page.locator("#pane .verdict p").allTextContents();
        assert.deepEqual(verdict, whole.verdict);
        const parts = whole.causes.filter(({ number, change }) => change !== 0 && wanted.some((one) => one.number === number)).length;
        assert.equal(await page.locator("#pane > .body > table tbody tr").count(), parts);
        const command = await page.locator("#pane .command code").textContent();
        assert.equal(command, `hectic compare ${logs.join(" ")}`);

        await isAccessible(page, "two logs");

        // All numbers, and their order.
        await page.getByRole("button", { name: "All numbers" }).click();
        const all = await table(page);
        assert.ok(all.length > 15);
        assert.deepEqual(all.map(([name]) => name), whole.compare.slice(0, all.length).map(({ number }) => number.slice(0, 200)));
        assert.equal(Number(await page.locator("#pane .list table").getAttribute("aria-rowcount")), whole.compare.length + 1);

        // A click on a number shows its rows in both logs, and folds the others.
        await page.locator("#pane input[type=search]").fill("span(\"worker\").total");
        await page.getByRole("button", { name: "span(\"worker\").total_ns" }).click();
        await page.evaluate(() => window.hectic.idle());
        const headings = () => page.locator("#rows button[aria-expanded]").evaluateAll((found) => found.map((one) => [one.innerText.trim(), one.getAttribute("aria-expanded")]));
        const open = (await headings()).filter(([name, isOpen]) => isOpen === "true" && !logs.includes(name)).map(([name]) => name);
        assert.deepEqual(new Set(open), new Set(["User spans"]));
        await page.locator("#pane input[type=search]").fill("");

        // A part of both.
        await page.evaluate(() => window.hectic.select({ from: 1000000, to: 9000000 }));
        await page.evaluate(() => window.hectic.idle());
        const part = compared("--from", "1000000ns", "--to", "9000000ns");
        assert.deepEqual(await page.locator("#pane .verdict p").allTextContents(), part.verdict);
        assert.deepEqual((await table(page)).map(([name]) => name), part.compare.slice(0, (await table(page)).length).map(({ number }) => number.slice(0, 200)));
        assert.match(await page.locator("#pane .command code").textContent(), /^hectic compare --from 1000000ns --to 9000000ns tests/);

        // A part that only one of them has.
        await page.evaluate(() => window.hectic.select({ from: 12000000, to: 15000000 }));
        await page.evaluate(() => window.hectic.idle());
        assert.match(await page.locator("#pane .missing").textContent(), /^tests\/logs\/spans\.eventlog has no events in this range: it lasts from 142 µs to 10\.536 ms\.$/);

        // Other panes have the numbers of either log.
        await page.keyboard.press("Escape");
        await page.locator("#tab-stat").click();
        for (const [index, log] of logs.entries()) {
            await page.locator("#pane .head select").selectOption(String(index));
            await page.evaluate(() => window.hectic.idle());
            const found = await page.evaluate(() => window.hectic.select({ from: 1000000, to: 5000000 }));
            assert.deepEqual(found, JSON.parse(hectic("stat", "--jsonl", "--from", "1ms", "--to", "5ms", log)));
        }
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);

        // Logs of the browser are not those of the server.
        await page.setInputFiles("input[type=file]", [...logs].reverse());
        await page.evaluate(() => window.hectic.ready);
        await page.click("#tab-compare");
        await isCompared(page, [...logs].reverse());
    }),
);

// A report of both has the comparison of the whole runs; of a part, too, unless it holds snapshots.
const report = `${work}/report.html`;
const large = ["1", "2"].map((seed) => `${work}/${seed}.eventlog`);
for (const [index, log] of large.entries()) generateLog("--events", "200000", "--caps", "4", "--seed", String(index), "-o", log);
hectic("view", "--force", "-o", report, "--redact", ...logs);
await withPage({ url: pathToFileURL(report).href }, async (page) => {
    await page.evaluate(() => window.hectic.ready);
    assert.match(await page.title(), /^old, new /);
});
for (const [both, options] of [[logs, []], [logs, ["--with-arguments"]], [large, ["--with-arguments", "--max-size", "1500k"]]]) {
    hectic("view", "--force", "-o", report, ...options, ...both);
    await withPage({ url: pathToFileURL(report).href }, async (page) => {
        await page.evaluate(() => window.hectic.ready);
        await page.evaluate(() => window.hectic.idle());
        assert.equal(await page.locator("#pane").getAttribute("data-pane"), "compare");
        const whole = JSON.parse(hectic("compare", "--json", ...both));
        assert.deepEqual(await page.locator("#pane .verdict p").allTextContents(), whole.verdict);
        await page.getByRole("button", { name: "All numbers" }).click();
        const all = await table(page);
        assert.deepEqual(all.map(([name]) => name), whole.compare.slice(0, all.length).map(({ number }) => number.slice(0, 200)));
        assert.equal(await page.locator("#report-note details").count(), 2);
        await isAccessible(page, "a report of two logs");

        const part = { from: 1000000, to: 5000000 };
        if (both === large) {
            await page.evaluate((range) => window.hectic.select(range), part).catch(() => undefined);
            await page.evaluate(() => window.hectic.idle());
            assert.match(await page.locator("#pane .missing").textContent(), /does not hold/);
            const names = both.map((log) => log.split("/").pop());
            assert.equal(await page.locator("#pane .command code").textContent(), `hectic compare --from 1000000ns --to 5000000ns ${names.join(" ")}`);
            return;
        }
        await isCompared(page, both, part);
        await page.locator("#tab-stat").click();
        for (const [index, log] of both.entries()) {
            await page.locator("#pane .head select").selectOption(String(index));
            await page.evaluate(() => window.hectic.idle());
            const found = await page.evaluate((range) => window.hectic.select(range), part);
            assert.deepEqual(found, JSON.parse(hectic("stat", "--jsonl", "--from", "1ms", "--to", "5ms", log)));
        }
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    });
}

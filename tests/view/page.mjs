// The page opens a log at file://, draws it, and shows its numbers.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { readFileSync, writeFileSync } from "node:fs";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

const log = "tests/logs/demo.eventlog";

/** How many pixels of each color the canvas of a row has, by the names of the style sheet's variables. */
const colorsOf = (page, row) =>
    page.evaluate((row) => {
        const canvas = document.querySelectorAll("#rows canvas")[row];
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const style = getComputedStyle(document.documentElement);
        return Object.fromEntries(
            ["running", "collecting", "waiting-begin", "waiting-end", "waiting-out", "idle"].map((name) => {
                const [r, g, b] = style.getPropertyValue(`--${name}`).match(/[0-9a-f]{2}/gi).map((text) => parseInt(text, 16));
                let count = 0;
                for (let i = 0; i < data.length; i += 4) {
                    if (data[i] === r && data[i + 1] === g && data[i + 2] === b) count++;
                }
                return [name, count / (data.length / 4)];
            }),
        );
    }, row);

await withPage({}, async (page) => {
    await openLogs(page, log);
    const { timings, errors } = await page.evaluate(() => ({ timings: window.hectic.timings, errors: window.hectic.errors }));
    assert.deepEqual(errors, []);
    assert.ok(timings.firstPicture > 0 && timings.overview >= timings.firstPicture, JSON.stringify(timings));
    assert.equal(await page.locator("#program").textContent(), "./demo");

    // The picture of a cap has the shares that its numbers have.
    const stat = JSON.parse(hectic("stat", "--jsonl", log));
    const names = await page.locator("#rows .name > span:first-child").allTextContents();
    assert.deepEqual(names.slice(0, 7), ["All caps", "cap 0", "cap 1", "Gen 0", "Gen 1", "Heap", "Allocation"]);
    for (const [index, cap] of stat.caps.entries()) {
        const colors = await colorsOf(page, index + 1);
        const share = cap.running_ns / cap.present_ns;
        assert.ok(Math.abs(colors.running - share) < 0.05, `cap ${cap.cap}: ${JSON.stringify(colors)}, ${share}`);
        assert.ok(colors.collecting > 0 && colors.idle > 0);
    }

    // Dark: other colors, in the same places.
    const light = await colorsOf(page, 0);
    const idle = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--idle"));
    const before = await idle();
    await page.keyboard.press("t");
    await page.evaluate(() => window.hectic.view({ from: 0, to: 1e12 }).then(() => window.hectic.idle()));
    assert.notEqual(await idle(), before);
    const dark = await colorsOf(page, 0);
    assert.ok(Math.abs(dark.running - light.running) < 0.01, JSON.stringify({ light, dark }));

    // The numbers of the whole run, and of a selection.
    await page.click("#tab-stat");
    const pane = page.locator("#pane");
    await pane.getByText("Whole run").waitFor();
    await pane.getByRole("row", { name: /^Initialization 1\.24 ms/ }).waitFor();
    await page.evaluate(() => window.hectic.select({ from: 4000000, to: 9000000 }));
    await pane.getByText("Selection").waitFor();
    await pane.getByText("4.000 ms to 9.000 ms (5.00 ms)").waitFor();
});

// Several logs below each other, one of them compressed; names are text.
await withPage({ viewport: { width: 800, height: 600 } }, async (page) => {
    const [plain, packed] = [`${work}/<b>one`, `${work}/two.gz`];
    cpSync(log, plain);
    writeFileSync(packed, gzipSync(readFileSync("tests/logs/threads.eventlog")));
    await openLogs(page, plain, packed);
    assert.deepEqual(await page.locator("#rows h2").allTextContents(), ["<b>one", "two.gz"]);
    assert.equal(await page.locator("#rows h3", { hasText: "Caps" }).count(), 2);
    await page.click("#tab-stat");
    await page.getByLabel("Log that the numbers are of").selectOption("two.gz");
    await page.locator("#pane[data-log='two.gz']").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
});

// A restarted log: a group of rows for each section.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/restarted.eventlog");
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    const titles = await page.locator("#rows h2").allTextContents();
    assert.deepEqual(titles, [1, 2].map((section) => `restarted.eventlog, section ${section}`));
});

// A file that is not a log gives a message; another log can be opened after it.
await withPage({}, async (page) => {
    writeFileSync(`${work}/no-log`, "This is text.\n".repeat(100));
    await openLogs(page, `${work}/no-log`);
    const message = await page.getByRole("alert").textContent();
    assert.match(message, /^no-log: byte 0: /);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), [message]);
    await openLogs(page, log);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    await page.getByRole("alert").waitFor({ state: "hidden" });
});

// A damaged log: the number of its damaged bytes, and what is not damaged.
await withPage({}, async (page) => {
    const bytes = readFileSync("tests/logs/threads.eventlog");
    bytes.fill(0xee, bytes.length / 2, bytes.length / 2 + 200);
    writeFileSync(`${work}/damaged`, bytes);
    await openLogs(page, `${work}/damaged`);
    assert.match(await page.locator("#damage").textContent(), /^damaged: [\d.]+ (B|KiB) are damaged /);
    assert.ok((await page.locator("#rows canvas").count()) > 3);
    await openLogs(page, log);
    await page.locator("#damage").waitFor({ state: "hidden" });
});

// A log that was cut: what it covers, which is what is counted.
await withPage({}, async (page) => {
    const whole = `${work}/whole`;
    generateLog("--caps", "3", "--size", "3M", "--seed", "19", "-o", whole);
    const bytes = readFileSync(whole);
    writeFileSync(`${work}/cut`, bytes.subarray(0, bytes.length / 2));
    await openLogs(page, `${work}/cut`);
    assert.match(
        await page.locator("#damage").textContent(),
        /^cut: the log was cut: it has all caps until [\d.]+ ms only, and some until [\d.]+ ms\. Later events are not shown/,
    );
    const { covered_to_ns: to } = JSON.parse(hectic("info", "--json", `${work}/cut`));
    const part = { from: 1000000, to: 1e12 };
    const numbers = JSON.parse(hectic("stat", "--jsonl", "--from", "1ms", "--to", "1000s", `${work}/cut`));
    assert.equal(numbers.to_ns, to);
    assert.deepEqual(await page.evaluate((range) => window.hectic.select(range), part), numbers);
});

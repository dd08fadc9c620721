// A log without events, one that is waited for, one whose program has not flushed, and a range without events: each
// says what is happening and what to do, and none is an error.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { openLogs, withPage, withServer, work } from "../support/page.mjs";

const pane = (page, text) => page.waitForFunction((text) => document.querySelector("#pane").textContent.includes(text), text);
const noErrors = async (page) => assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);

await withPage({}, async (page) => {
    const empty = `${work}/none.eventlog`;
    const program = 'import sys; sys.path.insert(0, "tests/support"); from eventlog import write; open(sys.argv[1], "wb").write(write([], {}))';
    execFileSync("python3", ["-c", program, empty]);
    await openLogs(page, empty);
    await pane(page, "The log has no events.");
    await pane(page, "+RTS -l");
    assert.equal(await page.locator("#rows .note").first().textContent(), "The log has no events.");
    for (const tab of await page.locator("#tabs button:visible").all()) {
        await tab.click();
        await page.waitForFunction(() => document.querySelector("#pane").getAttribute("aria-busy") === "false");
    }
    await noErrors(page);
    // A range before the first event.
    await page.click("#tab-stat");
    await openLogs(page, "tests/logs/demo.eventlog", "tests/logs/killed.eventlog");
    await page.getByLabel("Log that the numbers are of").selectOption("1");
    await page.evaluate(() => window.hectic.select({ from: 300000, to: 400000 }).catch(() => undefined));
    await pane(page, "There are no events in this range: the log has some from 481 µs to 768 µs.");
    await noErrors(page);
});

/** Serves a log while `test` runs, with the address of the page. */
const serve = (log, test) => withServer([log], (url) => withPage({ url }, test));

// What the command says that it waits for.
const socket = `${work}/none.sock`;
await serve(`unix:${socket}`, async (page) => {
    await pane(page, `Waiting for unix:${socket}: no such socket yet.`);
    await page.waitForFunction((path) => document.querySelector("#rows .note").textContent.includes(`${path}: no such socket yet`), socket);
    await noErrors(page);
});

// A header only: the runtime of a program that writes the file has not flushed. Then it is killed; then events appear
// all the same.
const content = readFileSync("tests/logs/demo.eventlog");
const begin = content.indexOf("datb") + 4;
const growing = `${work}/growing.eventlog`;
writeFileSync(growing, content.subarray(0, begin));
const writer = openSync(growing, "a");
await serve(growing, async (page) => {
    await pane(page, "The program has not written an event yet.");
    await pane(page, "--eventlog-flush-interval=1");
    closeSync(writer);
    await pane(page, "The log has no events.");
    await pane(page, "If it was killed,");
    await page.locator("#live", { hasText: "ended" }).waitFor();
    await noErrors(page);
    appendFileSync(growing, content.subarray(begin));
    await page.locator("#pane[aria-busy=false] .body > *").first().waitFor();
    await page.getByRole("img", { name: "Picture of cap 1" }).waitFor();
    await noErrors(page);
});

// Tabs are dimmed if the log has nothing for their panes; on a narrow screen, all can be reached.
await withPage({ viewport: { width: 390, height: 844 } }, async (page) => {
    for (const name of ["demo", "time-profile", "heap-types", "spans", "tiny", "sparks"]) {
        await openLogs(page, `tests/logs/${name}.eventlog`);
        await page.evaluate(() => window.hectic.idle());
        const dimmed = [];
        for (const tab of await page.locator("#tabs button:visible").all()) {
            await tab.click();
            await page.evaluate(() => window.hectic.idle());
            const isEmpty = await page.locator("#pane .body").evaluate(({ children }) => children.length === 1 && children[0].matches(".missing"));
            const says = await tab.evaluate((tab) => tab.matches(".lacks") && tab.title !== "");
            if (says) assert.ok(isEmpty, `${name}: ${await tab.textContent()} is dimmed`);
            // Messages that are no spans are known only after the range was read.
            else if ((await tab.textContent()) !== "Spans") assert.ok(!isEmpty, `${name}: ${await tab.textContent()} is empty`);
            if (says) dimmed.push(await tab.textContent());
            const { left, right } = await tab.evaluate((tab) => tab.getBoundingClientRect().toJSON());
            assert.ok(left >= 0 && right <= 390, name);
        }
        if (name === "demo") assert.deepEqual(dimmed, ["Heap bands", "Flame graph", "Ticky"]);
        if (name === "time-profile") assert.deepEqual(dimmed.filter((tab) => /Flame|Heap/.test(tab)), ["Heap bands"]);
    }
    await noErrors(page);
});

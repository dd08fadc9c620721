// A merged log: the rows of each process under each other, by name, with the numbers of each.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { hectic, openLogs, withPage, work } from "../support/page.mjs";

const merged = `${work}/merged.eventlog`;
const two = `${work}/two.eventlog`;
const own = (name) => `tests/logs/${name}.eventlog`;
hectic("merge", "--force", "--align", "start", "-o", two, own("sparks"), own("spans"));
hectic("merge", "--force", "--align", "start", "-o", merged, own("threads"), two);
const processes = JSON.parse(hectic("stat", "--json", merged)).stat;
assert.equal(processes.length, 3);

const titles = (page) => page.getByRole("heading", { level: 2 }).filter({ hasText: "merged.eventlog" }).allTextContents();
const rows = (page) => page.locator("#rows .name > span:first-child").allTextContents();

async function check(page, program) {
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    // In the order of their first events: as hectic stat.
    const names = { 9975: "threads", 10023: "sparks", 2466: "spans" };
    const expected = processes.map(({ pid }) => `merged.eventlog, ${program(names[pid])} (pid ${pid})`);
    assert.deepEqual(await titles(page), expected);

    // Each has rows of its own caps, and a heap of its own.
    const folds = page.locator("#rows .title button");
    for (let i = 0; i < processes.length; i++) {
        for (let k = 0; k < processes.length; k++) {
            const isOpen = (await folds.nth(k).getAttribute("aria-expanded")) === "true";
            if (isOpen !== (k === i)) await folds.nth(k).click();
        }
        await page.evaluate(() => window.hectic.idle());
        const shown = await rows(page);
        const caps = shown.filter((name) => /^cap \d+$/.test(name));
        assert.deepEqual(caps, processes[i].caps.map(({ cap }) => `cap ${cap}`));
        assert.equal(shown.filter((name) => name === "Heap").length, 1);
    }
}

await withPage({ viewport: { width: 1280, height: 1600 } }, async (page) => {
    await openLogs(page, merged);
    await check(page, (name) => `./${name}`);

    // The numbers of a range: of all processes, and in the pane of the chosen one.
    const range = { from: 1000000, to: 9000000 };
    const wanted = hectic("stat", "--jsonl", "--from", `${range.from}ns`, "--to", `${range.to}ns`, merged).trim().split("\n");
    const found = await page.evaluate((range) => window.hectic.select(range), range);
    // Of kinds of events that only follow the interval, the verb says nothing.
    const facts = ({ process, pid, memory, gc, caps }) => ({
        process,
        pid,
        allocated: memory.allocated_bytes ?? 0,
        pauses: gc.pause?.count ?? 0,
        running: caps.map(({ running_ns }) => running_ns),
    });
    assert.deepEqual(found.map(facts), wanted.map(JSON.parse).map(facts));
    assert.equal(found.length, 3);
    await page.click("#tab-stat");
    const choice = page.getByRole("combobox", { name: "Log that the numbers are of" });
    for (const [index, { pid, caps }] of processes.entries()) {
        await choice.selectOption(String(index));
        await page.locator("#pane caption", { hasText: "Caps" }).waitFor();
        await page.waitForFunction(
            (cap) => document.querySelector("#pane").textContent.includes(`cap ${cap}`),
            caps[0].cap,
        );
        assert.match(await choice.locator("option:checked").textContent(), new RegExp(`pid ${pid}`));
    }
});

// The same in a report.
const report = `${work}/report.html`;
hectic("view", "-o", report, merged);
await withPage({ url: pathToFileURL(report).href, viewport: { width: 1280, height: 1600 } }, async (page) => {
    await page.evaluate(() => window.hectic.ready);
    await check(page, (name) => name);
});

// The tables of panes lead to what their rows are about; they can be sorted, filtered and gone through by keys. Their
// numbers: numbers.mjs.
import assert from "node:assert/strict";
import { openLogs, withPage } from "../support/page.mjs";
import { assertShown, choose, json, tableOf } from "../support/range_numbers.mjs";

// By keys: to a pane, sort, filter, to a row, and to what it is about.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/heap-generations.eventlog");
    const view = () => page.evaluate(() => location.hash.match(/view=(\d+)-(\d+)/)?.slice(1).map(Number) ?? null);
    await page.locator("#tab-stat").click();
    await page.keyboard.press("ArrowRight");
    await page.locator("#pane[data-pane=pauses][aria-busy=false]").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-pauses");
    // Tab: the pane, the field for the filter, the heads of the columns, the first row.
    const reach = async (accepts) => {
        for (let i = 0; i < 30; i++) {
            await page.keyboard.press("Tab");
            if (await page.evaluate(accepts)) return;
        }
        assert.fail(String(accepts));
    };
    const { count } = await tableOf(page, "Collections");
    await reach(() => document.activeElement.matches("input[type=search]"));
    await page.keyboard.type("exit");
    await page.waitForFunction((count) => Number(document.querySelector("#pane .list table").getAttribute("aria-rowcount")) - 1 < count, count);
    assert.match(await page.locator("#pane .list .remark").textContent(), new RegExp(` of ${count} rows$`));
    for (const _ of "exit") await page.keyboard.press("Backspace");
    await reach(() => document.activeElement.textContent === "start");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#pane .list th[aria-sort]").textContent(), "start");
    assert.equal(await page.locator("#pane .list th[aria-sort]").getAttribute("aria-sort"), "descending");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#pane .list th[aria-sort]").getAttribute("aria-sort"), "ascending");
    await reach(() => document.activeElement.matches("tbody button"));
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    const rows = json("tests/logs/heap-generations.eventlog", null, "gc").gc.sort((a, b) => a.start_ns - b.start_ns);
    const wanted = rows.at(-3);
    assertShown(await page.evaluate(() => document.activeElement.textContent), wanted.start_ns, "the row");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /view=/.test(location.hash));
    const [from, to] = await view();
    assert.ok(from <= wanted.start_ns && to >= wanted.end_ns && to - from < 20 * wanted.pause_ns, `${from} ${to}`);
    // The table stays as it is, until it shall follow the view.
    assert.equal((await tableOf(page, "Collections")).count, count);
    await page.getByRole("button", { name: "Follow the view" }).click();
    await page.waitForFunction((count) => Number(document.querySelector("#pane .list table").getAttribute("aria-rowcount")) - 1 < count, count);
});

// What a log does not have is said, with the flag that records it.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/tiny-nothing.eventlog");
    for (const [name, flag] of [["pauses", "-lg"], ["threads", "-ls"], ["latency", "-ls"], ["spans", "-lu"], ["sparks", "-lp"], ["mmu", "-lg"]]) {
        await choose(page, name);
        const text = await page.locator("#pane .missing").textContent();
        assert.ok(text.includes(`+RTS ${flag}`), `${name}: ${text}`);
    }
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

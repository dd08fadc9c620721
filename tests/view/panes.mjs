// The tables of panes lead to what their rows are about; they can be sorted, filtered and gone through by keys. Their
// numbers: numbers.mjs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { openLogs, withPage, work } from "../support/page.mjs";
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

// The sums of states are those of the command's text: of the program's threads. The longest spans have the labels of the log.
await withPage({}, async (page) => {
    const log = "tests/logs/threads.eventlog";
    await openLogs(page, log);
    await page.click("#tab-threads");
    await page.locator("#pane[data-pane=threads][aria-busy=false]").waitFor();
    const program = json(log, null, "threads").threads.filter(({ kind }) => kind === "program");
    const sum = (key) => program.reduce((total, row) => total + row[key], 0);
    const all = Object.keys(program[0]).filter((key) => key.endsWith("_ns") && !/^(born|ended|lifetime)/.test(key)).reduce((total, key) => total + sum(key), 0);
    const shown = (state) => page.locator("#pane tr", { hasText: state }).last().locator("td").last().textContent();
    for (const [state, key] of [["running", "running_ns"], ["in a foreign call", "foreign_call_ns"], ["blocked on an MVar", "mvar_ns"]]) {
        assert.ok(sum(key) > 0);
        assert.equal(await shown(state), `${((100 * sum(key)) / all).toFixed(1)} %`, state);
    }
    assert.ok(!(await page.locator("#pane").textContent()).includes("foreign_call"));
    const spans = `${work}/spans.eventlog`;
    const makes = `
import struct, sys
sys.path.insert(0, "tests/support")
from eventlog import write
events = [(1000, 0, 1, struct.pack(">I", 7))]
for time, label in [(2000, "tx 1"), (3000, "tx 22"), (4000, "7 load"), (5000, "plain")]:
    events += [(time, 0, 19, f"START {label}".encode()), (time + 100, 0, 19, f"STOP {label}".encode())]
open(sys.argv[1], "wb").write(write(events, {1: 4}))`;
    execFileSync("python3", ["-c", makes, spans]);
    await openLogs(page, spans);
    await page.click("#tab-spans");
    await page.locator("#pane[data-pane=spans][aria-busy=false]").waitFor();
    const table = page.locator("#pane .list", { hasText: "The longest spans" });
    const labels = await table.locator("tbody tr:not(.gap)").evaluateAll((rows) => rows.map((row) => row.firstElementChild.textContent));
    assert.deepEqual(labels.sort(), ["7 load", "plain", "tx 1", "tx 22"]);
});

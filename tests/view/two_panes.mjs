// Two panes side by side, on wide screens: each is chosen, remembered and in the address.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { hectic, isAccessible, openLogs, withPage } from "../support/page.mjs";

const log = "tests/logs/demo.eventlog";
const wide = { width: 1800, height: 900 };
const idle = (page) => page.evaluate(() => window.hectic.idle());
const shown = async (page) => {
    await idle(page);
    return page.locator(".side:not([hidden]) .pane").evaluateAll((panes) => panes.map(({ dataset }) => dataset.pane));
};

await withPage({ viewport: wide }, async (page) => {
    await openLogs(page, log);
    assert.deepEqual(await shown(page), ["findings"]);
    await page.getByRole("button", { name: "Two panes" }).click();
    assert.deepEqual(await shown(page), ["findings", "stat"]);
    await isAccessible(page, "two panes");

    // No pane is on both sides: they change places.
    await page.click("#tab-stat");
    assert.deepEqual(await shown(page), ["stat", "findings"]);
    await page.click("#tab-pauses-2");
    assert.deepEqual(await shown(page), ["stat", "pauses"]);

    // Both have the numbers of the range.
    await page.evaluate(() => window.hectic.select({ from: 1000000, to: 12000000 }));
    await idle(page);
    const rows = hectic("gc", "--jsonl", "--from", "1000000ns", "--to", "12000000ns", log).trim().split("\n");
    assert.equal(Number(await page.locator("#pane-2 .list table").getAttribute("aria-rowcount")), rows.length + 1);
    assert.match(await page.locator("#pane h2").textContent(), /^Selection/);
    assert.match(await page.locator("#pane-2 h2").textContent(), /^Selection/);

    // What a row of a pane leads to leaves that pane as it is; the other one follows the view.
    await page.keyboard.press("Escape");
    await idle(page);
    const before = await page.locator("#pane-2").getAttribute("data-range");
    await page.locator("#pane-2 .list tbody button").first().click();
    await idle(page);
    assert.equal(await page.locator("#pane-2").getAttribute("data-range"), before);
    assert.notEqual(await page.locator("#pane").getAttribute("data-range"), before);

    // A finding leads to the other side.
    await page.click("#tab-findings");
    await page.evaluate(() => window.hectic.select({ from: 1000000, to: 12000000 }));
    await idle(page);
    await page.locator("#pane .card").first().click();
    assert.deepEqual(await shown(page), ["findings", "latency"]);

    // The line resizes both.
    const widths = () => page.locator(".side").evaluateAll((sides) => sides.map(({ clientWidth }) => clientWidth));
    const [first, second] = await widths();
    assert.ok(Math.abs(first - second) <= 1);
    await page.focus("#splitter");
    await page.keyboard.press("ArrowLeft");
    const [wider] = await widths();
    assert.ok(Math.abs(wider - first - 24) <= 1, `${first} ${wider}`);
    await page.keyboard.press("Enter");

    // The address has both.
    await page.waitForFunction(() => location.hash.includes("pane2=latency"));
    const address = page.url();
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);

    // Narrow windows have one; it comes back.
    await page.setViewportSize({ width: 1200, height: 900 });
    assert.deepEqual(await shown(page), ["findings"]);
    assert.ok(await page.getByRole("button", { name: "Two panes" }).isHidden());
    await page.setViewportSize(wide);
    assert.deepEqual(await shown(page), ["findings", "latency"]);

    // The browser remembers them, and another link has others.
    await page.goto("about:blank");
    await page.goto(pathToFileURL(process.env.HECTIC_PAGE).href);
    await openLogs(page, log);
    assert.deepEqual(await shown(page), ["findings", "latency"]);
    await page.goto("about:blank");
    await page.goto(address.replace("pane2=latency", "pane=stat&pane2=spans"));
    await openLogs(page, log);
    assert.deepEqual(await shown(page), ["stat", "spans"]);
    await page.getByRole("button", { name: "Two panes" }).click();
    assert.deepEqual(await shown(page), ["stat"]);
    await page.waitForFunction(() => !location.hash.includes("pane2"));
});

// axe finds nothing to complain about: at first, with a log, with a selection, with help; light and dark.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { openLogs, withPage } from "../support/page.mjs";

let axe;
try {
    axe = readFileSync(`${process.env.HECTIC_MODULES}/node_modules/axe-core/axe.min.js`, "utf8");
} catch {
    console.log("SKIPPED: needs axe-core (scripts/install-deps test)");
    process.exit(77);
}

async function check(page, what) {
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document));
    const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    assert.deepEqual(told, [], what);
    assert.ok(passes.length > 5);
}

for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 800, height: 600 }]) {
        await withPage({ colorScheme, viewport }, async (page) => {
            await page.evaluate(axe);
            const what = `${colorScheme} ${viewport.width}`;
            await check(page, `${what}, empty`);
            await openLogs(page, "tests/logs/time-profile.eventlog");
            await page.locator("#pane table").first().waitFor();
            await check(page, `${what}, a log`);
            await page.keyboard.press("e");
            await check(page, `${what}, what can be saved`);
            await page.keyboard.press("Escape");
            await openLogs(page, "tests/logs/demo.eventlog", "tests/logs/threads.eventlog");
            await page.locator("#pane table").first().waitFor();
            await check(page, `${what}, logs`);
            await page.evaluate(() => window.hectic.select({ from: 4e6, to: 6e6 }));
            await page.getByText("Selection").first().waitFor();
            await check(page, `${what}, selection`);
            for (const tab of await page.getByRole("tab").all()) {
                await tab.click();
                await page.locator("#pane[aria-busy=false] .body > *").first().waitFor();
                await check(page, `${what}, ${await tab.textContent()}`);
            }
            await page.keyboard.press("/");
            await page.keyboard.type("worker");
            await page.locator("#search-found").getByText("match").waitFor();
            await check(page, `${what}, search`);
            await page.keyboard.press("Escape");
            await page.keyboard.press("?");
            await check(page, `${what}, help`);
        });
    }
}

// axe finds nothing to complain about: at first, with a log, with a selection, with help; light and dark.
import { isAccessible, openLogs, withPage } from "../support/page.mjs";

async function check(page, what) {
    if (await isAccessible(page, what)) return;
    console.log("SKIPPED: needs axe-core (scripts/install-deps test)");
    process.exit(77);
}

for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 800, height: 600 }]) {
        await withPage({ colorScheme, viewport }, async (page) => {
            const what = `${colorScheme} ${viewport.width}`;
            await check(page, `${what}, empty`);
            await openLogs(page, "tests/logs/time-profile.eventlog");
            await page.locator("#pane[aria-busy=false] .body > *").first().waitFor();
            await check(page, `${what}, a log`);
            await page.keyboard.press("e");
            await check(page, `${what}, what can be saved`);
            await page.keyboard.press("Escape");
            await openLogs(page, "tests/logs/demo.eventlog", "tests/logs/threads.eventlog");
            await page.locator("#pane[aria-busy=false] .body > *").first().waitFor();
            await check(page, `${what}, logs`);
            await page.evaluate(() => window.hectic.select({ from: 4e6, to: 6e6 }));
            await page.getByText("Selection").first().waitFor();
            await check(page, `${what}, selection`);
            await page.keyboard.press("j");
            await page.locator("#details").waitFor();
            await page.locator("#details .meanwhile").waitFor();
            await check(page, `${what}, details`);
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

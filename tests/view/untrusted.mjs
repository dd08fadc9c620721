// Texts of a log with markup, quotes, controls and marks of direction are shown as text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { openLogs, withPage, work } from "../support/page.mjs";

const markup = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>&lt;\u202e\u0007'`;
writeFileSync(`${work}/text`, markup);
const log = `${work}/<img src=x onerror=document.title=1>.eventlog`;
writeFileSync(log, execFileSync(`${process.env.HECTIC_BUILD}/hostile_log`, [`${work}/text`]));

await withPage({}, async (page) => {
    const elements = () => page.evaluate(() => [document.images.length, document.scripts.length]);
    const before = await elements();
    await openLogs(page, log, "tests/logs/demo.eventlog");
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    // The program's name, in which what cannot be seen is spelled.
    const program = await page.locator("#program").textContent();
    assert.ok(program.startsWith(`"><img src=x onerror="`), program);
    assert.ok(!/[\u0000-\u001f\u202e]/.test(program), program);
    // The name of a thread, under the pointer.
    await page.evaluate(() => window.hectic.view({ from: 2e6, to: 12e6 }).then(() => window.hectic.idle()));
    const rows = await page.locator("#rows canvas").count();
    let found = false;
    for (let row = 1; row < rows && !found; row++) {
        const place = await page.locator("#rows canvas").nth(row).boundingBox();
        for (let x = 0.02; x < 1 && !found; x += 0.04) {
            await page.mouse.move(place.x + place.width * x, place.y + 5);
            await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
            const status = await page.locator("#status").textContent();
            assert.ok(!/[\u0000-\u001f\u202e]/.test(status), status);
            found = status.includes("<img src=x");
        }
    }
    assert.ok(found, "no thread with the name is shown");
    // In every pane, and in what a search finds.
    await page.keyboard.press("f");
    const control = /[\u0000-\u0008\u000b-\u001f\u202e]/;
    let panes = 0;
    for (const tab of await page.getByRole("tab").all()) {
        const name = (await tab.getAttribute("id")).slice(4);
        await tab.click();
        await page.locator(`#pane[data-pane=${name}][aria-busy=false]`).waitFor();
        const text = await page.locator("#pane").innerText();
        assert.ok(!control.test(text), name);
        if (text.includes("<img src=x")) panes++;
    }
    assert.ok(panes >= 2, `${panes} panes show the texts`);
    const [match] = await page.evaluate(() => window.hectic.search("<img src=x"));
    assert.ok(match.text.includes("<img src=x"));
    await page.keyboard.press("n");
    await page.locator("#search-found").getByText("<img src=x").waitFor();
    assert.ok(!control.test(await page.locator("#search-found").textContent()));
    assert.deepEqual(await elements(), before);
    assert.ok(!/^(run|1)$/.test(await page.title()), await page.title());
});

// A script that were not the page's own would not run, and nothing could be loaded.
await withPage({}, async (page) => {
    const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+' 'wasm-unsafe-eval'; style-src 'sha256-[^']+'; /);
    assert.ok(!/unsafe-inline|https?:/.test(policy), policy);
});

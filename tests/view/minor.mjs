// What is easily overlooked: texts that are cut off, a page that scrolls, times between nanoseconds, titles.
import assert from "node:assert/strict";
import { generateLog, openLogs, withPage, withServer, work } from "../support/page.mjs";

const busy = `${work}/busy.eventlog`;
generateLog("--size", "12M", "-o", busy);

await withPage({ viewport: { width: 900, height: 700 } }, async (page) => {
    await openLogs(page, busy);
    // Numbers of many digits fit into histograms.
    await page.click("#tab-latency");
    await page.evaluate(() => window.hectic.idle());
    const outside = await page.locator("#pane .chart").evaluate((chart) => {
        const box = chart.getBoundingClientRect();
        return [...chart.querySelectorAll("text")].filter((text) => {
            const { left, right, top, bottom } = text.getBoundingClientRect();
            return left < box.left - 0.5 || right > box.right + 0.5 || top < box.top - 0.5 || bottom > box.bottom + 0.5;
        }).map((text) => text.textContent);
    });
    assert.deepEqual(outside, []);
    const most = await page.locator("#pane .chart text").first().textContent();
    assert.ok(most.length >= 5, most);
    // The body stays where it is, whatever has the focus.
    for (const selector of ["#pane .list tbody button", "#tab-notes", "#rows h3 button"]) {
        await page.locator(selector).last().focus();
        await page.evaluate(() => document.body.scrollBy(0, 500));
        await page.evaluate(() => document.documentElement.scrollBy(0, 500));
        assert.deepEqual(await page.evaluate(() => [document.body.scrollTop, document.documentElement.scrollTop, scrollY]), [0, 0, 0], selector);
    }
});

await withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    // After idle(), the pane has what is in view.
    await openLogs(page, busy);
    await page.click("#tab-threads");
    await page.evaluate(() => window.hectic.view({ from: 1e6, to: 2e6 }).then(() => window.hectic.idle()));
    assert.deepEqual(await page.evaluate(() => ({ ...document.querySelector("#pane").dataset })), { log: "busy.eventlog", pane: "threads", range: "1000000-2000000" });
    // Times are whole ns.
    await page.evaluate(() => window.hectic.select({ from: 1000100, to: 1000150 }));
    await page.evaluate(() => window.hectic.view({ from: 1000095, to: 1000155 }).then(() => window.hectic.idle()));
    const place = await page.getByRole("img", { name: "Picture of All caps" }).boundingBox();
    for (let i = 0; i < 20; i++) {
        await page.mouse.move(place.x + (place.width * (i + 0.5)) / 20, place.y + 5);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        assert.match(await page.locator("#status").textContent(), / · (\d+ ns|0) (before the selection|after the selection|after its start)/);
    }
    // The range above the numbers of one of two logs is that of this log.
    await page.evaluate(() => (location.hash = ""));
    await openLogs(page, "tests/logs/demo.eventlog", "tests/logs/killed.eventlog");
    await page.click("#tab-stat");
    await page.getByLabel("Log that the numbers are of").first().selectOption("1");
    await page.waitForFunction(() => document.querySelector("#pane .range").textContent.includes("(287 µs)"));
    // The head of a CSV has no blanks at its edges.
    await openLogs(page, "tests/logs/time-profile.eventlog");
    await page.click("#tab-flame");
    await page.evaluate(() => window.hectic.idle());
    for (const title of await page.locator("#pane th").allTextContents()) assert.equal(title, title.trim());
    // A tip at the lower edge of the window is not cut off.
    const flame = await page.locator("#pane .picture canvas").boundingBox();
    await page.mouse.move(flame.x + flame.width / 2, flame.y + 8);
    const tip = await page.locator(".tip").boundingBox();
    assert.ok(tip.x >= flame.x - 1 && tip.x + tip.width <= flame.x + flame.width + 1 && tip.y + tip.height <= 900, JSON.stringify(tip));
    const clips = await page.locator(".picture").evaluate((picture) => getComputedStyle(picture).overflow);
    assert.equal(clips, "visible");
});

// The sections of a served log are named after its programs.
await withServer(["tests/logs/restarted.eventlog"], (url) =>
    withPage({ url }, async (page) => {
        await page.locator("#rows h2 button").nth(1).waitFor();
        const titles = await page.locator("#rows h2 button").allTextContents();
        titles.forEach((title, index) => assert.match(title, new RegExp(`^(\\S.* )?\\(section ${index + 1}\\)$`)));
        assert.ok(titles.every((title) => !title.includes("hectic view")), String(titles));
    }),
);

// A narrow axis has a number, and no line crosses the largest value in a row.
await withPage({ viewport: { width: 390, height: 800 } }, async (page) => {
    await openLogs(page, "tests/logs/demo.eventlog");
    await page.evaluate((view) => window.hectic.view(view).then(() => window.hectic.idle()), { from: 300000, to: 11500000 });
    /** How many pixels of a canvas have a color, or any, in a part of its height. */
    const count = (canvas, from, to, color) =>
        canvas.evaluate(
            (canvas, [from, to, color]) => {
                const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
                copy.drawImage(canvas, 0, 0);
                const { data } = copy.getImageData(0, Math.round(canvas.height * from), canvas.width, Math.round(canvas.height * (to - from)));
                const wanted = color && getComputedStyle(document.documentElement).getPropertyValue(color).match(/[0-9a-f]{2}/gi).map((text) => parseInt(text, 16));
                let found = 0;
                for (let i = 0; i < data.length; i += 4) found += data[i + 3] > 100 && (!wanted || wanted.every((part, k) => data[i + k] === part));
                return found;
            },
            [from, to, color],
        );
    assert.ok((await count(page.locator("#axis"), 0, 0.7)) > 20);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => window.hectic.idle());
    const heap = page.getByRole("img", { name: "Picture of Heap" });
    assert.ok((await count(heap, 0, 1, "--heap")) > 50);
    assert.equal(await count(heap, 0, 13 / 96, "--heap"), 0);
});

// Search: the matches are those of hectic show --match; next and previous go through them; events are
// listed from the cursor on; bookmarks and notes are kept in the address.
import assert from "node:assert/strict";
import { hectic, openLogs, withPage } from "../support/page.mjs";

const log = "tests/logs/threads.eventlog";
/** The events of a log; of these, whose text matches: an object of show --json for each. */
const shown = (...words) =>
    hectic("show", "--json", ...words, log)
        .split("\n")
        .filter((line) => line)
        .map((line) => JSON.parse(line));
const times = (events) => events.map(({ time, time_ns }) => time ?? time_ns);

await withPage({}, async (page) => {
    await openLogs(page, log);
    const found = page.locator("#search-found");
    const wanted = times(shown("--match", "(?i)thread 7"));
    assert.ok(wanted.length > 3);
    const matches = await page.evaluate(() => window.hectic.search("THREAD 7"));
    assert.deepEqual(times(matches), wanted);
    assert.ok(matches.every(({ text }) => /thread 7/i.test(text)));
    await found.getByText(`${wanted.length} matches`).waitFor();

    // The map has marks; without a search, it has none.
    const marked = () =>
        page.evaluate(() => {
            const canvas = document.querySelector("#minimap");
            // Reading the page's own canvas twice makes the browser warn.
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            const { data } = copy.getImageData(0, Math.round(canvas.height * 0.7), canvas.width, 1);
            const accent = getComputedStyle(document.documentElement).getPropertyValue("--accent").match(/[0-9a-f]{2}/gi);
            const [r, g, b] = accent.map((text) => parseInt(text, 16));
            let count = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) count++;
            return count;
        });
    await page.evaluate(() => window.hectic.view({ from: 0, to: 1e12 }).then(() => window.hectic.idle()));
    assert.ok((await marked()) > 0);
    await page.keyboard.press("/");
    await page.locator("#search-text:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#search").waitFor({ state: "hidden" });
    await page.evaluate(() => window.hectic.view({ from: 0, to: 1e12 }).then(() => window.hectic.idle()));
    assert.equal(await marked(), 0);

    // By keys, with a regular expression: / N N, and back.
    await page.keyboard.press("/");
    await page.keyboard.type("^(starting|running) .*|GC$");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    const expected = times(shown("--match", "(?i)^(starting|running) .*|GC$"));
    await found.getByText(expected.length === 1 ? "1 match" : `${expected.length} matches`).waitFor();
    await page.locator("#timeline").focus();
    const visited = [];
    const places = async (key, count) => {
        for (let i = 0; i < count; i++) {
            const before = await found.textContent();
            await page.keyboard.press(key);
            await page.waitForFunction((text) => document.querySelector("#search-found").textContent !== text, before);
            visited.push(await found.textContent());
        }
    };
    await places("n", 4);
    const forward = visited.slice();
    assert.equal(new Set(forward).size, 4);
    await places("Shift+N", 2);
    assert.deepEqual(visited.slice(4), [forward[2], forward[1]]);
    // Beyond the first is the last.
    await places("Shift+N", 2);
    assert.notEqual(visited.at(-1), forward[0]);
    assert.equal(visited.at(-2), forward[0]);
    // What is not a regular expression is said.
    await page.evaluate(() => window.hectic.search("(").catch(() => undefined));
    await page.waitForFunction(() => /[a-z]/.test(document.querySelector("#search-found").textContent) && !/match|Searching/.test(document.querySelector("#search-found").textContent));
});

// The events of the range, from the cursor on.
await withPage({}, async (page) => {
    await openLogs(page, log);
    const all = shown();
    await page.getByRole("tab", { name: "Events" }).click();
    const pane = page.locator("#pane[data-pane=events][aria-busy=false]");
    await pane.waitFor();
    const count = async () => Number(await pane.getByRole("table").getAttribute("aria-rowcount")) - 1;
    assert.equal(await count(), all.length);
    const { from, to } = { from: 2000000, to: 6000000 };
    const inRange = all.filter(({ time }) => time >= from && time < to);
    await page.evaluate((range) => window.hectic.select(range), { from, to });
    await page.waitForFunction((text) => document.querySelector("#pane table")?.getAttribute("aria-rowcount") === text, String(inRange.length + 1));
    // A row sets the cursor, and the list stays.
    await pane.locator("tbody button").nth(5).click();
    await page.waitForFunction(() => document.querySelector("#marks i.point"));
    assert.equal(await count(), inRange.length);
    // A click in the timeline: the list begins there.
    const plot = await page.locator("#rows canvas").nth(1).boundingBox();
    await page.mouse.click(plot.x + plot.width * 0.5, plot.y + 5);
    await page.waitForFunction((text) => Number(document.querySelector("#pane table").getAttribute("aria-rowcount")) < text, all.length);
    const left = await count();
    assert.ok(left > 0 && left < all.length);
    await page.getByRole("button", { name: "Earlier events" }).click();
    await page.waitForFunction((text) => document.querySelector("#pane table").getAttribute("aria-rowcount") === text, String(all.length + 1));
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Filter events" }).fill("thread 7");
    const filtered = shown("--match", "(?i)thread 7").length;
    await page.waitForFunction((text) => document.querySelector("#pane table").getAttribute("aria-rowcount") === text, String(filtered + 1));
});

// Bookmarks and a note.
await withPage({}, async (page) => {
    await openLogs(page, log);
    await page.evaluate(() => window.hectic.view({ from: 4000000, to: 8000000 }).then(() => window.hectic.idle()));
    await page.keyboard.press("b");
    await page.getByRole("tab", { name: "Notes" }).click();
    const name = page.getByRole("textbox", { name: /^Name of the bookmark/ });
    await name.fill(`<b>“here” & 50 %: #1</b>`);
    await page.getByLabel("Note", { exact: true }).fill("two\nlines");
    await page.waitForFunction(() => location.hash.includes("note=two") && location.hash.includes("mark=6000000"));
    const link = await page.evaluate(() => location.hash);
    await page.reload();
    await openLogs(page, log);
    assert.equal(await name.inputValue(), `<b>“here” & 50 %: #1</b>`);
    assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "two\nlines");
    assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "Notes");
    assert.equal(await page.evaluate(() => document.querySelectorAll("#marks i").length), 1);
    await page.waitForFunction((text) => location.hash === text, link);
    // Go, and delete.
    await page.evaluate(() => window.hectic.view({ from: 10000000, to: 12000000 }).then(() => window.hectic.idle()));
    await page.getByRole("button", { name: /^Go to / }).click();
    await page.waitForFunction(() => document.querySelectorAll("#marks i").length === 2);
    await page.getByRole("button", { name: /^Delete the bookmark/ }).click();
    await name.waitFor({ state: "detached" });
    await page.waitForFunction(() => !location.hash.includes("mark="));
    // The markers of a program are there by themselves.
    await openLogs(page, "tests/logs/demo.eventlog");
    await page.evaluate(() => window.hectic.view({ from: 0, to: 1e12 }).then(() => window.hectic.idle()));
    for (const marker of ["primes", "phi", "done"]) await page.getByRole("button", { name: new RegExp(`^marker: ${marker}$`) }).waitFor();
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

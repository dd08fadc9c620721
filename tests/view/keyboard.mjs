// Ten tasks by the keyboard alone, from opening a log to saving a table: each ends with what the command prints.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { addressWhen, hectic, withPage } from "../support/page.mjs";

const own = (name) => `tests/logs/${name}.eventlog`;
const lines = (...words) => hectic(...words).split("\n").filter((line) => line).map((line) => JSON.parse(line));
const idle = (page) => page.evaluate(() => window.hectic.idle());

async function open(page, log) {
    const chooser = page.waitForEvent("filechooser");
    await page.locator("body").press("o");
    await (await chooser).setFiles(log);
    await page.evaluate(() => window.hectic.ready);
    await idle(page);
}

/** Shows a pane. */
async function pane(page, name) {
    for (let tries = 0; (await page.locator("#pane").getAttribute("data-pane")) !== name; tries++) {
        assert.ok(tries < 20, name);
        await page.keyboard.press("p");
        await idle(page);
    }
}

/** Moves the focus to an element whose name or text matches. */
async function focus(page, pattern) {
    for (let tries = 0; tries < 400; tries++) {
        await page.keyboard.press("Tab");
        const name = await page.evaluate(() => {
            const { activeElement: at } = document;
            return at.getAttribute("aria-label") ?? at.innerText.trim();
        });
        if (pattern.test(name)) return name;
    }
    assert.fail(`nothing that can be focused is ${pattern}`);
}

/** Goes from row to row until what is chosen has a name. */
async function choose(page, pattern) {
    for (let tries = 0; tries < 60; tries++) {
        await page.keyboard.press(tries === 0 ? "." : "j");
        await idle(page);
        const name = await page.locator("#details-name").textContent();
        if (pattern.test(name)) return name;
    }
    assert.fail(`no row has ${pattern}`);
}

const details = (page) => page.locator("#details").evaluate(({ dataset }) => ({ from: Number(dataset.from), to: Number(dataset.to) }));
const selected = (page, wanted) => addressWhen(page, "the selection", ({ select }) => (wanted ? select?.[0] === wanted.from && select[1] === wanted.to : select === undefined));

await withPage({ viewport: { width: 1280, height: 1400 } }, async (page) => {
    await open(page, own("spans"));

    // The longest pause, and its cause.
    const pauses = lines("gc", "--jsonl", own("spans")).sort((a, b) => b.pause_ns - a.pause_ns);
    await choose(page, /^Collection/);
    await page.keyboard.press("l");
    await page.waitForFunction((from) => document.getElementById("details").dataset.from === String(from), pauses[0].start_ns);
    await pane(page, "pauses");
    const row = page.locator("#pane .list tbody tr[aria-rowindex]").first();
    assert.match(await row.innerText(), /245 µs/);
    assert.match(await row.innerText(), new RegExp(pauses[0].reason ?? "N/A"));

    // What a thread waited for, and who ended it.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await choose(page, /^Span worker of thread 7/);
    await choose(page, /^(Run of )?thread 7\b/);
    for (let tries = 0; !/blocked on an MVar/.test(await page.locator("#details-name").textContent()); tries++) {
        assert.ok(tries < 20);
        await page.keyboard.press(tries === 0 ? "," : ">");
        await idle(page);
    }
    await page.getByLabel("What led to the wait").waitFor();

    // The slowest span, and what it waited for.
    const spans = lines("spans", "--each", "--jsonl", own("spans")).sort((a, b) => b.duration_ns - a.duration_ns);
    await choose(page, /^Span worker/);
    await page.keyboard.press("l");
    await idle(page);
    await page.keyboard.press("f");
    const slowest = { from: spans[0].start_ns, to: spans[0].end_ns };
    await selected(page, slowest);
    await pane(page, "threads");
    const { mvar_ns: waited } = JSON.parse(hectic("threads", "--json", "--from", `${slowest.from}ns`, "--to", `${slowest.to}ns`, own("spans"))).threads.find(({ thread }) => thread === spans[0].thread);
    const text = await page.locator("#pane .list tbody tr[aria-rowindex]", { hasText: `thread ${spans[0].thread}` }).innerText();
    assert.ok(text.includes(`${(waited / 1e6).toFixed(2)} ms`), `${text}: ${waited}`);

    // Two markers, and the numbers between them.
    const markers = lines("show", "--jsonl", "--event", "USER_MARKER", own("spans"));
    const [first, last] = [markers[0].time, markers.at(-1).time];
    await page.keyboard.press("Escape");
    await choose(page, /^Marker/);
    while ((await details(page)).from !== first) {
        await page.keyboard.press(",");
        await idle(page);
    }
    await page.keyboard.press("Shift+F");
    while ((await details(page)).from !== last) {
        await page.keyboard.press(".");
        await idle(page);
    }
    await page.keyboard.press("Shift+F");
    await selected(page, { from: first, to: last });
    await pane(page, "stat");
    const between = JSON.parse(hectic("stat", "--jsonl", "--from", `${first}ns`, "--to", `${last}ns`, own("spans")));
    assert.deepEqual(await page.evaluate((range) => window.hectic.select(range), { from: first, to: last }), between);

    // A link.
    const link = await page.evaluate(() => location.hash);
    assert.match(link, new RegExp(`select=${first}-${last}`));

    // Undo and redo.
    await page.keyboard.press("Escape");
    await selected(page, null);
    await page.keyboard.press("u");
    await selected(page, { from: first, to: last });
    await page.keyboard.press("Shift+U");
    await selected(page, null);

    // A table as CSV.
    await pane(page, "pauses");
    await page.keyboard.press("e");
    await focus(page, /Collections/);
    const download = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    const saved = readFileSync(await (await download).path(), "utf8").trim().split("\n");
    assert.equal(saved.length, 1 + pauses.length);

    // What a message says.
    await page.keyboard.press("/");
    await page.keyboard.type("worker");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /\d/.test(document.getElementById("search-found").textContent));
    await page.keyboard.press("Escape");

    // What grew.
    await open(page, own("heap-profile-c"));
    await pane(page, "heap");
    const { profiles } = JSON.parse(hectic("heap", "--json", own("heap-profile-c"))).sections[0];
    const name = await focus(page, /^Sort by growth|^growth/i);
    assert.ok(name);
    await page.keyboard.press("Enter");
    await idle(page);
    const largest = profiles[0].bands.reduce((a, b) => (b.growth_bytes > a.growth_bytes ? b : a));
    assert.ok((await page.locator("#pane .list tbody tr[aria-rowindex]").first().innerText()).includes(profiles[0].labels[largest.stack[0]].slice(0, 8)));

    // Which function takes the time, and who calls it.
    await open(page, own("time-profile"));
    await pane(page, "flame");
    const frames = JSON.parse(hectic("prof", "--json", own("time-profile"))).profiles[0].frames.sort((a, b) => b.own_ticks - a.own_ticks);
    await focus(page, /^Sandwich/);
    await page.keyboard.press("Enter");
    await focus(page, /^Flame graph/);
    for (const key of ["ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
    assert.match(await page.locator("#pane .pointed").textContent(), new RegExp(`a caller of ${frames[0].label}`));
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// The panes of profiles: heap bands, flame graph, ticky-ticky counters. Their numbers are those of the
// command; every gesture and key is used.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { csvOf, generateLog, heapProfile, hectic, isAccessible, openLogs, withPage, work } from "../support/page.mjs";

const json = (...words) => JSON.parse(hectic(...words));

const pane = async (page, name) => {
    await page.click(`#tab-${name}`);
    await page.waitForFunction((name) => {
        const { dataset } = document.getElementById("pane");
        return dataset.pane === name && document.getElementById("pane").getAttribute("aria-busy") === "false";
    }, name);
};
const settled = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const pointed = (page) => page.locator("#pane .pointed").textContent();
/** Tells pictures apart. */
const picture = async (page) => {
    await settled(page);
    return page.evaluate(() => document.querySelector("#pane canvas").toDataURL());
};
const noErrors = async (page) => assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);

// Heap bands
const heap = "tests/logs/heap-types.eventlog";
await withPage({}, async (page) => {
    await openLogs(page, heap);
    await pane(page, "heap");
    const { bands, course_ns: times } = heapProfile("--bands", "1000", heap);
    const rows = await csvOf(page, "Bands");
    assert.equal(rows.length, bands.length + 1);
    const first = rows.find(([label]) => label === bands[0].label);
    assert.equal(Number(first[1]), bands[0].mean_bytes);
    assert.equal(Number(first[4]), bands[0].growth_bytes);

    // Each mode is another picture; the pressed button is marked.
    const pictures = new Set([await picture(page)]);
    for (const name of ["Lines", "Shares", "Area"]) {
        await page.getByRole("button", { name, exact: true }).click();
        assert.equal(await page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed"), "true");
        pictures.add(await picture(page));
    }
    assert.equal(pictures.size, 3);

    // The pointer and the keys tell the sizes.
    const canvas = page.getByRole("application", { name: /^Heap bands/ });
    await canvas.focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await pointed(page), /^40\.8 ms · ghc-prim:GHC\.Types\.: · 2\.69 MiB \(56\.7 %\) · all 4\.74 MiB$/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowRight");
    assert.match(await pointed(page), /^61\.7 ms · ghc-prim:GHC\.Types\.I# · /);
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width * 0.95, box.y + box.height * 0.8);
    assert.match(await pointed(page), /^104 ms · |^103\.6 ms · /);
    assert.equal(times.length, 4);
    assert.equal(await page.locator(".legend li.marked").count(), 1);
    await page.locator(".legend li").nth(2).hover();
    assert.match(await pointed(page), /Data\.Map\.Internal\.Bin/);
    // A part of the run.
    await page.evaluate(() => window.hectic.select({ from: 5e7, to: 9e7 }));
    await page.getByText("50.00 ms to 90.00 ms").waitFor();
    await page.waitForFunction(() => document.getElementById("pane").getAttribute("aria-busy") === "false");
    const part = heapProfile("--bands", "1000", "--from", "50ms", "--to", "90ms", heap);
    const partRows = await csvOf(page, "Bands");
    assert.equal(Number(partRows[1][1]), part.bands[0].mean_bytes);
    // Wider, and back.
    const width = async () => (await canvas.boundingBox()).width;
    const narrow = await width();
    await page.getByRole("button", { name: "Wide" }).click();
    await settled(page);
    assert.ok((await width()) > narrow * 1.3);
    await page.getByRole("button", { name: "Wide" }).click();
    await noErrors(page);
});

// Flame graph
const timeProfile = "tests/logs/time-profile.eventlog";
await withPage({}, async (page) => {
    await openLogs(page, timeProfile);
    await pane(page, "flame");
    const { frames } = json("prof", "--json", timeProfile).profiles[0];
    const rows = await csvOf(page, "Frames");
    for (const { label, own_ns: own, inherited_ns: total, own_ticks: ticks } of frames) {
        const row = rows.find(([name]) => name === label);
        assert.deepEqual([row[1], row[3], row[5]].map(Number), [own, total, ticks], label);
    }
    const canvas = page.getByRole("application", { name: /^Flame graph/ });
    const whole = await picture(page);
    const at = async (share, row) => {
        const { x, y, width } = await canvas.boundingBox();
        return [x + width * share, y + row * 19 + 9];
    };
    // all / main / step / weigh, grow
    await page.mouse.move(...(await at(0.2, 3)));
    assert.match(await pointed(page), /^weigh · Main, heap\.hs:19:43-74 · own 11\.9 ms \(60\.0 %\), 6 ticks · total 11\.9 ms/);
    assert.match(await page.locator(".tip strong").textContent(), /^weigh$/);
    await page.mouse.click(...(await at(0.8, 3)));
    assert.equal(await page.locator(".path button").last().textContent(), "grow");
    assert.notEqual(await picture(page), whole);
    assert.deepEqual((await csvOf(page, "Frames")).slice(1).map(([name]) => name).sort(), ["grow", "insert"]);
    await page.getByRole("button", { name: "Back", exact: true }).click();
    assert.equal(await page.locator(".path").isVisible(), false);
    // By keys.
    await canvas.focus();
    await page.mouse.move(0, 0);
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    assert.match(await pointed(page), /^weigh /);
    await page.keyboard.press("ArrowRight");
    assert.match(await pointed(page), /^grow /);
    await page.keyboard.press("ArrowLeft");
    assert.match(await pointed(page), /^weigh /);
    await page.keyboard.press("ArrowUp");
    assert.match(await pointed(page), /^step /);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".path button").last().textContent(), "step");
    // Another range keeps the focus.
    await page.evaluate(() => window.hectic.select({ from: 0, to: 4e7 }));
    await page.getByText("to 40.00 ms").waitFor();
    await page.waitForFunction(() => document.getElementById("pane").getAttribute("aria-busy") === "false");
    assert.equal(await page.locator(".path button").last().textContent(), "step");
    await page.evaluate(() => document.querySelector("#timeline").focus());
    await page.keyboard.press("Escape");
    await page.locator("#pane h2", { hasText: "Whole run" }).waitFor();
    await page.waitForFunction(() => document.getElementById("pane").getAttribute("aria-busy") === "false");
    await canvas.focus();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".path").isVisible(), false);
    await page.keyboard.press("Backspace");
    assert.equal(await page.locator(".path button").last().textContent(), "step");
    await page.keyboard.press("Backspace");
    // Search: text, regular expression, malformed.
    const search = page.getByLabel("Find frames: text or /regex/");
    await search.fill("GROW");
    await page.getByText("1 of 5 stacks match: 40.0 % of the time").waitFor();
    await search.fill("/^(weigh|insert)$/");
    await page.getByText("2 of 5 stacks match: 90.0 % of the time").waitFor();
    assert.notEqual(await picture(page), whole);
    await search.fill("/(/");
    assert.equal(await search.getAttribute("aria-invalid"), "true");
    await search.fill("");
    // By time.
    await page.getByRole("button", { name: "By time" }).click();
    assert.notEqual(await picture(page), whole);
    // A frame, who calls it and what it calls: the one that had the focus, those of the table, then one of the picture.
    await page.getByRole("button", { name: "Sandwich" }).click();
    const textAt = async (share, row) => {
        await page.mouse.move(...(await at(share, row)));
        return pointed(page);
    };
    assert.match(await textAt(0.5, 1), /^step · .* · own 0 .*total 20\.0 ms \(100\.0 %\)/);
    await page.locator("#pane .list").getByRole("button", { name: "weigh" }).click();
    assert.match(await textAt(0.5, 2), /^weigh · Main, heap\.hs:19:43-74 · own 11\.9 ms \(60\.0 %\), 6 ticks · total 11\.9 ms/);
    assert.match(await textAt(0.5, 1), /^step .* · a caller of weigh; in its calls: · own 11\.9 ms .*total 11\.9 ms/);
    await page.locator("#pane .list").getByRole("button", { name: "grow" }).click();
    assert.match(await textAt(0.5, 2), /^grow · .* · own 2\.01 ms \(10\.0 %\), 1 ticks · total 8\.03 ms \(40\.0 %\)/);
    assert.match(await textAt(0.5, 0), /^main · .* · a caller of grow; in its calls: · own 2\.01 ms .*total 8\.03 ms/);
    assert.match(await textAt(0.3, 3), /^insert · .* · called by grow; there: · own 6\.02 ms .*total 6\.02 ms/);
    await page.mouse.click(...(await at(0.3, 3)));
    assert.match(await textAt(0.3, 3), /^insert · .* · own 6\.02 ms \(30\.0 %\)/);
    await canvas.focus();
    await page.mouse.move(0, 0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    assert.match(await pointed(page), /^grow · .* · a caller of insert/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Backspace");
    assert.match(await textAt(0.3, 3), /^insert · .* · own 6\.02 ms \(30\.0 %\)/);
    await isAccessible(page, "sandwich");
    // Frames that are dropped: their time is that of their callers.
    await page.getByRole("button", { name: "Left-heavy" }).click();
    const drop = page.getByRole("button", { name: "Drop", exact: true });
    assert.ok(await drop.isDisabled());
    await search.fill("/^(step|insert)$/");
    await drop.click();
    assert.deepEqual((await csvOf(page, "Frames")).slice(1).map(([name, own, , total]) => [name, Number(own), Number(total)]).sort(), [["grow", 8028048, 8028048], ["main", 0, 19969387], ["weigh", 11941339, 11941339]]);
    await page.getByRole("button", { name: "Show what was dropped" }).click();
    assert.equal((await csvOf(page, "Frames")).length, 6);
    assert.equal(await picture(page), whole);
    await noErrors(page);
});

// Ticky-ticky counters
const corpus = process.env.HECTIC_CORPUS ?? "../shared/corpus";
const ticky = `${corpus}/ticky-ticky.eventlog`;
if (existsSync(ticky)) {
    await withPage({}, async (page) => {
        await openLogs(page, ticky);
        await pane(page, "ticky");
        const { counters } = json("ticky", "--json", ticky);
        const rows = await csvOf(page, "Ticky-ticky counters");
        assert.deepEqual(rows.slice(1).map(([label]) => label).sort(), counters.map(({ label }) => label).sort());
        await noErrors(page);
    });
}

// A log without profiles says which flags record them.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/threads.eventlog");
    for (const [name, flag] of [["heap", "+RTS -hT -l"], ["flame", "+RTS -p -l"], ["ticky", "+RTS -lT"]]) {
        await pane(page, name);
        assert.match(await page.locator("#pane .missing").textContent(), new RegExp(flag.replace("+", "\\+")));
    }
    await noErrors(page);
});

// Many stacks: deep, and a thousand of them.
await withPage({}, async (page) => {
    const many = `${work}/many.eventlog`;
    generateLog("--mix", "time-profile=5,heap-profile=1,threads=20", "--size", "2M", "--bands", "40", "-o", many);
    await openLogs(page, many);
    await pane(page, "flame");
    assert.ok((await page.evaluate(() => document.querySelector("#pane canvas").height)) > 150);
    await pane(page, "heap");
    assert.equal(await page.locator(".legend li").count(), 16);
    assert.equal(await page.locator(".legend li").last().textContent(), "(others)");
    await noErrors(page);
});

// Samples of a thread, and of threads in spans: those that SQL finds.
execFileSync("python3", ["tests/support/profiled_spans.py", work]);
for (const kind of ["ticks", "call-stacks"]) {
    const log = `${work}/spans-${kind}.eventlog`;
    const sql = (query) => hectic("sql", "--csv", log, query).trim().split("\n").slice(1).map((line) => line.split(","));
    const samples = `SELECT s.time_ns, s.cap, coalesce(s.thread, t.thread) AS thread FROM time_samples s LEFT JOIN thread_states t
        ON s.thread IS NULL AND t.state = 'running' AND t.cap = s.cap AND t.start_ns <= s.time_ns AND s.time_ns < t.end_ns`;
    const wanted = {
        "Of a thread": sql(`SELECT 'thread ' || thread, count(*) FROM (${samples}) WHERE thread NOT NULL GROUP BY thread`),
        "In spans": sql(`SELECT p.label, count(DISTINCT s.time_ns || ' ' || s.cap) FROM (${samples}) s
            JOIN spans_each p ON p.thread = s.thread AND p.start_ns <= s.time_ns AND s.time_ns < p.end_ns GROUP BY 1`),
    };
    await withPage({}, async (page) => {
        await openLogs(page, log);
        await page.click("#tab-flame");
        const settle = () => page.evaluate(() => window.hectic.idle());
        await settle();
        const select = page.getByLabel("Samples that count");
        for (const [name, parts] of Object.entries(wanted)) {
            await page.getByRole("button", { name }).click();
            await settle();
            const options = await select.locator("option").evaluateAll((list) => list.slice(1).map(({ textContent, value }) => [...textContent.replaceAll(",", "").match(/^(.*): (\d+) samples/).slice(1, 3), value]));
            assert.deepEqual(new Map(options.map(([label, count]) => [label, count])), new Map(parts));
            const [, count, value] = options[0];
            await select.selectOption(value);
            await settle();
            const [, ...rows] = await csvOf(page, "Frames");
            const own = rows.reduce((sum, cells) => sum + Number(cells[5]), 0);
            // The rest has no frame: MAIN.
            assert.ok(own > 0 && own <= Number(count), `${own} of ${count}`);
            await isAccessible(page, name);
        }
        await page.getByRole("button", { name: "All samples" }).click();
        await settle();
        assert.ok(await select.isHidden());
    });
}

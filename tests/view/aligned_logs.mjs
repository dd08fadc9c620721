// Two logs on one axis: aligned at a marker, by dragging, by keys, and by the address; all numbers stay those of the
// command.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { addressWhen, hectic, isAccessible, withPage, withServer, work } from "../support/page.mjs";

// A log with a marker of another one, at another time.
const ticking = readFileSync("tests/logs/demo.eventlog");
ticking.write("tick", ticking.lastIndexOf("done"));
const logs = [`${work}/ticking.eventlog`, "tests/logs/spans.eventlog"];
writeFileSync(logs[0], ticking);
const markerIn = (log) => JSON.parse(hectic("show", "--jsonl", "--event", "USER_MARKER", log).split("\n").find((line) => line.includes("tick"))).time;
const later = markerIn(logs[0]) - markerIn(logs[1]);
assert.ok(later > 1000000);

const idle = (page) => page.evaluate(() => window.hectic.idle());
const titles = (page) => page.locator("#rows h2").allTextContents();

/** By how much the logs were moved, once the address, which follows a little later, has it as `accepts` wants it. */
async function movedWhen(page, accepts) {
    for (const deadline = Date.now() + 30000; Date.now() < deadline; await page.waitForTimeout(50)) {
        const text = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("later"));
        const moved = (text ?? "0,0").split(",").map(Number);
        if (!accepts(moved[1])) continue;
        await idle(page);
        return moved;
    }
    assert.fail(`the address does not follow: ${await page.evaluate(() => location.hash)}`);
}

/** Moves the second log by the address. */
async function moveBy(page, by, more = "") {
    await page.evaluate((hash) => (location.hash = hash), `later=0,${by}${more}`);
    await movedWhen(page, (now) => now === by);
}

/** Everything is that of the part of the second log. */
async function numbersAreRight(page, from, to, by) {
    await page.evaluate((range) => window.hectic.select(range), { from, to });
    const own = [from - by, to - by];
    const options = ["--from", `${own[0]}ns`, "--to", `${own[1]}ns`];
    await idle(page);
    const compared = JSON.parse(hectic("compare", "--json", "--from", `${from}ns`, "--to", `${to}ns`, "--new-from", `${own[0]}ns`, "--new-to", `${own[1]}ns`, ...logs));
    assert.deepEqual(await page.locator("#pane .verdict p").allTextContents(), compared.verdict);
    const command = await page.locator("#pane .command code").textContent();
    assert.deepEqual(JSON.parse(hectic(...command.split(" ").slice(1), "--json")), compared);

    await page.locator("#tab-stat").click();
    await page.locator("#pane .head select").selectOption("1");
    await idle(page);
    const stat = await page.evaluate((range) => window.hectic.select(range), { from, to });
    const wanted = JSON.parse(hectic("stat", "--jsonl", ...options, logs[1]));
    assert.deepEqual(stat, { ...wanted, from_ns: wanted.from_ns + by, to_ns: wanted.to_ns + by });

    await page.locator("#tab-pauses").click();
    await idle(page);
    const pauses = await page.locator("#pane .list tbody tr[aria-rowindex]").count();
    assert.equal(pauses, hectic("gc", "--jsonl", ...options, logs[1]).split("\n").filter((line) => line).length);
    await page.locator("#tab-compare").click();
    await idle(page);
}

await withServer(logs, (url) =>
    withPage({ url }, async (page) => {
        await page.evaluate(() => window.hectic.ready);
        await idle(page);
        assert.deepEqual(await titles(page), logs);

        // At a marker.
        await page.keyboard.press("m");
        const choices = page.locator("#align li button");
        await choices.nth(1).waitFor();
        assert.deepEqual(await choices.allTextContents(), ["The beginnings of the programs", "Marker tick"]);
        assert.ok(await page.locator("#align .missing").isHidden());
        await isAccessible(page, "the dialog");
        await choices.nth(1).click();
        assert.deepEqual(await movedWhen(page, (by) => by > 0), [0, later]);
        assert.match((await titles(page))[1], /^tests\/logs\/spans\.eventlog, moved by \+9\.92 ms$/);
        await numbersAreRight(page, 11000000, 14000000, later);

        // What is drawn is where it was moved to: a click finds it, and its details have its times.
        await page.keyboard.press("Escape");
        await page.evaluate((range) => window.hectic.view(range), { from: later, to: later + 11000000 });
        const gc = JSON.parse(hectic("gc", "--jsonl", logs[1]).split("\n")[0]);
        const canvas = page.locator("#rows canvas[aria-label^='Picture of Gen 1']").last();
        await canvas.scrollIntoViewIfNeeded();
        await idle(page);
        const box = await canvas.boundingBox();
        const middle = (gc.start_ns + gc.end_ns) / 2;
        await page.mouse.click(box.x + (middle / 11000000) * box.width, box.y + box.height / 2);
        await page.locator("#details:not([hidden])").waitFor();
        await idle(page);
        await page.keyboard.press("f");
        await addressWhen(page, "the collection", ({ select }) => select?.[0] === gc.start_ns + later && select[1] === gc.end_ns + later);

        // Likewise the runs of threads.
        const { rows, states } = await (await fetch(`${url}2/api/thread_rows?from=0&to=11000000&width=16384`)).json();
        const longest = rows.flatMap(({ thread, runs = [] }) => runs.flatMap((from, i) => (i % 4 === 0 && states[runs[i + 2]] === "running" ? [{ thread, from, to: runs[i + 1] }] : [])));
        const run = longest.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
        await page.keyboard.press("Escape");
        await page.evaluate((range) => window.hectic.view(range), { from: run.from + later - 1000, to: run.to + later + 1000 });
        await page.getByRole("button", { name: "Threads", exact: true }).last().click();
        await idle(page);
        await page.locator("#timeline").evaluate((timeline) => (timeline.scrollTop = timeline.scrollHeight));
        await idle(page);
        const thread = page.locator(`#rows canvas[aria-label*="thread ${run.thread}"]`).last();
        const threadBox = await thread.boundingBox();
        await page.mouse.move(threadBox.x + threadBox.width / 2, threadBox.y + threadBox.height / 2);
        await page.waitForFunction(() => document.getElementById("status").textContent.includes("running"));

        // A link has it.
        await page.reload();
        await page.evaluate(() => window.hectic.ready);
        await idle(page);
        assert.match((await titles(page))[1], /moved by/);

        // By the pointer, beyond the beginning of the other log.
        await page.keyboard.press("Escape");
        await page.evaluate(() => window.hectic.view({ from: 0, to: 20000000 }));
        await page.locator("#rows canvas").last().scrollIntoViewIfNeeded();
        await idle(page);
        const row = await page.locator("#rows canvas").last().boundingBox();
        const drag = async (by) => {
            await page.mouse.move(row.x + 500, row.y + row.height / 2);
            await page.mouse.down();
            await page.mouse.move(row.x + 500 + by, row.y + row.height / 2, { steps: 5 });
        };
        await page.keyboard.down("Alt");
        await drag(-300);
        await page.keyboard.press("Escape");
        await page.mouse.up();
        await page.waitForTimeout(400);
        assert.match((await titles(page))[1], /moved by \+9\.92 ms$/);
        await drag(-450);
        await page.mouse.up();
        await page.keyboard.up("Alt");
        const [stays, dragged] = await movedWhen(page, (by) => by < 0);
        assert.equal(stays, 0);
        assert.ok(Math.abs(dragged - (later - (450 / row.width) * 20000000)) < 1e-3 * 20000000, `${dragged}`);
        assert.match((await titles(page))[1], /moved by −/);
        await numbersAreRight(page, 1000000, 5000000, dragged);

        // By keys, and back.
        await page.keyboard.press("Escape");
        await page.keyboard.press("Shift+D");
        assert.ok((await movedWhen(page, (by) => by > dragged))[1] > dragged);
        await page.keyboard.press("m");
        await choices.first().click();
        await movedWhen(page, (by) => by === 0);
        assert.deepEqual(await titles(page), logs);
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);

        // Before the other log's clock begins.
        const numbers = () => page.locator("#rows canvas").evaluateAll((all) => all.map((canvas) => canvas.getAttribute("aria-label")).filter((label) => /All caps|cap \d/.test(label)));
        const viewed = async (from, to) => {
            await page.evaluate((range) => window.hectic.view(range), { from, to });
            await page.waitForTimeout(200);
            await idle(page);
            return numbers();
        };
        const earlier = -gc.end_ns - 1000000;
        await moveBy(page, earlier);
        assert.deepEqual((await viewed(earlier + 500000, 5000000)).slice(0, 3), (await viewed(0, 5000000)).slice(0, 3));
        // The second log ends in view, and does not begin in it.
        assert.deepEqual((await viewed(earlier + 3000000, earlier + 15000000)).slice(3).filter((label) => !label.endsWith(" %")), []);
        await page.locator("#tab-stat").click();
        await page.locator("#pane .head select").selectOption("0");
        await idle(page);
        const first = JSON.parse(hectic("stat", "--jsonl", "--from", "0ns", "--to", "5000000ns", logs[0]));
        assert.deepEqual(await page.evaluate(() => window.hectic.select({ from: -5000000, to: 5000000 })), first);
        await assert.rejects(page.evaluate(() => window.hectic.select({ from: -5000000, to: -1000000 })), /there are no events/);
        await idle(page);
        assert.match(await page.locator("#pane").textContent(), /There are no events in this range/);
        await page.locator("#tab-compare").click();
        await idle(page);
        assert.match(await page.locator("#pane").textContent(), /has no events in this range/);
        assert.equal(await page.locator("#pane .command").count(), 0);
        await page.keyboard.press("Escape");
        await page.evaluate((range) => window.hectic.view(range), { from: earlier + 500000, to: 500000 });
        await canvas.scrollIntoViewIfNeeded();
        await idle(page);
        const earlierBox = await canvas.boundingBox();
        await page.mouse.click(earlierBox.x + ((middle - 500000) / -earlier) * earlierBox.width, earlierBox.y + earlierBox.height / 2);
        await page.locator(`#details[data-from="${gc.start_ns + earlier}"]`).waitFor();
        await page.keyboard.press("Escape");
        await page.evaluate(() => window.hectic.search("START sum"));
        const found = [];
        for (const keys of ["Enter", "Enter", "Shift+Enter"]) {
            await page.locator("#search-text").press(keys);
            await page.waitForTimeout(500);
            found.push(await page.locator("#search-found").textContent());
        }
        assert.match(found[1], /matches. −.* START sum$/);
        assert.equal(found[2], found[0]);
        assert.notEqual(found[1], found[0]);
        await moveBy(page, earlier + 100000);
        assert.equal(`${found[0].split(".")[0]}`, await page.locator("#search-found").textContent());
        await page.locator("#search-text").press("Escape");

        // What is in the address beside it is kept; a view where nothing is left is not.
        await moveBy(page, 3000000, "&view=4000000-9000000&select=5000000-6000000");
        await addressWhen(page, "the selection", ({ select }) => select?.[0] === 5000000 && select[1] === 6000000);
        await moveBy(page, 100000000, "&view=105000000-110000000");
        await addressWhen(page, "far away", ({ view }) => view?.[0] === 105000000);
        await moveBy(page, 3000000);
        await addressWhen(page, "what is left", ({ view }) => view?.[1] < 30000000);

        // Rows stay where they are, as they were filtered.
        await page.getByRole("button", { name: "Threads", exact: true }).last().click();
        const filter = page.getByLabel("Filter threads").last();
        await filter.fill("thread");
        await idle(page);
        const timeline = page.locator("#timeline");
        const scrolled = await timeline.evaluate((timeline) => (timeline.scrollTop = timeline.scrollHeight) && timeline.scrollTop);
        await timeline.focus();
        await page.keyboard.press("Shift+D");
        await movedWhen(page, (by) => by > 3000000);
        assert.equal(await timeline.evaluate((timeline) => timeline.scrollTop), scrolled);
        assert.equal(await filter.inputValue(), "thread");

        // The dialog is opened again before the first answer, and logs are moved before they were read.
        let pause = 700;
        const delay = async (route) => {
            await new Promise((done) => setTimeout(done, pause));
            await route.continue();
        };
        await page.route(/message_rows/, delay);
        for (const key of ["m", "Escape", "m"]) await page.keyboard.press(key);
        await choices.nth(1).waitFor();
        await page.waitForTimeout(1000);
        assert.equal(await choices.count(), 2);
        await choices.first().click();
        await movedWhen(page, (by) => by === 0);
        await page.route(/overview/, delay);
        await page.reload();
        await page.waitForTimeout(900);
        await page.evaluate(() => (location.hash = "later=0,5000000"));
        await page.evaluate(() => window.hectic.ready);
        assert.deepEqual(await movedWhen(page, (by) => by > 0), [0, 5000000]);
        pause = 0;
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);

        // Logs of the browser, too.
        await page.setInputFiles("input[type=file]", logs);
        await page.evaluate(() => window.hectic.ready);
        await idle(page);
        await page.keyboard.press("m");
        await choices.nth(1).click();
        assert.deepEqual(await movedWhen(page, (by) => by > 0), [0, later]);

        // One log cannot be moved.
        await page.setInputFiles("input[type=file]", logs[0]);
        await page.evaluate(() => window.hectic.ready);
        assert.ok(await page.locator("#align-menu").isHidden());
        await page.keyboard.press("m");
        assert.ok(await page.locator("#align").isHidden());
        await page.evaluate(() => (location.hash = "later=5000000"));
        await page.waitForTimeout(100);
        const stat = hectic("stat", "--jsonl", "--from", "1000000ns", "--to", "9000000ns", logs[0]);
        assert.deepEqual(await page.evaluate(() => window.hectic.select({ from: 1000000, to: 9000000 })), JSON.parse(stat));
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    }),
);

// Rows: in groups that fold, with elements only where they are in sight; what is under the pointer.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

const demo = "tests/logs/demo.eventlog";
const names = (page) => page.locator("#rows .name > span:first-child").allTextContents();
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Moves the pointer over a row; returns what the page says of it. */
async function statusAt(page, row, share, height = 0.5) {
    const place = await page.getByRole("img", { name: `Picture of ${row}` }).first().boundingBox();
    await page.mouse.move(place.x + place.width * share, place.y + place.height * height);
    await drawn(page);
    return page.locator("#status").textContent();
}

await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    await openLogs(page, demo);
    const heading = (name) => page.getByRole("button", { name, exact: true });

    // Folding, by pointer and by key, is kept in the address.
    assert.equal(await heading("Caps").getAttribute("aria-expanded"), "true");
    await heading("Caps").click();
    await drawn(page);
    assert.equal(await heading("Caps").getAttribute("aria-expanded"), "false");
    assert.ok(!(await names(page)).includes("cap 0"));
    await page.waitForFunction(() => location.hash === "#rows=caps");
    await page.reload();
    await openLogs(page, demo);
    assert.equal(await heading("Caps").getAttribute("aria-expanded"), "false");
    assert.ok(!(await names(page)).includes("cap 0"));
    await heading("Caps").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: "Picture of cap 0" }).waitFor();
    await page.waitForFunction(() => location.hash === "");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Caps");

    // What is under the pointer.
    const status = await statusAt(page, "cap 1", 0.42);
    assert.match(status, /^[\d.]+ ms · cap 1 · running · spark evaluator \(thread \d+\), [\d.]+ ms · thread yielding$/);
    await page.evaluate(() => window.hectic.select({ from: 4000000, to: 9000000 }));
    assert.match(await statusAt(page, "cap 1", 0.42), / · 4\.\d+ ms after its start$/);
    // Instants, where they fit.
    await page.evaluate(() => window.hectic.select({ from: 900000, to: 1300000 }));
    await page.evaluate(() => window.hectic.view({ from: 900000, to: 1300000 }).then(() => window.hectic.idle()));
    const migrations = hectic("show", "--json", demo)
        .split("\n")
        .filter((line) => line.includes('"MIGRATE_THREAD"'))
        .map((line) => JSON.parse(line))
        .filter(({ time }) => time > 900000 && time < 1290000);
    assert.ok(migrations.length > 0);
    for (const { time, cap, thread, new_cap } of migrations) {
        const text = await statusAt(page, `cap ${cap}`, (time - 900000) / 400000);
        assert.match(text, new RegExp(`· migrates (.* \\()?thread ${thread}\\)? to cap ${new_cap} at `));
    }
    await page.evaluate(() => window.hectic.view({ from: 0, to: 1e12 }).then(() => window.hectic.idle()));
    assert.match(await statusAt(page, "Heap", 0.8), / · Heap · heap 1\.00 MiB · .*live /);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// 64 caps: rows have elements only while they are in sight, in the order of the rows; all can be reached.
await withPage({ viewport: { width: 900, height: 500 } }, async (page) => {
    const log = `${work}/caps.eventlog`;
    generateLog("--size", "2M", "--caps", "64", "-o", log);
    await openLogs(page, log);
    const first = await names(page);
    assert.ok(first.length < 40, String(first));
    // Of many caps, there is a map with a strip for each; they have rows where they are asked for.
    assert.deepEqual(first.slice(0, 2), ["All caps", "64 caps"]);
    assert.ok(!first.includes("cap 0"));
    const shares = JSON.parse(hectic("stat", "--jsonl", log)).caps.map(({ running_ns, present_ns }) => running_ns / present_ns);
    const text = (share) => `${(share * 100).toFixed(1)} %`;
    const numbers = page.locator("#rows .name", { hasText: "64 caps" });
    await page.evaluate(() => window.hectic.idle());
    assert.ok((await numbers.textContent()).includes(`${text(Math.min(...shares))} to ${text(Math.max(...shares))}`), await numbers.textContent());
    for (const cap of [0, 17, 40]) assert.match(await statusAt(page, "64 caps", 0.5, (cap + 0.5) / 64), new RegExp(`· cap ${cap} · `));
    const map = await page.getByRole("img", { name: "Picture of 64 caps" }).boundingBox();
    await page.mouse.click(map.x + map.width / 2, map.y + (map.height * 17.5) / 64);
    await page.evaluate(() => window.hectic.idle());
    assert.match(await page.locator("#details-name").textContent(), /^Cap 17 at /);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Caps", exact: true }).click();
    await page.getByRole("img", { name: "Picture of cap 0" }).waitFor();
    assert.equal(Number((await page.locator("#rows").evaluate((rows) => rows.style.height)).replace("px", "")) > 1200, true);
    await page.locator("#timeline").evaluate((timeline) => timeline.scrollTo({ top: 900 }));
    await page.getByRole("img", { name: "Picture of cap 40" }).waitFor();
    const later = await names(page);
    assert.ok(!later.includes("cap 0") && later.length < 40, String(later));
    assert.deepEqual(later, [...later].sort((a, b) => Number(a.slice(4)) - Number(b.slice(4))));
    // The lowest row is the last one; a heading out of sight can still be reached by key.
    await page.getByRole("button", { name: "Heap", exact: true }).focus();
    await page.getByRole("img", { name: "Picture of Heap" }).waitFor();
    await page.getByRole("button", { name: "Caps", exact: true }).focus();
    await page.getByRole("img", { name: "Picture of cap 0" }).waitFor();
});

// Several logs fold as a whole, and have the same scale.
await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    await openLogs(page, demo, "tests/logs/threads.eventlog");
    const [title] = await page.locator("#rows h2 button").all();
    await title.click();
    await drawn(page);
    assert.equal(await title.getAttribute("aria-expanded"), "false");
    await page.waitForFunction(() => location.hash === "#rows=log1");
    assert.equal((await names(page)).filter((name) => name === "All caps").length, 1);
});
// Threads: as the command lists them, sorted, filtered; those of the runtime are folded.
await withPage({ viewport: { width: 1280, height: 1300 } }, async (page) => {
    await openLogs(page, demo);
    const threads = JSON.parse(hectic("threads", "--json", demo)).threads;
    const program = threads.filter(({ kind }) => kind === "program");
    const rowNames = async (expected) => {
        await page.waitForFunction((count) => document.querySelectorAll("#rows .thread").length === count, expected.length);
        await drawn(page);
        assert.deepEqual(await page.locator("#rows .thread .name > span:first-child").allTextContents(), expected);
    };
    const nameOf = ({ thread, label }) => label ?? `thread ${thread}`;
    await rowNames([...program].sort((a, b) => b.running_ns - a.running_ns).map(nameOf));
    await page.getByLabel("Order of threads").selectOption("By creation");
    await rowNames([...program].sort((a, b) => a.born_ns - b.born_ns).map(nameOf));
    await page.getByLabel("Filter threads").fill("WORKER");
    await rowNames([...program].filter(({ label }) => label?.startsWith("worker")).sort((a, b) => a.born_ns - b.born_ns).map(nameOf));
    await page.getByText("4 of 9").waitFor();
    await page.getByLabel("Filter threads").fill("");
    await page.getByRole("button", { name: "Runtime's threads", exact: true }).click();
    await rowNames([
        ...[...program].sort((a, b) => a.born_ns - b.born_ns),
        ...threads.filter(({ kind }) => kind === "runtime").sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    ].map(nameOf));
});
// What threads did: their shares of the view, their states, arrows, and what led to a wait.
await withPage({ viewport: { width: 1280, height: 1300 } }, async (page) => {
    await openLogs(page, demo);
    for (const [from, to] of [[0, 20786764], [1200000, 1800000], [3000000, 12000000]]) {
        await page.evaluate((view) => window.hectic.view(view).then(() => window.hectic.idle()), { from, to });
        const { threads } = JSON.parse(hectic("threads", "--json", "--from", `${from}ns`, "--to", `${to}ns`, demo));
        const range = await page.evaluate(() => document.querySelector("#pane").textContent);
        assert.ok(range.length > 0);
        await page.waitForFunction(
            (wanted) =>
                wanted.every(([title, share]) => {
                    const line = [...document.querySelectorAll("#rows .thread")].find((row) => row.querySelector(".name span").title === title);
                    return line && Math.abs(parseFloat(line.querySelector(".number").textContent) - share) < 0.11;
                }),
            threads
                .filter(({ kind }) => kind === "program")
                .map(({ thread, label, running_ns }) => [
                    label === null ? `thread ${thread}` : `${label} (thread ${thread})`,
                    (100 * running_ns) / (to - Math.max(from, from === 0 ? 294785 : 0)),
                ]),
        );
    }
    await page.evaluate(() => window.hectic.view({ from: 1200000, to: 1800000 }).then(() => window.hectic.idle()));
    assert.match(await statusAt(page, "worker 2", 0.5), / · worker 2 · thread 7 · running on cap 0, 15\.5 µs$/);
    const arrows = (color) =>
        page.evaluate((color) => {
            const canvas = document.querySelector("#arrows");
            // Reading the canvas itself again and again makes the browser complain.
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
            copy.drawImage(canvas, 0, 0);
            const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
            const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue(color).match(/[0-9a-f]{2}/gi).map((text) => parseInt(text, 16));
            let count = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) count++;
            return count;
        }, color);
    const arrowsWhen = async (color, accepts) => {
        const deadline = Date.now() + 30000;
        while (!accepts(await arrows(color))) {
            assert.ok(Date.now() < deadline, `${color}: ${await arrows(color)}`);
            await page.waitForTimeout(50);
        }
    };
    await arrowsWhen("--woken", (count) => count > 100);
    await statusAt(page, "worker 1", 0.5);
    await arrowsWhen("--migrated", (count) => count > 5);
    await statusAt(page, "Heap", 0.5);
    await arrowsWhen("--woken", (count) => count === 0);
    // The chain: worker 2 was created by thread 5.
    const place = await page.getByRole("img", { name: "Picture of worker 2" }).boundingBox();
    await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
    const chain = page.getByLabel("What led to the wait");
    await chain.waitFor();
    assert.equal(await chain.textContent(), "thread 5 was created at 1.246 ms; worker 2 was created by thread 5 at 1.295 ms");
    await arrowsWhen("--accent", (count) => count > 100);
    await page.keyboard.press("Escape");
    await chain.waitFor({ state: "hidden" });
    // A delay ends with a timeout, not with the creation of the thread that waits for timeouts; and a foreign call by itself.
    await openLogs(page, "tests/logs/threads.eventlog");
    const events = hectic("show", "--jsonl", "--no-header", "tests/logs/threads.eventlog").split("\n").filter((line) => line).map((line) => JSON.parse(line));
    const { thread: timer } = events.find(({ label }) => label === "TimerManager");
    const chainAt = async (name, time) => {
        await page.evaluate((view) => window.hectic.view(view).then(() => window.hectic.idle()), { from: time - 1e6, to: time + 1e6 });
        const row = await page.getByRole("img", { name: `Picture of ${name}` }).boundingBox();
        await page.mouse.click(row.x + row.width / 2, row.y + row.height / 2);
        await chain.waitFor();
        const text = await chain.textContent();
        await page.keyboard.press("Escape");
        return text;
    };
    // A longer chain begins with its cause and the wait itself; all steps are folded.
    const long = await chainAt("ping", 3e7);
    assert.match(long, /^thread 5 was created at 1\.311 ms; ping was blocked on an MVar for 10\.6 µs, woken by pong at 1\.696 ms15 stepsthread 5 was created at /);
    assert.equal(long.match(/ at \d/g).length, 17);
    const { thread: gives } = events.find(({ label }) => label === "STM: gives");
    const woken = events.filter(({ event, thread, time }) => event === "THREAD_WAKEUP" && thread === gives && time > 2e6)[1];
    const returned = events.filter(({ event, thread, time }) => event === "RUN_THREAD" && thread === timer && time < woken.time).at(-1);
    const shown = (ns) => `${(ns / 1e6).toFixed(3)} ms`;
    const cause = await chainAt("STM: gives", woken.time - 3e5);
    assert.match(cause, /^TimerManager was in a foreign call for /);
    assert.match(cause, /; STM: gives was blocked on an MVar for 1\.\d+ ms, woken by TimerManager at /);
    assert.ok(cause.includes(`, which returned at ${shown(returned.time)}: a timeout; `), cause);
    const { thread: inC } = events.find(({ label }) => label === "in C");
    const call = events.find(({ event, thread, status }) => event === "STOP_THREAD" && thread === inC && status === 6);
    const back = events.find(({ event, thread, time }) => event === "RUN_THREAD" && thread === inC && time > call.time);
    assert.match(await chainAt("in C", (call.time + back.time) / 2), new RegExp(`^in C was in a foreign call for 2\\.\\d+ ms, which returned at ${shown(back.time)}$`));
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});
// Arrows that are too dense to be told apart are not drawn, but counted.
await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    const log = `${work}/wakeups.eventlog`;
    const program = `
import struct, sys
sys.path.insert(0, "tests/support")
from eventlog import NONE, write
events = [(0, NONE, 45, struct.pack(">H", 0)), (0, 0, 0, struct.pack(">I", 1)), (0, 0, 0, struct.pack(">I", 2))]
for time in [100000, 200000] + [500000 + i * 1000 for i in range(198)]:
    events += [(time, 0, 1, struct.pack(">I", 1)), (time + 100, 0, 8, struct.pack(">IH", 2, 0)),
               (time + 200, 0, 2, struct.pack(">IHI", 1, 3, 0)), (time + 300, 0, 1, struct.pack(">I", 2)),
               (time + 400, 0, 2, struct.pack(">IHI", 2, 12, 0))]
events += [(999999, 0, 1, struct.pack(">I", 1)), (1000000, 0, 2, struct.pack(">IHI", 1, 3, 0))]
open(sys.argv[1], "wb").write(write(events, {0: 4, 1: 4, 2: 10, 8: 6, 45: 2}))`;
    execFileSync("python3", ["-c", program, log]);
    await openLogs(page, log);
    /** Of a view: how many arrows the page says are not shown, and how many columns of pixels arrows cover. */
    const arrowsOf = async (from, to) => {
        await statusAt(page, "All caps", 0.3);
        await page.waitForFunction(() => document.querySelector("#arrows").hidden);
        await page.evaluate((view) => window.hectic.view(view).then(() => window.hectic.idle()), { from, to });
        await statusAt(page, "thread 2", 0.3);
        // The pointer has to rest before arrows are asked for.
        await page.waitForFunction(() => !document.querySelector("#arrows").hidden);
        await drawn(page);
        const columns = await page.evaluate(() => {
            const canvas = document.querySelector("#arrows");
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
            copy.drawImage(canvas, 0, 0);
            const { data, width, height } = copy.getImageData(0, 0, canvas.width, canvas.height);
            const count = (x) => Array.from({ length: height }, (_, y) => data[(y * width + x) * 4 + 3]).filter((alpha) => alpha > 100).length;
            return Array.from({ length: width }, (_, x) => count(x)).filter((found) => found > 15).length;
        });
        const found = / · (\d+) arrows? (?:is|are) too dense to be shown: zoom in/.exec(await page.locator("#status").textContent());
        return { hidden: Number(found?.[1] ?? 0), columns };
    };
    assert.deepEqual(await arrowsOf(0, 1000000), { hidden: 200, columns: 0 });
    const near = await arrowsOf(590000, 610000);
    assert.equal(near.hidden, 0);
    assert.ok(near.columns >= 20 && near.columns < 60, String(near.columns));
    // Two are alone, and two are nearer to each other than they can be told apart.
    const few = await arrowsOf(90000, 501500);
    assert.equal(few.hidden, 1);
    assert.ok(few.columns >= 3 && few.columns < 10, String(few.columns));
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});
// Collections, spans, markers and messages: as many as the command lists; what is under the pointer.
await withPage({ viewport: { width: 1280, height: 1300 } }, async (page) => {
    const log = "tests/logs/spans.eventlog";
    await openLogs(page, log);
    const shown = (row, text) =>
        page.waitForFunction(
            ([row, text]) =>
                [...document.querySelectorAll("#rows .line")].some(
                    (line) => line.querySelector(".name span")?.textContent === row && line.querySelector(".number").textContent === text,
                ),
            [row, String(text)],
        );
    const collections = JSON.parse(hectic("gc", "--json", log)).gc;
    for (const generation of new Set(collections.map((item) => item.generation))) {
        const found = collections.filter((item) => item.generation === generation);
        await shown(`Gen ${generation}`, found.length);
        for (const { start_ns, pause_ns } of found) {
            const text = await statusAt(page, `Gen ${generation}`, (start_ns + pause_ns / 2 - 141767) / (10540000 - 141767));
            assert.match(text, /· pause 1\d\d µs|· pause 2\d\d µs/);
        }
    }
    const events = hectic("show", "--json", log).trim().split("\n").map((line) => JSON.parse(line));
    await shown("Markers", events.filter(({ event }) => event === "USER_MARKER").length);
    const messages = events.filter(({ event, message }) => event === "USER_MSG" && !/^(START|STOP) /.test(message));
    await shown("Messages", messages.length);
    // Nested: the outer span is above the inner one.
    const { spans } = JSON.parse(hectic("spans", "--each", "--json", log));
    const outer = spans.find(({ label }) => label === "outer");
    const inner = spans.filter(({ thread, start_ns }) => thread === outer.thread && start_ns > outer.start_ns && start_ns < outer.end_ns);
    const last = inner.sort((a, b) => b.duration_ns - a.duration_ns)[0];
    await page.evaluate((view) => window.hectic.view(view).then(() => window.hectic.idle()), { from: outer.start_ns, to: outer.end_ns });
    const share = ((last.start_ns + last.end_ns) / 2 - outer.start_ns) / outer.duration_ns;
    const row = `thread ${outer.thread}`;
    assert.match(await statusAt(page, row, share, 0.2), / · outer · [\d.]+ µs$/);
    assert.match(await statusAt(page, row, share, 0.8), new RegExp(` · ${last.label} · [\\d.]+ µs$`));
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    // What a log lacks is said, with the flag that records it.
    await openLogs(page, "tests/logs/threads.eventlog");
    await page.getByTitle(/The log has no spans\..*\+RTS -lu records/).waitFor();
    await openLogs(page, "tests/logs/tiny-nothing.eventlog");
    await page.getByTitle("The log has no collections. +RTS -lg records them.").waitFor();
    await page.getByTitle("The log has no threads. +RTS -ls records them.").waitFor();
});
// Sparks: their numbers are those of the command, also of a part; what is under the pointer.
await withPage({ viewport: { width: 1280, height: 1600 } }, async (page) => {
    for (const name of ["sparks", "sparks-sampled"]) {
        const log = `tests/logs/${name}.eventlog`;
        const sparksOf = (...limits) => JSON.parse(hectic("sparks", "--json", ...limits, log)).sparks;
        const total = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0);
        const shows = (row, text) => page.getByRole("img", { name: `Picture of ${row}: ${text}`, exact: true }).waitFor();
        await openLogs(page, log);
        await shows("Sparks", total(sparksOf(), "sparks"));
        const most = Math.max(...sparksOf().map((cap) => cap.pool_max));
        await shows("Spark pool", most);
        assert.equal(most > 0, name === "sparks");
        // Where the first sparks are: in a picture of one part of it, all are in few columns.
        const [first] = hectic("show", "--json", log)
            .split("\n")
            .filter((line) => /"SPARK_CREATE"|"SPARK_COUNTERS".*"created":[1-9]/.test(line))
            .map((line) => JSON.parse(line).time);
        await page.evaluate((view) => window.hectic.view(view), { from: first - 1000, to: first + 1000 });
        await shows("Sparks", total(sparksOf("--from", `${first - 1000}ns`, "--to", `${first + 1000}ns`), "sparks"));
        assert.match(await statusAt(page, "Sparks", 0.5), / · Sparks · created [\d.\u202f]+\/s \(\d+\)/);
        assert.match(await statusAt(page, "Spark pool", 0.9), / · Spark pool · \d+ (to \d+ )?sparks?/);
        await page.evaluate(() => window.hectic.view({ from: 0, to: 1e12 }));
    }
    await openLogs(page, "tests/logs/threads.eventlog");
    await page.getByTitle("The program created no sparks.").waitFor();
    await openLogs(page, "tests/logs/tiny-nothing.eventlog");
    await page.getByTitle(/The log has no sparks. \+RTS -lp .*-lf/).waitFor();
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});
console.log("rows");

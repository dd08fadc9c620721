// What is drawn of a thread has the area of its share of the time, however many runs there are; and time in which it is
// not known what caps and threads did is drawn and named as such.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

const idle = (page) => page.evaluate(() => window.hectic.idle());

/** Of a row: the share of its area that is running, how many columns have a mark below, and the share of columns with
 *  stripes. */
const measured = (page, title) =>
    page.evaluate((title) => {
        const line = [...document.querySelectorAll("#rows .line")].find((row) => [row.querySelector(".name span")?.title, row.querySelector(".name span")?.textContent].includes(title));
        const canvas = line.querySelector("canvas");
        const { width, height } = canvas;
        const copy = new OffscreenCanvas(width, height).getContext("2d");
        copy.drawImage(canvas, 0, 0);
        const pixels = new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
        const style = getComputedStyle(document.documentElement);
        const color = (name) => {
            const [r, g, b] = style.getPropertyValue(name).match(/[0-9a-f]{2}/gi).map((text) => parseInt(text, 16));
            return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
        };
        const others = new Set(["--runnable", "--faint", "--unknown"].map(color));
        let [area, marks, striped] = [0, 0, 0];
        for (let x = 0; x < width; x++) {
            for (let y = height - 2; y > 0; y--) {
                const pixel = pixels[y * width + x];
                if (pixel >>> 24 === 0 || others.has(pixel)) break;
                area += (pixel >>> 24) / 255;
            }
            marks += pixels[(height - 1) * width + x] >>> 24 === 0 ? 0 : 1;
            let stripes = 0;
            for (let y = 0; y < height; y++) stripes += pixels[y * width + x] === color("--unknown");
            striped += stripes > height / 4;
        }
        return { running: area / width / (height - 2), marks, striped: striped / width, pixels: height - 2 };
    }, title);

/** Moves the pointer over a row; returns what the page says of it. */
async function statusAt(page, row, share) {
    const place = await page.getByRole("img", { name: `Picture of ${row}` }).first().boundingBox();
    await page.mouse.move(place.x + place.width * share, place.y + place.height / 2);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return page.locator("#status").textContent();
}

// Few and many runs, in pictures of runs and of columns.
const busy = `${work}/busy.eventlog`;
const busier = `${work}/busier.eventlog`;
generateLog("--size", "300k", "--caps", "4", "--threads", "12", "-o", busy);
generateLog("--size", "6M", "--caps", "4", "--threads", "12", "-o", busier);
let compared = 0;
for (const log of ["tests/logs/demo.eventlog", "tests/logs/threads.eventlog", busy, busier]) {
    await withPage({ viewport: { width: 1000, height: 2200 } }, async (page) => {
        await openLogs(page, log);
        const { from_ns: first, to_ns: last } = JSON.parse(hectic("stat", "--jsonl", log));
        for (const [from, to] of [[0.05, 1], [0.1, 0.4]].map((range) => range.map((part) => Math.round(first + (last - first) * part)))) {
            await page.evaluate((range) => window.hectic.view(range).then(() => window.hectic.idle()), { from, to });
            const { threads } = JSON.parse(hectic("threads", "--json", "--from", `${from}ns`, "--to", `${to}ns`, log));
            const inSight = await page.locator("#rows .thread .name > span:first-child").evaluateAll((names) => names.map(({ title }) => title));
            for (const { thread, label, running_ns, runs } of threads) {
                const title = label === null ? `thread ${thread}` : `${label} (thread ${thread})`;
                if (!inSight.includes(title)) continue;
                const { running, marks, pixels } = await measured(page, title);
                const share = running_ns / (to - from);
                assert.ok(Math.abs(running - share) < 0.5 / pixels + 0.005, `${log} ${from}: ${title}: ${running}, not ${share}`);
                assert.ok(runs === 0 || running > 0 || marks > 0, `${log} ${from}: ${title}: its runs are not visible`);
                compared++;
            }
        }
    });
}
assert.ok(compared > 40, String(compared));

// Events were dropped: caps are not idle.
const dropped = `${work}/dropped.eventlog`;
execFileSync("python3", ["tests/support/dropped_log.py", dropped]);
await withPage({}, async (page) => {
    const key = page.locator("#unknown-key");
    await openLogs(page, "tests/logs/demo.eventlog");
    await idle(page);
    assert.ok(!(await key.isVisible()));
    await openLogs(page, dropped);
    await idle(page);
    assert.ok(await key.isVisible());
    const unknown = JSON.parse(hectic("stat", "--jsonl", dropped)).caps.map(({ unknown_ns, present_ns }) => unknown_ns / present_ns);
    assert.ok(unknown.every((share) => share > 0.3));
    for (const row of ["All caps", "cap 0", "cap 1"]) {
        assert.ok((await statusAt(page, row, 0.6)).endsWith(` · ${row} · not known: events were lost, dropped or not recorded`), row);
        assert.match(await statusAt(page, row, 0.2), / · (running|idle)/);
    }
    const { striped } = await measured(page, "cap 0");
    assert.ok(Math.abs(striped - unknown[0]) < 0.01, `${striped}, not ${unknown[0]}`);
    const place = await page.getByRole("img", { name: "Picture of cap 0" }).boundingBox();
    await page.mouse.click(place.x + place.width * 0.6, place.y + 5);
    await page.locator("#details .meanwhile").waitFor();
    assert.match(await page.locator("#details .meanwhile").innerText(), /^cap 0\s+not known 100\.0 %\s+cap 1\s+not known 100\.0 %$/);
});

// A log that was cut before the events of a cap had been written: only runs on the other one are known.
const whole = `${work}/two.eventlog`;
const cut = `${work}/cut.eventlog`;
generateLog("--size", "3M", "--caps", "2", "--buffer", "256Ki", "-o", whole);
writeFileSync(cut, readFileSync(whole).subarray(0, 100000));
await withPage({ viewport: { width: 1280, height: 1300 } }, async (page) => {
    await openLogs(page, cut);
    await idle(page);
    assert.deepEqual(JSON.parse(hectic("stat", "--jsonl", cut)).caps.map(({ cap }) => cap), [0]);
    assert.ok((await statusAt(page, "cap 1", 0.5)).endsWith(" · not known: events were lost, dropped or not recorded"));
    assert.match(await statusAt(page, "All caps", 0.5), / · not known 50\.\d % ?: /);
    const { threads } = JSON.parse(hectic("threads", "--json", cut));
    const waits = threads.filter(({ label, kind, unknown_ns, lifetime_ns }) => kind === "program" && label === null && unknown_ns > lifetime_ns * 0.9);
    const [one] = waits.sort((a, b) => b.lifetime_ns - a.lifetime_ns);
    const { to_ns: last } = JSON.parse(hectic("stat", "--jsonl", cut));
    const name = `thread ${one.thread}`;
    await page.getByLabel("Filter threads").fill(String(one.thread));
    await idle(page);
    const { striped } = await measured(page, name);
    assert.ok(Math.abs(striped - one.unknown_ns / last) < 0.1, `${striped}, not ${one.unknown_ns / last}`);
    const at = (one.born_ns + one.lifetime_ns * 0.5) / last;
    const place = await page.getByRole("img", { name: `Picture of ${name}` }).boundingBox();
    await page.mouse.click(place.x + place.width * at, place.y + 5);
    await page.locator("#details .meanwhile").waitFor();
    const text = await page.locator("#details").innerText();
    assert.ok(text.includes(`${name}: not known: events were lost, dropped or not recorded`), text);
    assert.match(text, /cap 1\s+not known: events were lost, dropped or not recorded/);
});
// Threads are not recorded: what caps did besides collections is not known.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/heap-types.eventlog");
    await idle(page);
    for (const row of ["All caps", "cap 0"]) assert.match(await statusAt(page, row, 0.02), / · not known: /);
    assert.ok(await page.locator("#unknown-key").isVisible());
});
console.log("shares");

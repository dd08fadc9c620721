// The numbers beside rows are those of the command for exactly what is in view, and those of the pane.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

const rangesOfLog = 4;
const logs = ["demo", "threads", "sparks", "spans", "heap-generations", "killed"].map((name) => `tests/logs/${name}.eventlog`);

let seed = Number(process.env.SEED ?? Date.now() % 1e6);
console.log(`SEED=${seed}`);
const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
};

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const short = (value) => value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
function bytes(count) {
    const names = ["B", "KiB", "MiB", "GiB"];
    let unit = 0;
    for (; count >= 1023.5; unit++) count /= 1024;
    return `${unit === 0 ? grouped(count) : short(count)} ${names[unit]}`;
}
const part = ({ from, to }) => ["--from", `${from}ns`, "--to", `${to}ns`];
const json = (log, range, ...words) => JSON.parse(hectic(...words, "--json", ...(range ? part(range) : []), log));

/** The numbers of rows, by their names: also of those out of sight, as far as the first 200 threads. */
async function numbersOf(page) {
    const found = new Map();
    const timeline = page.locator("#timeline");
    await page.evaluate(() => window.hectic.idle());
    const height = await timeline.evaluate((element) => element.scrollHeight);
    for (let top = 0; top < Math.min(height, 4000); top += 500) {
        await timeline.evaluate((element, top) => element.scrollTo({ top }), top);
        await page.evaluate(() => window.hectic.idle());
        const rows = await page.evaluate(() =>
            [...document.querySelectorAll("#rows .line:not(.heading):not(.title)")].map((row) => [
                row.classList.contains("thread") || /^Spans of/.test(row.querySelector(".name > span").title) ? row.querySelector(".name > span").title : row.querySelector(".name > span").textContent,
                row.querySelector(".number").textContent,
            ]),
        );
        for (const [name, number] of rows) found.set(name, number);
    }
    return found;
}

/** What the command says of a range; null: the whole run. By the titles of the rows. */
function wantedOf(log, range, { first, last }) {
    const wanted = new Map();
    const { caps, memory, gc, sparks } = json(log, range, "stat").stat[0];
    const sum = (list, key) => list.reduce((all, item) => all + item[key], 0);
    const share = (list) => percent(sum(list, "running_ns") / sum(list, "present_ns"));
    if (caps[0]?.running_ns != null) {
        for (const cap of caps) if (cap.present_ns > 0) wanted.set(`cap ${cap.cap}`, share([cap]));
        if (sum(caps, "present_ns") > 0) wanted.set("All caps", share(caps));
    }
    if (memory.allocated_bytes !== null) wanted.set("Allocation", bytes(memory.allocated_bytes));
    for (const { generation, collections } of gc.generations ?? []) wanted.set(`Gen ${generation}`, grouped(collections));
    if (sparks) wanted.set("Sparks", grouped(sparks.sparks));
    const length = Math.min(range?.to ?? last, last) - Math.max(range?.from ?? first, first);
    for (const { thread, label, running_ns } of json(log, range, "threads").threads) {
        if (running_ns !== null) wanted.set(label === null ? `thread ${thread}` : `${label} (thread ${thread})`, percent(running_ns / length));
    }
    const names = new Map([...wanted.keys()].map((name) => [/thread (\d+)\)?$/.exec(name)?.[1], name]));
    const spans = new Map();
    for (const { start_thread, thread = start_thread } of json(log, range, "spans", "--each").spans) spans.set(thread, (spans.get(thread) ?? 0) + 1);
    for (const [thread, count] of spans) if (names.has(String(thread))) wanted.set(`Spans of ${names.get(String(thread)).replace(/ \(thread \d+\)$/, "")} (thread ${thread})`, grouped(count));
    const { message_count, marker_count } = json(log, range, "spans");
    return wanted.set("Messages", grouped(message_count)).set("Markers", grouped(marker_count));
}

/** Compares the numbers beside rows in what is in view. */
async function compare(page, log, range, extent) {
    await page.evaluate((range) => window.hectic.view(range), range ?? { from: 0, to: 1e15 });
    const found = await numbersOf(page);
    const what = `${log} ${range ? part(range).join(" ") : ""}`;
    let wanted;
    try {
        wanted = wantedOf(log, range, extent);
    } catch (error) {
        // A range without events has no numbers.
        assert.match(String(error.stderr), /no events/);
        return [];
    }
    const names = [...wanted.keys()].filter((name) => found.has(name));
    for (const name of names) assert.equal(found.get(name), wanted.get(name), `${what}: ${name}`);
    return names;
}

/** A random part of a log. */
function partOf({ first, last }) {
    const from = first + random(last - first - 1000);
    return { from, to: from + 1000 + random(last - from - 1000) };
}

/** The times of the first and the last event. */
function extentOf(log) {
    const times = hectic("show", "--jsonl", "--no-header", log).split("\n").filter((line) => line).map((line) => JSON.parse(line).time);
    return { first: times[0], last: times.at(-1) };
}

const compared = new Map();
await withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    for (const log of logs) {
        await openLogs(page, log);
        const extent = extentOf(log);
        for (let i = 0; i <= rangesOfLog; i++) {
            // The first is the whole run.
            for (const name of await compare(page, log, i > 0 ? partOf(extent) : null, extent)) {
                const kind = name.replace(/^.*thread \d+\)?$/, (thread) => (thread.startsWith("Spans") ? "spans" : "thread")).replace(/ \d+$/, "");
                compared.set(kind, (compared.get(kind) ?? 0) + 1);
            }
        }
    }
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});
console.log(JSON.stringify([...compared]));
for (const kind of ["All caps", "cap", "Allocation", "Gen", "Sparks", "thread", "spans", "Messages", "Markers"]) assert.ok(compared.get(kind) > 2, kind);

// More messages than the page keeps, and threads whose states it has in slots of time: all count, and all are drawn.
await withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    const log = `${work}/messages.eventlog`;
    generateLog("--size", "56M", "--mix", "threads=25,gc=5,messages=70", "-o", log);
    await openLogs(page, log);
    const { from_ns: first, to_ns: last } = JSON.parse(hectic("stat", "--jsonl", log));
    assert.ok(json(log, null, "spans").message_count > 1 << 20);
    for (const range of [null, { from: last - 1e6, to: last }, partOf({ first, last }), partOf({ first, last })]) {
        const names = await compare(page, log, range, { first, last });
        for (const name of ["All caps", "Allocation", "Messages", "Markers"]) assert.ok(names.includes(name), name);
        assert.ok(names.filter((name) => /thread \d/.test(name)).length > 100 || range, "threads");
        // The right edge of the picture has messages, too.
        await page.locator("#timeline").evaluate((element) => element.scrollTo({ top: 0 }));
        await page.getByRole("img", { name: "Picture of Messages" }).waitFor();
        await page.evaluate(() => window.hectic.idle());
        const isDrawn = await page.getByRole("img", { name: "Picture of Messages" }).evaluate((canvas) => {
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
            copy.drawImage(canvas, 0, 0);
            const { data } = copy.getImageData(canvas.width * 0.9, 0, canvas.width * 0.05, canvas.height);
            return data.some((value, index) => index % 4 === 3 && value > 0);
        });
        assert.ok(isDrawn, "no messages are drawn at the end");
    }
    // Close up, their texts are there.
    const shown = hectic("show", "--jsonl", "--no-header", ...part({ from: last - 1e6, to: last }), log)
        .split("\n")
        .filter((line) => line.includes('"USER_MSG"'));
    assert.ok(shown.length > 0 && shown.length < 2048);
    await page.evaluate((range) => window.hectic.view(range).then(() => window.hectic.idle()), { from: last - 1e6, to: last });
    const { time, message } = JSON.parse(shown[0]);
    const place = await page.getByRole("img", { name: "Picture of Messages" }).boundingBox();
    await page.mouse.move(place.x + (place.width * (time - last + 1e6)) / 1e6, place.y + 5);
    await page.waitForFunction((text) => document.querySelector("#status").textContent.includes(text), message.slice(0, 20));
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// The histogram of spans is of all of them, the table of the longest says how many there are.
await withPage({}, async (page) => {
    const log = `${work}/spans.eventlog`;
    const program = `
import struct, sys
sys.path.insert(0, "tests/support")
from eventlog import write
events, time = [(1000, 0, 1, struct.pack(">I", 7))], 2000
for i in range(3000):
    length = 100 + i * i % 99991
    events += [(time, 0, 19, b"START work"), (time + length, 0, 19, b"STOP work")]
    time += length + 10
open(sys.argv[1], "wb").write(write(events, {1: 4}))`;
    execFileSync("python3", ["-c", program, log]);
    await openLogs(page, log);
    await page.click("#tab-spans");
    await page.locator("#pane[data-pane=spans][aria-busy=false]").waitFor();
    const lengths = json(log, null, "spans", "--each").spans.map(({ duration_ns }) => duration_ns);
    assert.equal(lengths.length, 3000);
    const bars = await page.locator("#pane .chart .bar title").allTextContents();
    const counts = bars.map((text) => Number(text.split(": ")[1].replaceAll("\u202f", "")));
    assert.equal(counts.reduce((a, b) => a + b), 3000);
    // Quarters of powers of two.
    const quarter = (ns) => (ns < 64 ? 0 : Math.floor(Math.log2(ns)) * 4 + Math.floor((ns / 2 ** Math.floor(Math.log2(ns)) - 1) * 4));
    const wanted = new Map();
    for (const ns of lengths) wanted.set(quarter(ns), (wanted.get(quarter(ns)) ?? 0) + 1);
    assert.deepEqual(counts, [...wanted].sort(([a], [b]) => a - b).map(([, count]) => count));
    assert.match(await page.locator("#pane .list .remark").last().textContent(), /^The 1\u202f000 longest of 3\u202f000$/);
});

// The numbers of random ranges, wherever they stand on the page, are those of the command: what scripts get, panes, and
// beside rows. `make prove` tries all logs and 20 ranges of each (LOGS=all RANGES=20).
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { openLogs, withPage } from "../support/page.mjs";
import { checks, choose, compareRowNumbers, extentOf, json, part, partOf, strict } from "../support/range_numbers.mjs";

const rangesOfLog = Number(process.env.RANGES ?? 2);
const corpus = process.env.HECTIC_CORPUS ?? "../shared/corpus";
const filesIn = (folder) => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".eventlog")).map((name) => `${folder}/${name}`) : []);
const few = ["demo", "threads", "spans", "sparks", "heap-generations", "killed", "time-profile", "heap-profile-y"].map((name) => `tests/logs/${name}.eventlog`);
// Of every-event, times are not those of a run.
const logs = process.env.LOGS === "all" ? [...filesIn("tests/logs"), ...filesIn(corpus)].filter((log) => !/every-event/.test(log)) : few;

/** How many of each kind were compared. */
const seen = Object.fromEntries(Object.keys(checks).map((name) => [name, 0]));
const rows = new Map();
let ranges = 0;
/** The first difference of each range that has some. */
const differences = [];

/** A log of one run, with events. */
function isRun(log) {
    try {
        const { stat } = strict(log, null, "stat");
        return stat.length === 1 && stat[0].process === undefined && stat[0].to_ns - stat[0].from_ns > 1e5;
    } catch {
        return false;
    }
}

async function compareRange(page, log, range, extent) {
    await page.keyboard.press("Escape");
    for (const name of await compareRowNumbers(page, log, range, extent)) {
        const kind = name.replace(/^.*thread \d+\)?$/, (thread) => (thread.startsWith("Spans") ? "spans" : "thread")).replace(/ \d+$/, "");
        rows.set(kind, (rows.get(kind) ?? 0) + 1);
    }
    try {
        if (range) strict(log, range, "stat");
    } catch {
        return; // no events
    }
    await page.evaluate((range) => (range ? window.hectic.select(range) : window.hectic.view({ from: 0, to: 1e15 })), range);
    for (const [name, check] of Object.entries(checks)) {
        if (name !== "select") await choose(page, name, range);
        seen[name] += await check(page, log, range, `${name} of ${log} ${range ? part(range).join(" ") : ""}`);
    }
}

await withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    for (const log of logs.filter(isRun)) {
        await openLogs(page, log);
        const extent = extentOf(log);
        for (let i = 0; i <= rangesOfLog; i++) {
            // The first is the whole run.
            const range = i > 0 ? partOf(extent) : null;
            await compareRange(page, log, range, extent).catch((error) => {
                if (!(error instanceof assert.AssertionError)) throw error;
                differences.push(`${error.message}\n${String(error.stack).match(/at .*range_numbers.*/)?.[0]}`);
                console.log(differences.at(-1));
            });
            ranges++;
        }
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    }
});
console.log(`${ranges} ranges of ${logs.length} logs: ${JSON.stringify(seen)}, rows ${JSON.stringify([...rows])}`);
assert.equal(differences.length, 0, `${differences.length} ranges differ`);
for (const [name, count] of Object.entries(seen)) assert.ok(count > 0 || name === "ticky", name);
for (const kind of ["All caps", "cap", "Allocation", "Gen", "Sparks", "thread", "spans", "Messages", "Markers"]) assert.ok(rows.get(kind) > 2, kind);

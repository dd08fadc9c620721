// The numbers of a range are those of hectic stat --jsonl --from --to, in random ranges of our logs.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { hectic, openLogs, withPage } from "../support/page.mjs";

const rangesOfLog = 6;
const logs = readdirSync("tests/logs").filter((name) => /^(demo|threads|sparks|spans|heap-\w+|killed)\.eventlog$/.test(name));

let seed = Number(process.env.SEED ?? Date.now() % 1e6);
console.log(`SEED=${seed}`);
const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
};

assert.ok(logs.length >= 6);
let compared = 0;
await withPage({}, async (page) => {
    for (const name of logs) {
        const log = `tests/logs/${name}`;
        await openLogs(page, log);
        const { from_ns: first, to_ns: last } = JSON.parse(hectic("stat", "--jsonl", log));
        const bounds = await page.evaluate(async () => {
            document.querySelector("#fit").click();
            return window.hectic.errors;
        });
        assert.deepEqual(bounds, []);
        for (let i = 0; i < rangesOfLog; i++) {
            const from = first + random(last - first - 1);
            const to = from + 1 + random(last - from - 1);
            const selected = page.evaluate((range) => window.hectic.select(range), { from, to });
            let wanted;
            try {
                wanted = JSON.parse(hectic("stat", "--jsonl", "--from", `${from}ns`, "--to", `${to}ns`, log));
            } catch {
                // Both refuse a range without events.
                await assert.rejects(selected, /no events/);
                continue;
            }
            compared++;
            const found = await selected;
            assert.deepEqual(found, wanted, `${name} --from ${from}ns --to ${to}ns`);
        }
    }
});
console.log(`${compared} ranges of ${logs.length} logs`);
assert.ok(compared > logs.length * rangesOfLog * 0.8);

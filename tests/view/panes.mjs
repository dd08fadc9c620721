// The tables of the panes have the numbers that the command prints of the same range, in random ranges;
// their rows lead to what they are about; they can be sorted, filtered and gone through by keys.
import assert from "node:assert/strict";
import { hectic, openLogs, withPage } from "../support/page.mjs";

const rangesOfLog = Number(process.env.RANGES ?? 2);
let seed = Number(process.env.SEED ?? Date.now() % 1e6);
console.log(`SEED=${seed}`);
const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
};

/** The number that a text shows: ns, bytes, or as it is; null: none. */
function valueOf(text) {
    if (text === "N/A" || text === "") return null;
    const [, digits, unit] = /^([−\d.\u202f]+)\s*([^\d]*)$/.exec(text) ?? assert.fail(`no number: ${text}`);
    const units = { "": 1, ns: 1, "µs": 1e3, ms: 1e6, s: 1e9, "%": 0.01, B: 1, KiB: 1024, MiB: 1 << 20, GiB: 1 << 30 };
    assert.ok(unit in units, text);
    return Number(digits.replaceAll("\u202f", "").replace("−", "-")) * units[unit];
}

/** Three digits are shown. */
function assertShown(text, wanted, what) {
    const found = valueOf(text);
    if (wanted === null || wanted === undefined) return assert.equal(found, null, what);
    assert.ok(found !== null && Math.abs(found - wanted) <= Math.abs(wanted) * 0.006 + 0.0006, `${what}: ${text} is not ${wanted}`);
}

/** The rows of a table that are in sight: an array of texts each; and how many there are. */
async function tableOf(page, caption) {
    const table = page.locator("#pane table", { has: page.locator("caption", { hasText: new RegExp(`^${caption}$`) }) });
    return table.evaluate((element) => ({
        count: Number(element.getAttribute("aria-rowcount") ?? element.tBodies[0].rows.length + 1) - 1,
        rows: [...element.tBodies[0].rows].filter((row) => !row.hidden && !row.ariaHidden).map((row) => [...row.cells].map((cell) => cell.textContent)),
    }));
}

async function choose(page, name, range) {
    await page.locator(`#tab-${name}`).click();
    const whole = range ? `[data-range="${range.from}-${range.to}"]` : "";
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await page.locator(`#pane[data-pane=${name}]${whole}[aria-busy=false]`).waitFor();
}

const json = (log, range, verb, ...words) => {
    const interval = range ? ["--from", `${range.from}ns`, "--to", `${range.to}ns`] : [];
    try {
        return JSON.parse(hectic(verb, "--json", ...words, ...interval, log));
    } catch (error) {
        // The log does not have such events: the answer is empty.
        return JSON.parse(error.stdout);
    }
};
const threadName = ({ label, thread }) => (label ? `${label} (${thread})` : `thread ${thread}`);

/** Compares rows in sight, of those that have the same place whatever the order of equals is. */
function compareRows(found, wanted, columns, what) {
    assert.equal(found.count, wanted.length, `${what}: rows`);
    for (const [index, cells] of found.rows.entries()) {
        columns.forEach((column, place) => {
            if (!column) return;
            const value = column(wanted[index]);
            if (typeof value === "string") assert.equal(cells[place], value, `${what}, row ${index}`);
            else assertShown(cells[place], value, `${what}, row ${index}, column ${place}`);
        });
    }
}
const falling = (key) => (a, b) => (b[key] ?? -1) - (a[key] ?? -1);
const isDistinct = (rows, key) => new Set(rows.map((row) => row[key])).size === rows.length;

const checks = {
    async pauses(page, log, range, what) {
        const wanted = json(log, range, "gc").gc.sort(falling("pause_ns"));
        const found = await tableOf(page, "Collections");
        compareRows(found, wanted, [null, (row) => row.pause_ns], what);
        if (isDistinct(wanted, "pause_ns")) {
            const columns = [(row) => row.start_ns, (row) => row.pause_ns, (row) => row.generation, (row) => row.reason ?? "N/A", (row) => row.safepoint_ns, (row) => row.live_bytes, (row) => row.copied_bytes, (row) => row.threads];
            compareRows(found, wanted, columns, what);
        }
        return wanted.length;
    },
    async threads(page, log, range, what) {
        const answer = json(log, range, "threads");
        const wanted = answer.threads.sort(falling("running_ns"));
        const found = await tableOf(page, "Threads");
        compareRows(found, wanted, [null, (row) => row.running_ns], what);
        const byName = new Map(wanted.map((row) => [threadName(row), row]));
        for (const [name, running, runnable, , runs, lifetime, migrations] of found.rows) {
            const row = byName.get(name) ?? assert.fail(`${what}: ${name}`);
            assertShown(running, row.running_ns, what);
            assertShown(runnable, row.runnable_ns, what);
            assertShown(runs, row.runs, what);
            assertShown(lifetime, row.lifetime_ns, what);
            assertShown(migrations, row.migrations, what);
        }
        const totals = Object.fromEntries((await tableOf(page, "Totals")).rows);
        assertShown(totals.Runs, answer.runs, what);
        assertShown(totals.Migrations, answer.migrations, what);
        return wanted.length;
    },
    async latency(page, _log, _range, what) {
        const { rows } = await tableOf(page, "Waits for a cap");
        const [[, all], ...causes] = rows;
        assert.equal(causes.reduce((sum, [, count]) => sum + valueOf(count), 0), valueOf(all), what);
        await page.locator("#pane caption", { hasText: "By thread" }).scrollIntoViewIfNeeded();
        await page.locator("#pane").evaluate((pane) => (pane.scrollTop = pane.scrollHeight));
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        const threads = await tableOf(page, "By thread");
        assert.equal(threads.rows.reduce((sum, [, count]) => sum + valueOf(count), 0), valueOf(all), what);
        return valueOf(all);
    },
    async spans(page, log, range, what) {
        const answer = json(log, range, "spans");
        if (answer.spans.length === 0) {
            await page.locator("#pane .missing").waitFor();
            return 0;
        }
        const wanted = answer.spans.sort(falling("total_ns"));
        const columns = [null, null, (row) => row.total_ns];
        const found = await tableOf(page, "By name");
        compareRows(found, wanted, columns, what);
        const byName = new Map(wanted.map((row) => [`${row.label} ${row.kind}`, row]));
        for (const [label, count, , p50, p90, p99, max, kind] of found.rows) {
            const row = byName.get(`${label} ${kind}`) ?? assert.fail(`${what}: ${label}`);
            for (const [text, key] of [[count, "count"], [p50, "p50_ns"], [p90, "p90_ns"], [p99, "p99_ns"], [max, "max_ns"]]) assertShown(text, row[key], `${what}: ${label} ${key}`);
        }
        const each = json(log, range, "spans", "--each").spans.sort(falling("duration_ns"));
        if (each.length > 0) compareRows(await tableOf(page, "The longest spans"), each, [null, (row) => row.duration_ns], what);
        return wanted.length;
    },
    async sparks(page, log, range, what) {
        if (await page.locator("#pane .body > .missing:only-child").count()) return 0;
        const { sparks } = json(log, range, "sparks");
        const { rows } = await tableOf(page, "Fate of sparks");
        for (const [fate, ...cells] of rows) {
            const key = fate === "collected" ? "gcd" : fate;
            sparks.slice(0, 4).forEach((cap, index) => assertShown(cells[index], cap[key], `${what}: ${fate} of cap ${cap.cap}`));
        }
        return rows.length;
    },
    async mmu(page, log, range, what) {
        if (await page.locator("#pane .body > .missing:only-child").count()) return 0;
        const { rows } = await tableOf(page, "By window");
        const shares = rows.map(([, share]) => valueOf(share));
        assert.ok(shares.every((share) => share >= 0 && share <= 1), what);
        return rows.length;
    },
    async events(page, log, range, what) {
        const wanted = hectic("show", "--json", "--no-header", ...(range ? ["--from", `${range.from}ns`, "--to", `${range.to}ns`] : []), log)
            .split("\n")
            .filter((line) => line);
        const found = await tableOf(page, "Events");
        assert.equal(found.count, Math.min(wanted.length, 500), what);
        found.rows.forEach(([time], index) => assertShown(time, JSON.parse(wanted[index]).time, what));
        return found.count;
    },
};

const logs = ["demo", "threads", "spans", "sparks", "heap-generations"].map((name) => `tests/logs/${name}.eventlog`);
const seen = Object.fromEntries(Object.keys(checks).map((name) => [name, 0]));
await withPage({}, async (page) => {
    for (const log of logs) {
        await openLogs(page, log);
        const { from_ns: first, to_ns: last } = json(log, null, "stat");
        for (let i = 0; i <= rangesOfLog; i++) {
            const from = first + random(last - first - 1);
            // The first is the whole run.
            const range = i > 0 ? { from, to: from + 1 + random(last - from - 1) } : null;
            if (range) {
                try {
                    json(log, range, "stat");
                } catch {
                    continue; // no events
                }
                await page.evaluate((range) => window.hectic.select(range), range);
            } else {
                await page.keyboard.press("Escape");
            }
            for (const [name, check] of Object.entries(checks)) {
                await choose(page, name, range);
                seen[name] += await check(page, log, range, `${name} of ${log}${range ? ` --from ${range.from}ns --to ${range.to}ns` : ""}`);
            }
        }
    }
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});
console.log(JSON.stringify(seen));
for (const [name, count] of Object.entries(seen)) assert.ok(count > 0, name);

// By keys: to a pane, sort, filter, to a row, and to what it is about.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/heap-generations.eventlog");
    const view = () => page.evaluate(() => location.hash.match(/view=(\d+)-(\d+)/)?.slice(1).map(Number) ?? null);
    await page.locator("#tab-stat").click();
    await page.keyboard.press("ArrowRight");
    await page.locator("#pane[data-pane=pauses][aria-busy=false]").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-pauses");
    // Tab: the pane, the field for the filter, the heads of the columns, the first row.
    const reach = async (accepts) => {
        for (let i = 0; i < 30; i++) {
            await page.keyboard.press("Tab");
            if (await page.evaluate(accepts)) return;
        }
        assert.fail(String(accepts));
    };
    const { count } = await tableOf(page, "Collections");
    await reach(() => document.activeElement.matches("input[type=search]"));
    await page.keyboard.type("exit");
    await page.waitForFunction((count) => Number(document.querySelector("#pane .list table").getAttribute("aria-rowcount")) - 1 < count, count);
    assert.match(await page.locator("#pane .list .remark").textContent(), new RegExp(` of ${count} rows$`));
    for (const _ of "exit") await page.keyboard.press("Backspace");
    await reach(() => document.activeElement.textContent === "start");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#pane .list th[aria-sort]").textContent(), "start");
    assert.equal(await page.locator("#pane .list th[aria-sort]").getAttribute("aria-sort"), "descending");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#pane .list th[aria-sort]").getAttribute("aria-sort"), "ascending");
    await reach(() => document.activeElement.matches("tbody button"));
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    const rows = json("tests/logs/heap-generations.eventlog", null, "gc").gc.sort((a, b) => a.start_ns - b.start_ns);
    const wanted = rows.at(-3);
    assertShown(await page.evaluate(() => document.activeElement.textContent), wanted.start_ns, "the row");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /view=/.test(location.hash));
    const [from, to] = await view();
    assert.ok(from <= wanted.start_ns && to >= wanted.end_ns && to - from < 20 * wanted.pause_ns, `${from} ${to}`);
    // The table stays as it is, until it shall follow the view.
    assert.equal((await tableOf(page, "Collections")).count, count);
    await page.getByRole("button", { name: "Follow the view" }).click();
    await page.waitForFunction((count) => Number(document.querySelector("#pane .list table").getAttribute("aria-rowcount")) - 1 < count, count);
});

// What a log does not have is said, with the flag that records it.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/tiny-nothing.eventlog");
    for (const [name, flag] of [["pauses", "-lg"], ["threads", "-ls"], ["latency", "-ls"], ["spans", "-lu"], ["sparks", "-lp"], ["mmu", "-lg"]]) {
        await choose(page, name);
        const text = await page.locator("#pane .missing").textContent();
        assert.ok(text.includes(`+RTS ${flag}`), `${name}: ${text}`);
    }
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

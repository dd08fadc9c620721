// For tests/view: the numbers that stand on the page about a range are those of the command. Each check takes the page
// with a log, and the range (null: the whole run), and returns how many numbers or rows it has compared.
import assert from "node:assert/strict";
import { csvOf, hectic } from "./page.mjs";

let seed = Number(process.env.SEED ?? Date.now() % 1e6);
console.log(`SEED=${seed}`);
export const random = (below) => {
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
export function assertShown(text, wanted, what) {
    const found = valueOf(text);
    if (wanted === null || wanted === undefined) return assert.equal(found, null, what);
    assert.ok(found !== null && Math.abs(found - wanted) <= Math.abs(wanted) * 0.006 + 0.0006, `${what}: ${text} is not ${wanted}`);
}

/** The rows of a table that are in sight: an array of texts each; and how many there are. */
export async function tableOf(page, caption) {
    const table = page.locator("#pane table", { has: page.locator("caption", { hasText: new RegExp(`^${caption}$`) }) });
    return table.evaluate((element) => ({
        count: Number(element.getAttribute("aria-rowcount") ?? element.tBodies[0].rows.length + 1) - 1,
        rows: [...element.tBodies[0].rows].filter((row) => !row.hidden && !row.ariaHidden).map((row) => [...row.cells].map((cell) => cell.textContent)),
    }));
}

export async function choose(page, name, range) {
    await page.locator(`#tab-${name}`).click();
    const whole = range ? `[data-range="${range.from}-${range.to}"]` : "";
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await page.locator(`#pane[data-pane=${name}]${whole}[aria-busy=false]`).waitFor();
}

export const json = (log, range, verb, ...words) => {
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
/** Texts that the page shows otherwise than the command: other characters than those of ASCII, long ones. */
const isUnusual = (text) => /[^ -~]|\\|.{60}/s.test(text ?? "");
const falling = (key) => (a, b) => (b[key] ?? -1) - (a[key] ?? -1);
const isDistinct = (rows, key) => new Set(rows.map((row) => row[key])).size === rows.length;

/** The pane says that the log, or the range, lacks what it shows. */
const isMissing = async (page) => (await page.locator("#pane .body > .missing").count()) > 0 && (await page.locator("#pane .body table").count()) === 0;

/** The rows of a table that is saved, by their first cells; the others are numbers. */
async function savedRows(page, caption, keyOf = ([name]) => name) {
    const [, ...rows] = await csvOf(page, caption);
    return new Map(rows.map((cells) => [keyOf(cells), cells]));
}
const shares = { caption: "Caps", of: (cap) => [cap.running_ns, cap.gc_ns, cap.gc_wait_ns, cap.idle_ns].map((ns) => (ns === null ? null : ns / cap.present_ns)) };

export const checks = {
    /** What scripts get. */
    async select(page, log, range, what) {
        if (!range) return 1;
        const found = await page.evaluate((range) => window.hectic.select(range), range);
        assert.deepEqual(found, JSON.parse(hectic("stat", "--jsonl", "--from", `${range.from}ns`, "--to", `${range.to}ns`, log)), what);
        return 1;
    },
    async findings(page, log, range, what) {
        // No command judges a part.
        if (range) return 0;
        const { verdict } = json(log, null, "info");
        const found = await page.locator("#pane .card button:first-child").allTextContents();
        assert.equal(found.length, verdict.length, what);
        for (const [index, { text, importance }] of verdict.entries()) {
            assert.ok(found[index].includes(`importance ${(importance * 100).toFixed(1)}`) && found[index].includes(text.split(". ")[0].slice(0, 60)), `${what}: ${found[index]} is not ${text}`);
        }
        return 1;
    },
    async stat(page, log, range, what) {
        const { time, memory, gc, caps, tasks } = json(log, range, "stat").stat[0];
        const of = async (caption) => new Map((await tableOf(page, caption)).rows.map(([name, ...cells]) => [name, cells]));
        const compare = (rows, wanted) => {
            for (const [name, ...values] of wanted) values.forEach((value, index) => assertShown(rows.get(name)[index], value, `${what}: ${name}`));
        };
        compare(await of("Time"), [["Mutator", time.mutator_ns], ["GC", time.gc_ns], ["Initialization", time.init_ns], ["Exit", time.exit_ns]]);
        compare(await of("Memory"), [
            ["Allocated", memory.allocated_bytes],
            ["Copied in GC", memory.copied_bytes],
            ["Largest residency", memory.residency_max_bytes],
            ["Largest heap", memory.heap_max_bytes],
            ["Largest slop", memory.slop_max_bytes],
            ["Largest fragmentation", memory.fragmentation_max_bytes],
        ]);
        const lengths = (name, pause) => (pause ? [[name, pause.count, pause.total_ns, pause.p50_ns, pause.p99_ns, pause.max_ns]] : []);
        compare(await of("GC pauses"), [
            ...(gc.generations ?? []).flatMap(({ generation, pause }) => lengths(`Gen ${generation}`, pause)),
            ...lengths("All", gc.pause),
            ...lengths("Safepoint", gc.time_to_safepoint),
        ]);
        if (caps.length > 0) compare(await of(shares.caption), caps.filter((cap) => cap.present_ns > 0 && cap.running_ns !== null).map((cap) => [`cap ${cap.cap}`, ...shares.of(cap)]));
        compare(await of("Threads and sparks"), [["Workers", tasks?.workers ?? null]]);
        return 1;
    },
    async heap(page, log, range, what) {
        const { sections = [] } = json(log, range, "heap", "--bands", "1000");
        const [profile, ...others] = sections.flatMap(({ profiles }) => profiles);
        if (!profile?.bands.length || others.length > 0) return 0;
        const [, ...rows] = await csvOf(page, "Bands");
        const ordered = (list) => list.map((sizes) => sizes.map((size) => Math.round(Number(size))).join()).sort();
        assert.deepEqual(ordered(rows.map((cells) => cells.slice(1, 4))), ordered(profile.bands.map((band) => [band.mean_bytes, band.end_bytes, band.max_bytes])), what);
        return rows.length;
    },
    async flame(page, log, range, what) {
        const [profile] = json(log, range, "prof").profiles ?? [];
        if (!profile || (await isMissing(page))) return 0;
        const found = await savedRows(page, "Frames", ([label, , , , , , module, location]) => [label, module, location].join());
        const frames = profile.frames.filter(({ module, own_ns, inherited_ns }) => module !== "MAIN" && own_ns + inherited_ns > 0);
        for (const { label, module, location, own_ns, own_share, inherited_ns, inherited_share, own_ticks } of frames) {
            const cells = found.get([label, module ?? "", location ?? ""].join()) ?? [...found.values()].find((one) => isUnusual(label + module + location) && Number(one[1]) === own_ns && Number(one[3]) === inherited_ns);
            assert.deepEqual([cells?.[1], cells?.[3], cells?.[5]].map(Number), [own_ns, inherited_ns, own_ticks], `${what}: ${label}`);
            for (const [at, share] of [[2, own_share], [4, inherited_share]]) assert.ok(Math.abs(Number(cells[at]) - share) < 1e-6, `${what}: share of ${label}`);
        }
        return frames.length;
    },
    async ticky(page, log, range, what) {
        const { counters = [] } = json(log, range, "ticky");
        if (counters.length === 0) return 0;
        const rows = await csvOf(page, "Ticky-ticky counters");
        assert.equal(rows.length - 1, counters.length, what);
        const sum = (values) => values.reduce((all, value) => all + Number(value), 0);
        for (const [column, key] of [["entries", "entries"], ["allocated", "allocs_bytes"]]) {
            const at = rows[0].findIndex((title) => title.startsWith(column));
            if (at >= 0) assert.equal(sum(rows.slice(1).map((cells) => cells[at])), sum(counters.map((counter) => counter[key])), `${what}: ${key}`);
        }
        return counters.length;
    },
    async pauses(page, log, range, what) {
        const wanted = (json(log, range, "gc").gc ?? []).sort(falling("pause_ns"));
        if (await isMissing(page)) return assert.equal(wanted.length, 0, what) ?? 0;
        const found = await tableOf(page, "Collections");
        compareRows(found, wanted, [null, (row) => row.pause_ns], what);
        if (isDistinct(wanted, "pause_ns")) {
            const columns = [(row) => row.start_ns, (row) => row.pause_ns, (row) => row.safepoint_ns, (row) => row.generation, (row) => row.reason ?? "N/A", (row) => row.live_bytes, (row) => row.copied_bytes, (row) => row.threads];
            compareRows(found, wanted, columns, what);
        }
        return wanted.length;
    },
    async threads(page, log, range, what) {
        const answer = json(log, range, "threads");
        if (await isMissing(page)) return assert.equal(answer.threads?.length ?? 0, 0, what) ?? 0;
        const wanted = answer.threads.sort(falling("running_ns"));
        const found = await tableOf(page, "Threads");
        compareRows(found, wanted, [null, (row) => row.running_ns], what);
        const byName = new Map(wanted.map((row) => [threadName(row), row]));
        for (const [name, running, runnable, , runs, lifetime, migrations] of found.rows) {
            const row = byName.get(name) ?? wanted.find((one) => isUnusual(one.label) && name.endsWith(`(${one.thread})`)) ?? assert.fail(`${what}: ${name}`);
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
        if (await isMissing(page)) return 0;
        const { rows } = await tableOf(page, "Waits for a cap");
        const [[, all], ...causes] = rows;
        assert.equal(causes.reduce((sum, [, count]) => sum + valueOf(count), 0), valueOf(all), what);
        const [, ...threads] = await csvOf(page, "By thread");
        assert.equal(threads.reduce((sum, [, count]) => sum + Number(count), 0), valueOf(all), what);
        return valueOf(all);
    },
    async spans(page, log, range, what) {
        const answer = json(log, range, "spans");
        if (answer.spans.length === 0) {
            assert.ok(await isMissing(page), what);
            return 0;
        }
        const wanted = answer.spans.sort(falling("total_ns"));
        const columns = [null, null, (row) => row.total_ns];
        const found = await tableOf(page, "By name");
        compareRows(found, wanted, columns, what);
        const byName = new Map(wanted.map((row) => [`${row.label} ${row.kind}`, row]));
        for (const [label, count, , p50, p90, p99, max, kind] of found.rows) {
            const row = byName.get(`${label} ${kind}`) ?? wanted.find((one) => isUnusual(one.label) && one.kind === kind && one.count === valueOf(count)) ?? assert.fail(`${what}: ${label}`);
            for (const [text, key] of [[count, "count"], [p50, "p50_ns"], [p90, "p90_ns"], [p99, "p99_ns"], [max, "max_ns"]]) assertShown(text, row[key], `${what}: ${label} ${key}`);
        }
        const each = json(log, range, "spans", "--each").spans.sort(falling("duration_ns"));
        if (each.length > 0) compareRows(await tableOf(page, "The longest spans"), each, [null, (row) => row.duration_ns], what);
        return wanted.length;
    },
    async sparks(page, log, range, what) {
        if (await isMissing(page)) return 0;
        const { sparks } = json(log, range, "sparks");
        const { rows } = await tableOf(page, "Fate of sparks");
        for (const [fate, ...cells] of rows) {
            const key = fate === "collected" ? "gcd" : fate;
            sparks.slice(0, 4).forEach((cap, index) => assertShown(cells[index], cap[key], `${what}: ${fate} of cap ${cap.cap}`));
        }
        return rows.length;
    },
    async mmu(page, log, range, what) {
        if (await isMissing(page)) return 0;
        const { rows } = await tableOf(page, "By window");
        const shares = rows.map(([, share]) => valueOf(share));
        assert.ok(shares.every((share) => share >= 0 && share <= 1), what);
        // The table has some lengths of windows: the longest pause may be longer than the longest one without a mutator.
        for (const remark of await page.locator("#pane .remark", { hasText: "entirely in collections" }).allTextContents())
            assert.match(remark, /^A window of at least [\d.]+ (ns|µs|ms|s) was spent/, what);
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

// Numbers beside rows

/** Throws, if the command fails. */
export const strict = (log, range, ...words) => JSON.parse(hectic(...words, "--json", ...(range ? part(range) : []), log));

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const short = (value) => (value >= 99.95 ? grouped(value.toFixed(0)) : value.toFixed(value >= 9.995 ? 1 : 2));
function bytes(count) {
    const names = ["B", "KiB", "MiB", "GiB"];
    let unit = 0;
    for (; count >= 1023.5; unit++) count /= 1024;
    return `${unit === 0 ? grouped(count) : short(count)} ${names[unit]}`;
}
export const part = ({ from, to }) => ["--from", `${from}ns`, "--to", `${to}ns`];

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
    const { caps, memory, gc, sparks } = strict(log, range, "stat").stat[0];
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
    for (const { thread, label, running_ns } of json(log, range, "threads").threads ?? []) {
        if (running_ns !== null) wanted.set(label === null ? `thread ${thread}` : `${label} (thread ${thread})`, percent(running_ns / length));
    }
    const names = new Map([...wanted.keys()].map((name) => [/thread (\d+)\)?$/.exec(name)?.[1], name]));
    const spans = new Map();
    for (const { start_thread, thread = start_thread } of json(log, range, "spans", "--each").spans ?? []) spans.set(thread, (spans.get(thread) ?? 0) + 1);
    for (const [thread, count] of spans) if (names.has(String(thread))) wanted.set(`Spans of ${names.get(String(thread)).replace(/ \(thread \d+\)$/, "")} (thread ${thread})`, grouped(count));
    const { message_count, marker_count } = json(log, range, "spans");
    if (Number.isInteger(message_count)) wanted.set("Messages", grouped(message_count)).set("Markers", grouped(marker_count));
    return wanted;
}

/** Compares the numbers beside rows in what is in view. */
export async function compareRowNumbers(page, log, range, extent) {
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
export function partOf({ first, last }) {
    const from = first + random(last - first - 1000);
    return { from, to: from + 1000 + random(last - from - 1000) };
}

/** The times of the first and the last event. */
export function extentOf(log) {
    const times = hectic("show", "--jsonl", "--no-header", log).split("\n").filter((line) => line).map((line) => JSON.parse(line).time);
    return { first: times[0], last: times.at(-1) };
}

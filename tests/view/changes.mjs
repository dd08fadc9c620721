// What has changed between two logs, in the panes of one log: flame graph, heap bands, pauses, spans, latency. Each
// number is that of the command for its log, or their difference.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { csvOf, hectic, isAccessible, openLogs, withPage, withServer, work } from "../support/page.mjs";

execFileSync("python3", ["tests/support/flame_logs.py", work]);
const made = (kind) => [`${work}/${kind}-old1.eventlog`, `${work}/${kind}-new1.eventlog`];

const idle = (page) => page.evaluate(() => window.hectic.idle());
const chooser = (page) => page.locator("#pane .head select");

async function choose(page, pane, option) {
    await page.click(`#tab-${pane}`);
    await idle(page);
    await chooser(page).selectOption(option);
    await idle(page);
}

const compare = (page, pane) => choose(page, pane, { label: "What has changed" });

/** What has changed, old and new, as cells of a file; null: not known. */
const three = (old, latest) => [old === null || latest === null ? null : latest - old, old, latest].map((value) => (value === null ? "" : String(value)));

/** The rows of the tables of the pane that is shown. */
const tableRows = (page) => page.locator("#pane .body > table tbody tr").evaluateAll((lines) => lines.map(({ cells }) => [...cells].map(({ innerText }) => innerText.trim())));

/** The rows of a table of the page, by name: those of `wanted`. */
async function tableIs(page, caption, wanted) {
    const [, ...rows] = await csvOf(page, caption);
    assert.deepEqual(new Map(rows.map(([name, ...cells]) => [name, cells])), wanted);
    assert.equal(rows.length, wanted.size);
}

/** The items of two lists by name, as pairs. */
function joined(old, latest, nameOf) {
    const [before, after] = [old, latest].map((list) => new Map(list.map((item) => [nameOf(item), item])));
    return [...new Set([...before.keys(), ...after.keys()])].map((name) => [name, before.get(name), after.get(name)]);
}

async function flameIsRight(page, logs, ...range) {
    const [old, latest] = logs.map((log) => JSON.parse(hectic("prof", "--json", ...range, log)).profiles[0].frames.filter(({ module }) => module !== "MAIN")); // the root
    const wanted = joined(old, latest, ({ label, module }) => `${label} ${module}`).map(([, before, after]) => {
        const { label, module, location } = after ?? before;
        const numbers = (key) => three(before?.[key] ?? 0, after?.[key] ?? 0);
        return [label, [...numbers("own_ns"), ...numbers("inherited_ns"), module, location ?? ""]];
    });
    await tableIs(page, "Frames", new Map(wanted));
}

/** How many pixels of the flame graph are red, and blue. */
const redAndBlue = (page) =>
    page.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const canvas = document.querySelector("#pane canvas");
        const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        pen.drawImage(canvas, 0, 0);
        const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
        const found = { red: 0, blue: 0 };
        for (let i = 0; i < data.length; i += 4) {
            if (data[i] > data[i + 2] + 60) found.red++;
            if (data[i + 2] > data[i] + 60) found.blue++;
        }
        return found;
    });

async function flameIsShown(page) {
    await idle(page);
    assert.match(await page.locator("#pane .head .remark").textContent(), /^From (\S*\/)?time-old1.eventlog to (\S*\/)?time-new1.eventlog$/);
}

async function flame(page, logs) {
    await compare(page, "flame");
    await flameIsShown(page);
    await flameIsRight(page, logs);
    const changes = (await csvOf(page, "Frames")).slice(1).map((cells) => Math.abs(Number(cells[1])));
    assert.deepEqual(changes, changes.toSorted((a, b) => b - a), "the largest first");
    await isAccessible(page, "flame graph of two runs");
    await page.evaluate(() => window.hectic.select({ from: 100000000, to: 300000000 }));
    await idle(page);
    await flameIsRight(page, logs, "--from", "100000000ns", "--to", "300000000ns");
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.hectic.select(null).catch(() => undefined));
    await idle(page);
}

// A time profile: "render" has become slow, "legacy" is gone.
const times = made("time");
await withPage({}, async (page) => {
    await openLogs(page, ...times);
    await flame(page, times);
    const { red, blue } = await redAndBlue(page);
    assert.ok(red > 1000 && red > 5 * blue, JSON.stringify({ red, blue }));
    const { x, y, width } = await page.getByRole("application", { name: /^Flame graph/ }).boundingBox();
    await page.mouse.move(x + width * 0.2, y + 2 * 19 + 9);
    assert.match(await page.locator("#pane .pointed").textContent(), /^render · .* · own [\d.]+ ms to 2\d\d ms, \+2\d\d ms \(\+[\d,.]+ %\) · total /);
    await page.getByRole("button", { name: "Old", exact: true }).click();
    const old = await redAndBlue(page);
    assert.ok(old.blue > 1000 && old.blue > 5 * old.red, JSON.stringify(old));
    await flameIsRight(page, times);
    const picture = () => page.evaluate(() => document.querySelector("#pane canvas").toDataURL());
    const ofItself = await picture();
    await page.getByRole("button", { name: "With its calls" }).click();
    await redAndBlue(page);
    assert.notEqual(await picture(), ofItself);
    await page.getByRole("button", { name: "Sandwich" }).click();
    await flameIsRight(page, times);
    // One log again, as it is without another.
    const frames = JSON.parse(hectic("prof", "--json", times[1])).profiles[0].frames.filter(({ module }) => module !== "MAIN");
    await choose(page, "flame", "1");
    const [, ...rows] = await csvOf(page, "Frames");
    assert.deepEqual(rows.map(([name, own]) => [name, Number(own)]).sort(), frames.map(({ label, own_ns }) => [label, own_ns]).sort());
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});
await withServer(times, (url) =>
    withPage({ url }, async (page) => {
        await page.evaluate(() => window.hectic.ready);
        await flame(page, times);
        // A link has the choice; a printed page has no words about buttons that it lacks.
        await page.waitForFunction(() => location.hash.includes("of=change"));
        await page.reload();
        await page.evaluate(() => window.hectic.ready);
        await flameIsShown(page);
        await page.emulateMedia({ media: "print" });
        assert.doesNotMatch(await page.locator("#pane").innerText(), /Widths|Colors|By time/);
    }),
);

// Heap profiles by type, and by stacks of cost centres; a log without one.
for (const kind of ["type", "heap"]) {
    const logs = made(kind);
    await withPage({}, async (page) => {
        await openLogs(page, ...logs);
        await compare(page, "heap");
        const [old, latest] = logs.map((log) => {
            const profile = JSON.parse(hectic("heap", "--json", "--bands", "1000", log)).sections[0].profiles[0];
            return profile.bands.map((band) => {
                const label = band.stack.map((number) => profile.labels[number]).join("/");
                return { ...band, label: band.module ? `${label} (${band.module})` : label };
            });
        });
        const wanted = joined(old, latest, ({ label }) => label).map(([label, before, after]) => [
            label,
            ["mean_bytes", "max_bytes", "end_bytes"].flatMap((key) => three(before ? before[key] : 0, after ? after[key] : 0)),
        ]);
        const rows = await csvOf(page, "Bands");
        assert.equal(rows.length - 1, wanted.length);
        for (const [label, cells] of wanted) {
            const row = rows.find(([name]) => name === label);
            cells.forEach((cell, index) => assert.ok(Math.abs(Number(row[index + 1]) - Number(cell)) < 1e-3, `${label}: ${row}, ${cells}`));
        }
        assert.equal(await page.locator("#pane canvas").count(), 2);
        await page.getByRole("button", { name: "Shares" }).click();
        await isAccessible(page, "heap bands of two runs");
        await compare(page, "flame");
        assert.match(await page.locator("#pane .missing").textContent(), /^\w+-old1\.eventlog: No time profile here\. Build with ghc -prof /);
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    });
}

// Stacks of a heap profile that differ where their texts are cut.
await withPage({}, async (page) => {
    await openLogs(page, ...made("long"));
    await compare(page, "heap");
    const [, ...rows] = await csvOf(page, "Bands");
    assert.deepEqual(rows.map((row) => row.slice(1, 4)).sort(), [three(1000, 2000), three(2000, 1000)].sort());
});

// More labels than a table has.
await withPage({}, async (page) => {
    await openLogs(page, ...made("markers"));
    await compare(page, "spans");
    assert.ok((await page.locator("#pane .remark").allTextContents()).includes("Names that are left out: 10 of the old log, 17 of the new one."));
    const [, ...rows] = await csvOf(page, "By name");
    assert.equal(rows.length, 20000);
    assert.ok(rows.every((row) => row[4] === "" && row[5] + row[6] === "1"));
});

// The choice by keys alone: it keeps the focus.
await withPage({}, async (page) => {
    await openLogs(page, ...times);
    await page.click("#tab-spans");
    await idle(page);
    await chooser(page).focus();
    for (const wanted of ["time-new1.eventlog", "What has changed"]) {
        await page.keyboard.press("ArrowDown");
        await idle(page);
        assert.equal(await page.evaluate(() => document.activeElement.selectedOptions?.[0].text), wanted);
    }
    assert.match(await page.locator("#pane .head .remark").textContent(), /^From /);
});

// Generations and causes that only one run has.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/demo.eventlog", "tests/logs/heap-generations.eventlog");
    await compare(page, "pauses");
    const rows = new Map((await tableRows(page)).map(([name, ...cells]) => [name, cells]));
    assert.deepEqual(rows.get("Gen 3, old"), ["0", "N/A", "N/A", "N/A", "N/A"]);
    assert.equal(rows.get("Gen 3, new")[0], "3");
    await page.evaluate(() => window.hectic.select({ from: 10000000, to: 10000001 }));
    await compare(page, "latency");
    assert.deepEqual((await tableRows(page)).map(([name, count]) => [name, count]), [["All, old", "0"], ["All, new", "0"]]);
});

// Spans of no thread and no cap.
await withPage({}, async (page) => {
    await openLogs(page, ...made("hostile"));
    await idle(page);
    await page.locator("#rows button[aria-expanded=false]", { hasText: "User spans" }).first().click();
    await page.getByText("no cap", { exact: true }).first().waitFor();
});

// Pauses, spans and latency.
const logs = ["tests/logs/demo.eventlog", "tests/logs/spans.eventlog"];
await withPage({}, async (page) => {
    await openLogs(page, ...logs);
    for (const pane of ["pauses", "latency"]) {
        const own = [];
        for (const index of [0, 1]) {
            await choose(page, pane, String(index));
            own.push(new Map((await tableRows(page)).map(([name, ...cells]) => [name, cells])));
        }
        await compare(page, pane);
        const rows = await tableRows(page);
        for (const [index, run] of ["old", "new"].entries()) {
            const of = new Map(rows.filter(([name]) => name.endsWith(`, ${run}`)).map(([name, ...cells]) => [name.replace(`, ${run}`, ""), cells]));
            for (const [name, cells] of own[index]) assert.deepEqual(of.get(name), cells, `${pane}: ${name}, ${run}`);
        }
        assert.ok(rows.length >= own[0].size + own[1].size);
        assert.equal(await page.locator("#pane .chart .old").count(), 1);
        assert.ok((await page.locator("#pane .chart .bar").count()) > 0);
        await isAccessible(page, pane);
    }
    await compare(page, "spans");
    const [old, latest] = logs.map((log) => JSON.parse(hectic("spans", "--json", log)).spans);
    const wanted = joined(old, latest, ({ label }) => label).map(([label, before, after]) => {
        const { kind } = after ?? before;
        const sum = (key, none) => three(before ? before[key] : none, after ? after[key] : none);
        const length = kind === "span" ? sum("total_ns", 0) : ["", "", ""];
        return [label, [...length, ...sum("count", 0), ...three(before?.p50_ns ?? null, after?.p50_ns ?? null), ...three(before?.p99_ns ?? null, after?.p99_ns ?? null), kind]];
    });
    await tableIs(page, "By name", new Map(wanted));

    // A pane of one log only; a range that one log has nothing in; a third log.
    await page.click("#tab-threads");
    await idle(page);
    assert.deepEqual(await chooser(page).locator("option").allTextContents(), ["demo.eventlog", "spans.eventlog"]);
    await page.evaluate(() => window.hectic.select({ from: 15000000, to: 16000000 }).catch(() => undefined));
    await compare(page, "pauses");
    assert.match(await page.locator("#pane .missing").textContent(), /^spans\.eventlog has no events in this range: it lasts from /);
    await openLogs(page, ...logs, "tests/logs/tiny.eventlog");
    await page.click("#tab-spans");
    await idle(page);
    assert.equal(await chooser(page).locator("option").count(), 3);
    // Two processes of one log are not an old and a new run.
    hectic("merge", "-o", `${work}/merged.eventlog`, ...logs);
    await openLogs(page, `${work}/merged.eventlog`);
    await idle(page);
    assert.equal(await chooser(page).locator("option").count(), 2);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

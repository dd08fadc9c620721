// The findings of a log, in the page, from the server and in a report: those of hectic info. A card leads to where
// its finding shows, also by keys; its command can be copied.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { addressWhen, generateLog, hectic, openLogs, withPage, withServer, work } from "../support/page.mjs";

const own = (name) => `tests/logs/${name}.eventlog`;
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
const ready = (page, more = "") => page.locator(`#pane[data-pane=findings]${more}[aria-busy=false]`).waitFor();

/** What the cards say. */
async function cardsOf(page) {
    await page.evaluate(() => window.hectic.ready);
    await ready(page);
    return page.locator(".card").evaluateAll((cards) =>
        cards.map((card) => ({
            text: card.querySelector(".says").textContent,
            command: card.querySelector("code").textContent,
            importance: card.querySelector(".price").textContent,
        })),
    );
}

/** On paper, nothing is cut or scrolled, and there are no controls. */
async function checkPrinted(page) {
    await page.emulateMedia({ media: "print" });
    const printed = await page.evaluate(() => {
        const all = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
        const place = (selector) => document.querySelector(selector).getBoundingClientRect();
        return {
            scrolled: all("html, body, main, #timeline, #panes, #pane").filter((e) => getComputedStyle(e).overflowY !== "visible").length,
            controls: all("header button, #tabs button, #pane .small, .choice").length,
            cards: all(".card .says").length,
            isAfterRows: place("#pane").top >= place("#rows").bottom && place("#rows").height > 0,
            areWithin: all("#rows canvas").every((canvas) => canvas.getBoundingClientRect().right <= innerWidth),
            isWhole: document.documentElement.scrollHeight >= place("#pane").bottom,
        };
    });
    assert.deepEqual(printed, { scrolled: 0, controls: 0, cards: 1, isAfterRows: true, areWithin: true, isWhole: true });
    await page.emulateMedia({ media: "screen" });
}

function wanted(log, name = baseName(log)) {
    const { verdict } = JSON.parse(hectic("info", "--json", log));
    return verdict.map(({ text, command, importance }) => ({
        text,
        command: command.replace(log, name),
        importance: `importance ${(importance * 100).toFixed(1)} %`,
    }));
}

/** The sentence of hectic info, if nothing stands out. */
function sentence(log) {
    const lines = hectic("info", log).split("\n");
    const first = lines.findIndex((line) => line.startsWith("Verdict "));
    let last = first + 1;
    while (lines[last].startsWith("           ")) last++;
    return lines.slice(first, last).map((line) => line.slice(11)).join(" ");
}

// A thread of 3 s, with a collection each 0.1 s: one of them, from 1 s on, takes 0.3 s.
const slow = `${work}/it's slow.eventlog`;
execFileSync("python3", ["-c", `
import struct, sys
sys.path.insert(0, "tests/support")
import eventlog
ms, events = 1000000, [(0, 0, 0, struct.pack(">I", 1))]
for i in range(30):
    at, pause = i * 100 * ms, 1 * ms
    if i == 10: pause = 300 * ms
    if 10 < i < 13: continue
    events += [(at + 1 * ms, 0, 1, struct.pack(">I", 1)), (at + 90 * ms - pause % (100 * ms), 0, 2, struct.pack(">IHI", 1, 1, 0))]
    if i == 9: events[-1] = (1000 * ms, 0, 2, struct.pack(">IHI", 1, 1, 0))
    if i == 9: continue
    begin = 1000 * ms if i == 10 else at + 95 * ms
    if i == 10: events = events[:-2]
    events += [(begin, 0, 9, b""), (begin + pause, 0, 10, b"")]
open(sys.argv[1], "wb").write(eventlog.write(events, {0: 4, 1: 4, 2: 10, 9: 0, 10: 0}))
`, slow]);

const logs = ["demo", "sparks", "threads", "heap-generations", "heap-types", "time-profile", "killed", "tiny", "sparks-sampled"].map(own);
let cards = 0;
await withPage({}, async (page) => {
    for (const log of logs) {
        await openLogs(page, log);
        const expected = wanted(log);
        assert.deepEqual(await cardsOf(page), expected, log);
        cards += expected.length;
        if (expected.length === 0) assert.equal(await page.locator("#pane .nothing").textContent(), sentence(log), log);
    }
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});
assert.ok(cards >= 6, String(cards));

// A card leads to the longest pause: its time, the rows of collections, and their pane; so does Enter.
const pause = { from: 1000000000, to: 1300000000 };
const { verdict } = JSON.parse(hectic("info", "--json", slow));
assert.deepEqual(verdict.map(({ id, value }) => [id, value]), [["long_pause", pause.to - pause.from]]);
// The command for a log whose name a terminal would not show.
await withPage({}, async (page) => {
    const odd = `${work}/o'd\nname.eventlog`;
    copyFileSync(slow, odd);
    await openLogs(page, odd);
    const [{ command }] = await cardsOf(page);
    assert.equal(command, "hectic gc --sort pause --limit 10 $'o\\047d\\012name.eventlog'");
});
const quoted = "'it'\\''s slow.eventlog'";
await withPage({ viewport: { width: 1280, height: 500 } }, async (page) => {
    await openLogs(page, slow);
    const [only] = await cardsOf(page);
    await checkPrinted(page);
    assert.equal(only.command, `hectic gc --sort pause --limit 10 ${quoted}`);
    // The command that is copied is what a shell understands.
    const copy = page.getByRole("button", { name: "Copy the command hectic gc" });
    await copy.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => ["Copied", "Selected"].includes(document.querySelector(".command button").textContent));
    const copied = await page.evaluate(() => navigator.clipboard?.readText().catch(() => null) ?? getSelection().toString());
    if (copied !== null) assert.equal(copied, only.command);
    assert.match(execFileSync("bash", ["-c", `${only.command.replace("hectic", process.env.HECTIC)} | head -3`], { cwd: work, encoding: "utf8" }), /300/);

    const card = page.getByRole("button", { name: /^300 ms Long pause importance 15\.0 %/ });
    const go = async (how) => {
        await how();
        await page.locator("#pane[data-pane=pauses][aria-busy=false]").waitFor();
        const { view } = await addressWhen(page, "the longest pause", ({ view }) => view?.length === 2);
        assert.ok(view[0] < pause.from && view[1] > pause.to && view[1] - view[0] < 10 * (pause.to - pause.from), String(view));
        const top = await page.evaluate(() => {
            const heading = [...document.querySelectorAll("#rows h3")].find((one) => one.textContent === "Collections");
            return heading.getBoundingClientRect().top - document.querySelector("#top").getBoundingClientRect().bottom;
        });
        assert.ok(Math.abs(top) < 80, String(top));
        assert.equal(await page.evaluate(() => document.activeElement.id), "tab-pauses");
        // The pane has the range that was judged: the whole run.
        assert.match(await page.locator("#pane .remark, #pane h2").first().textContent(), /Whole run/);
    };
    await go(() => card.click());
    await page.keyboard.press("Escape");
    await page.click("#tab-findings");
    await page.getByRole("button", { name: "Follow the view" }).click();
    await page.keyboard.press("f");
    await ready(page);
    // A folded group is opened.
    await page.locator("#rows h3 button", { hasText: "Collections" }).click();
    await page.locator("#rows h3 [aria-expanded=false]", { hasText: "Collections" }).waitFor();
    await go(async () => {
        await card.focus();
        await page.keyboard.press("Enter");
    });
    assert.equal(await page.locator("#rows h3 [aria-expanded=true]", { hasText: "Collections" }).count(), 1);
});

// A card about waits for caps leads to the column that has them: sorted by it, and in sight.
const waits = `${work}/waits.eventlog`;
execFileSync("python3", ["-c", `
import struct, sys
sys.path.insert(0, "tests/support")
import eventlog
ms, events = 1000000, []
for i in range(60):
    at, wait = i * 10 * ms, (6 + i % 3) * ms
    for cap in 0, 1: events += [(at, cap, 1, struct.pack(">I", 1 + cap))]
    events += [(at + ms, 0, 11, b""), (at + ms, 0, 2, struct.pack(">IHI", 1, 1, 0)), (at + ms + wait, 1, 2, struct.pack(">IHI", 2, 1, 0))]
    for cap in 0, 1: events += [(at + ms + wait, cap, 9, b""), (at + 1000 * (1 + i) + ms + wait, cap, 10, b"")]
open(sys.argv[1], "wb").write(eventlog.write(events, {1: 4, 2: 10, 9: 0, 10: 0, 11: 0}))
`, waits]);
await withPage({ viewport: { width: 1280, height: 560 } }, async (page) => {
    await openLogs(page, waits);
    await ready(page);
    await page.getByRole("button", { name: /Safepoint importance/ }).click();
    await page.locator("#pane[data-pane=pauses][aria-busy=false]").waitFor();
    await page.waitForFunction(() => {
        const [head, row] = ["th[aria-sort=descending]", "tbody tr[aria-rowindex]"].map((one) => document.querySelector(`#pane .list ${one}`)?.getBoundingClientRect());
        const room = document.querySelector("#pane .list .wide")?.getBoundingClientRect();
        const pane = document.querySelector("#pane").getBoundingClientRect();
        return head && row && head.left >= room.left && head.right <= room.right + 1 && row.top >= pane.top && row.bottom <= pane.bottom;
    });
    assert.equal(await page.locator("#pane .list th[aria-sort=descending]").textContent(), "safepoint");
    assert.match(await page.locator("#pane .list tbody tr[aria-rowindex='2']").textContent(), /8\.00 ms/);
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollTop === 0));
});

// A selection is judged by itself, and its commands name it.
await withPage({}, async (page) => {
    await openLogs(page, slow);
    await page.evaluate(() => window.hectic.select({ from: 900000000, to: 2000000000 }));
    await ready(page, '[data-range="900000000-2000000000"]');
    const [first] = await cardsOf(page);
    assert.ok(first.command.endsWith(` --from 900000000ns --to 2000000000ns ${quoted}`), first.command);
    await page.evaluate(() => window.hectic.select({ from: 1400000000, to: 1405000000 }));
    await page.locator("#pane .nothing", { hasText: "The range is too short for a verdict: 5.00 ms." }).waitFor();
    assert.equal(await page.locator(".card").count(), 0);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// From the server.
await withServer([own("demo")], (url) =>
    withPage({ url }, async (page) => {
        assert.deepEqual(await cardsOf(page), wanted(own("demo"), own("demo")));
    }),
);

// In a report, with the log and without: then of the whole run only.
const large = `${work}/large.eventlog`;
generateLog("--events", "300000", "--caps", "4", "-o", large);
for (const [log, ...options] of [[own("demo")], [large, "--max-size", "1M"]]) {
    const report = `${work}/report.html`;
    hectic("view", "--force", "-o", report, ...options, log);
    await withPage({ url: pathToFileURL(report).href }, async (page) => {
        assert.deepEqual(await cardsOf(page), wanted(log), log);
        await page.evaluate(() => window.hectic.select({ from: 4000000, to: 5000000 }).catch(() => undefined));
        const text = options.length > 0 ? "the report holds this of the whole run only" : "The range is too short";
        await page.locator("#pane", { hasText: text }).waitFor();
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    });
}

// Processes of a merged log, each with its own.
const merged = `${work}/merged.eventlog`;
hectic("merge", "--force", "--align", "start", "-o", merged, own("sparks"), own("threads"));
await withPage({}, async (page) => {
    await openLogs(page, merged);
    const all = JSON.parse(hectic("info", "--json", merged)).verdict;
    const processes = JSON.parse(hectic("stat", "--json", merged)).stat;
    const choice = page.getByRole("combobox", { name: "Log that the numbers are of" });
    for (const [index, { process, from_ns: from, to_ns: to }] of processes.entries()) {
        await choice.selectOption(String(index));
        const expected = all.filter((finding) => finding.process === process).map(({ text }) => text);
        await page.waitForFunction(
            (texts) => JSON.stringify([...document.querySelectorAll(".card .says")].map(({ textContent }) => textContent)) === JSON.stringify(texts),
            expected,
        );
        assert.ok(from < to);
    }
});

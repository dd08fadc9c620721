// What is chosen in the picture, by a click or by keys, has the times of the verbs; the keys lead to others of its
// kind; its range can be selected.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { addressWhen, generateLog, hectic, openLogs, withPage, work } from "../support/page.mjs";

const own = (name) => `tests/logs/${name}.eventlog`;
const json = (verb, ...words) => JSON.parse(hectic(verb, "--json", ...words));
const lines = (log, ...words) => hectic("show", "--jsonl", "--no-header", ...words, log).split("\n").filter((line) => line).map((line) => JSON.parse(line));

const nameOf = (page) => page.locator("#details-name").textContent();

/** Waits until what is chosen has this range, or a name. */
const chosen = (page, { from, to }) => page.locator(`#details[data-from="${from}"][data-to="${to}"]`).waitFor({ timeout: 10000 });
const named = (page, text) => page.locator("#details-name", { hasText: text }).waitFor({ timeout: 10000 });

/** Clicks in a row, at a time of the whole run or of a view. */
async function clickAt(page, row, ns, view, share = 0.5) {
    await page.evaluate((view) => window.hectic.view(view).then(() => window.hectic.idle()), view);
    const canvas = page.getByRole("img", { name: row, exact: typeof row === "string" }).first();
    await canvas.scrollIntoViewIfNeeded();
    const place = await canvas.boundingBox();
    await page.mouse.click(place.x + ((ns - view.from) / (view.to - view.from)) * place.width, place.y + place.height * share);
}

const facts = (page) => page.locator("#details dl div").evaluateAll((all) => Object.fromEntries(all.map((one) => [one.querySelector("dt").textContent, one.querySelector("dd").textContent])));

await withPage({ viewport: { width: 1280, height: 1400 } }, async (page) => {
    // Runs of a thread, one after the other: those of the events.
    const demo = own("demo");
    await openLogs(page, demo);
    const { threads } = json("threads", demo);
    const thread = threads.filter(({ kind }) => kind === "program").sort((a, b) => b.runs - a.runs)[0];
    const events = lines(demo).filter((event) => event.thread === thread.thread);
    const runs = events.flatMap(({ event, time }, i) => {
        const stop = events.slice(i).find((one) => one.event === "STOP_THREAD");
        return event === "RUN_THREAD" && stop && stop.time > time ? [{ from: time, to: stop.time }] : [];
    });
    assert.ok(runs.length > 20);
    const label = thread.label ?? `thread ${thread.thread}`;
    const first = runs[10];
    const around = (range) => ({ from: range.from - 2 * (range.to - range.from), to: range.to + 2 * (range.to - range.from) });
    await clickAt(page, new RegExp(`^Picture of ${label}(:|$)`), (first.from + first.to) / 2, around(first));
    await chosen(page, first);
    await named(page, thread.label ? `Run of ${label} (thread ${thread.thread}) on cap` : `Run of ${label} on cap`);
    for (const run of runs.slice(11, 15)) {
        await page.keyboard.press(".");
        await chosen(page, run);
        // The view follows.
        await page.waitForFunction(() => !document.querySelector("#chosen").hidden);
    }
    await page.keyboard.press(",");
    await chosen(page, runs[13]);
    const lengths = runs.map(({ from, to }) => to - from);
    const longest = runs[lengths.indexOf(Math.max(...lengths))];
    await page.keyboard.press("l");
    await chosen(page, longest);
    // F selects it, then shows it.
    await page.keyboard.press("f");
    const { select } = await addressWhen(page, "the selection", ({ select }) => select?.length === 2);
    assert.deepEqual(select, [longest.from, longest.to]);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#details").isVisible(), false);

    // A wait: why, and who ended it.
    const wait = { from: runs[10].to, to: runs[11].from };
    const middle = (wait.from + wait.to) / 2;
    await clickAt(page, new RegExp(`^Picture of ${label}(:|$)`), middle, around(wait));
    await page.locator("#details").waitFor();
    await page.waitForFunction((ns) => {
        const { from, to } = document.querySelector("#details").dataset;
        return Number(from) <= ns && Number(to) >= ns;
    }, middle);
    assert.doesNotMatch(await nameOf(page), /^Run of/);
    await page.getByLabel("What led to the wait").waitFor();

    // An idle cap: a column, and what caps did meanwhile.
    const gap = lines(demo, "--event", "GC_END").at(-1).time;
    await clickAt(page, /^Picture of cap 1/, gap + 3e5, { from: gap, to: gap + 6e5 });
    await named(page, /^(Cap 1|Run of)/);
    await page.waitForFunction((ns) => {
        const { from, to } = document.querySelector("#details").dataset;
        return Number(from) <= ns + 5000 && Number(to) >= ns - 5000;
    }, gap + 3e5);
    const range = await page.locator("#details").evaluate(({ dataset }) => ({ from: Number(dataset.from), to: Number(dataset.to) }));
    const { caps } = json("stat", "--from", `${range.from}ns`, "--to", `${range.to}ns`, demo).stat[0];
    await page.locator("#details .meanwhile .shares").nth(caps.length - 1).waitFor();
    for (const [index, cap] of caps.entries()) {
        const share = ((cap.running_ns / cap.present_ns) * 100).toFixed(1);
        assert.match(await page.locator("#details .meanwhile .shares").nth(index).getAttribute("aria-label"), new RegExp(`^cap ${cap.cap} meanwhile: running ${share.replace(".", "\\.")} %`));
    }

    // Spans, and what lies in them.
    const spans = own("spans");
    await openLogs(page, spans);
    const each = json("spans", "--each", spans).spans;
    const outer = each.find((span) => span.label === "outer");
    const whole = { from: outer.start_ns - 1e5, to: outer.end_ns + 1e5 };
    await clickAt(page, /^Picture of thread 5(:|$)/, (outer.start_ns + outer.end_ns) / 2, whole, 0.25);
    await chosen(page, { from: outer.start_ns, to: outer.end_ns });
    await named(page, "Span outer of thread 5");
    const inside = each.filter((span) => span.thread === outer.thread && span !== outer && span.start_ns >= outer.start_ns && span.end_ns !== null && span.end_ns <= outer.end_ns);
    assert.ok(inside.length > 0);
    await page.locator("#details .more p", { hasText: `${inside.length} ${inside.length === 1 ? "span" : "spans"} in it` }).waitFor();
    const [within] = inside;
    await page.locator("#details button.span").first().click();
    await chosen(page, { from: within.start_ns, to: within.end_ns });
    await page.locator("#details .more p", { hasText: "Lies in: outer" }).waitFor();

    // Spans whose labels differ in a number are of one kind, as in the table; at its ends, what there is not is said.
    const numbered = `${work}/numbered.eventlog`;
    let half = 0;
    const bytes = readFileSync(spans, "latin1").replace(/(START|STOP) sum/g, (_text, word) => `${word} q ${Math.floor(half++ / 2) % 10}`);
    writeFileSync(numbered, bytes, "latin1");
    await openLogs(page, numbered);
    const group = json("spans", "--each", numbered).spans.filter(({ label }) => label === "q #").sort((a, b) => a.start_ns - b.start_ns);
    assert.ok(group.length > 10);
    const extent = ({ start_ns: from, end_ns: to }) => ({ from, to });
    const last = extent(group.at(-1));
    await clickAt(page, /^Picture of thread 5(:|$)/, (last.from + last.to) / 2, around(last), 0.75);
    await chosen(page, last);
    for (const [key, text] of [[".", "There is no later one."], [",", ""], [".", ""], [".", "There is no later one."]]) {
        await page.keyboard.press(key);
        await chosen(page, key === "," ? extent(group.at(-2)) : last);
        if (text) await named(page, text);
    }
    await page.keyboard.press("l");
    await chosen(page, extent(group.reduce((a, b) => (b.duration_ns > a.duration_ns ? b : a))));
    const { start_ns: begin } = group[0];
    for (let i = 0; i < group.length && !/no earlier/.test(await nameOf(page)); i++) {
        const before = await page.locator("#details").getAttribute("data-from");
        await page.keyboard.press(",");
        await page.waitForFunction((before) => document.querySelector("#details").dataset.from !== before || /no earlier/.test(document.querySelector("#details-name").textContent), before);
    }
    await named(page, "There is no earlier one.");
    assert.equal(await page.locator("#details").getAttribute("data-from"), String(begin));
    await openLogs(page, spans);

    // Markers and messages.
    const markers = lines(spans, "--event", "USER_MARKER");
    const alone = markers.at(-1);
    await clickAt(page, /^Picture of Markers/, alone.time, { from: alone.time - 1000, to: alone.time + 1000 });
    await chosen(page, { from: alone.time, to: alone.time });
    await named(page, `Marker ${alone.name}`);
    const before = markers.filter(({ time }) => time < alone.time).at(-1);
    await page.keyboard.press(",");
    await chosen(page, { from: before.time, to: before.time });
    assert.equal(await page.locator("#details-select").isDisabled(), true);

    // Collections.
    const heap = own("heap-generations");
    await openLogs(page, heap);
    const { gc } = json("gc", heap);
    const old = gc.filter(({ generation }) => generation === 1);
    const one = old[1];
    await clickAt(page, /^Picture of Gen 1/, one.start_ns + one.pause_ns / 2, { from: one.start_ns - one.pause_ns, to: one.start_ns + 2 * one.pause_ns }, 0.9);
    await chosen(page, { from: one.start_ns, to: one.start_ns + one.pause_ns });
    await page.locator("#details dt", { hasText: "Copied" }).waitFor();
    const found = await facts(page);
    if (one.reason) assert.equal(found.Reason, one.reason);
    assert.equal(found.Threads, String(one.threads));
    await page.keyboard.press("l");
    const most = old.reduce((a, b) => (b.pause_ns > a.pause_ns ? b : a));
    await chosen(page, { from: most.start_ns, to: most.start_ns + most.pause_ns });

    // A band of a heap profile, sample by sample.
    const types = own("heap-types");
    await openLogs(page, types);
    const profile = json("heap", types).sections[0].profiles[0];
    const times = profile.course_ns;
    await clickAt(page, /^Picture of by/, times[2], { from: times[0], to: times.at(-1) }, 0.97);
    await chosen(page, { from: times[2], to: times[2] });
    const name = (await nameOf(page)).split(":")[0];
    await page.keyboard.press(".");
    await chosen(page, { from: times[3], to: times[3] });
    assert.equal((await nameOf(page)).split(":")[0], name);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// Nothing that is chosen begins before the log.
await withPage({}, async (page) => {
    await openLogs(page, own("demo"));
    const [first] = lines(own("demo"));
    await clickAt(page, /^Picture of All caps/, first.time + 10, { from: first.time, to: first.time + 9e6 });
    await named(page, /^All caps at /);
    assert.equal(await page.locator("#details").getAttribute("data-from"), String(first.time));
});

// By keys alone: something is chosen, also in the next row, and its name is spoken.
await withPage({}, async (page) => {
    await openLogs(page, own("demo"));
    await page.locator("#timeline").focus();
    await page.keyboard.press(".");
    await page.locator("#details").waitFor();
    assert.equal(await page.locator("#details-name").getAttribute("aria-live"), "polite");
    const names = new Set();
    for (let i = 0; i < 6; i++) {
        const before = await nameOf(page);
        names.add(before.replace(/ (at|on|of) .*/, "").replace(/\\d+/g, ""));
        await page.keyboard.press("j");
        await page.waitForFunction((text) => document.querySelector("#details-name").textContent !== text, before);
    }
    assert.ok(names.size >= 3, [...names].join("; "));
    // Tab leads to the buttons; the last one closes it.
    await page.locator("#details-close").focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#details").isVisible(), false);
    assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
});

// A report without the log has no single things, and says so where keys ask for one.
const large = `${work}/large.eventlog`;
const report = `${work}/report.html`;
generateLog("--events", "300000", "--caps", "4", "-o", large);
hectic("view", "--force", "-o", report, "--max-size", "1M", large);
await withPage({ url: pathToFileURL(report).href }, async (page) => {
    await page.evaluate(() => window.hectic.ready);
    await page.locator("#timeline").focus();
    await page.keyboard.press(".");
    await page.locator("#details").waitFor();
    await page.keyboard.press("j");
    await named(page, /the report does not hold this|Cap 0/);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

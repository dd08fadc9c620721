// Profiles under the time axis: bands of the heap profile, and the hottest functions of the time profile.
// Their numbers are those of the command.
import assert from "node:assert/strict";
import { generateLog, heapProfile, hectic, openLogs, withPage, work } from "../support/page.mjs";

const json = (...words) => JSON.parse(hectic(...words));
const picture = (page, row) => page.getByRole("img", { name: new RegExp(`^Picture of ${row}(:|$)`) });
const heading = (page, name) => page.getByRole("button", { name, exact: true });
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const noErrors = async (page) => assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);

/** What the page says of a point of a row: `x` and `y` from 0 to 1. */
async function statusAt(page, row, x, y = 0.5) {
    const place = await picture(page, row).boundingBox();
    await page.mouse.move(place.x + place.width * x, place.y + place.height * y);
    await drawn(page);
    return page.locator("#status").textContent();
}
const shareOf = (ns, { from, to }) => (ns - from) / (to - from);
const bytesOf = (text) => {
    const [, number, unit] = /^([\d.,]+) (B|KiB|MiB|GiB)$/.exec(text);
    return Number(number.replaceAll(",", "")) * 1024 ** ["B", "KiB", "MiB", "GiB"].indexOf(unit);
};
const isNear = (a, b) => Math.abs(a - b) <= 0.006 * Math.max(a, b);
const extentOf = (log) => {
    const { from_ns: from, to_ns: to } = json("stat", "--jsonl", log);
    return { from, to };
};

/** Points at the thick bands of samples, and compares what is said with the profile of the command. `height`:
 *  of the picture; its uppermost 3 pixels are above the axis. */
async function compareBands(page, row, { course_ns: times, course_bytes: totals, bands }, samples, view) {
    const height = 110;
    const ordered = [...bands].sort((a, b) => b.mean_bytes - a.mean_bytes).slice(0, 15);
    const most = Math.max(...totals);
    const power = 2 ** Math.floor(Math.log2(most));
    const top = [1, 1.25, 1.5, 1.75, 2].map((factor) => factor * power).find((round) => round >= most);
    let compared = 0;
    for (const at of samples) {
        let below = 0;
        for (const { label, course_bytes: sizes } of ordered) {
            const middle = (below + sizes[at] / 2) / top;
            below += sizes[at];
            if ((sizes[at] / top) * height < 8) continue;
            const status = await statusAt(page, row, shareOf(times[at], view), 1 - middle * ((height - 3) / height));
            const facts = status.split(" · ");
            assert.equal(facts[2], label, status);
            const [, size, share] = /^(.*) \((.*) %\)$/.exec(facts[3]);
            assert.ok(isNear(bytesOf(size), sizes[at]), `${status}: not ${sizes[at]}`);
            assert.ok(Math.abs(Number(share) - (100 * sizes[at]) / totals[at]) < 0.06, status);
            assert.ok(isNear(bytesOf(facts[4].replace("all ", "")), totals[at]), `${status}: not ${totals[at]}`);
            compared++;
        }
    }
    return compared;
}

// Bands
await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    const log = "tests/logs/heap-types.eventlog";
    await openLogs(page, log);
    await heading(page, "Heap profile").waitFor();
    await picture(page, "by closure type").waitFor();
    assert.equal(await heading(page, "Time profile").count(), 0);
    const profile = heapProfile("--bands", "1000", log);
    // The first and the last sample are edges of the picture.
    assert.ok((await compareBands(page, "by closure type", profile, [1, 2], extentOf(log))) >= 4);
    assert.match(await statusAt(page, "by closure type", 0.05), / · by closure type · no sample here$/);
    // Between two samples, those at both sides are drawn.
    const [from, to] = [profile.course_ns[1] + 1e6, profile.course_ns[2] - 1e6];
    await page.evaluate((view) => window.hectic.view(view), { from, to });
    assert.match(await statusAt(page, "by closure type", 0.5, 0.95), / · ghc-prim:GHC\.Types\.: · [\d.]+ MiB \([\d.]+ %\) · all [\d.]+ MiB · sample /);
    await noErrors(page);
});

// Many samples: the whole run has their means, a part of it each of them. The order of bands, and with it
// their colors, is that of the whole run.
await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    const log = `${work}/profiles.eventlog`;
    generateLog("--size", "3M", "--mix", "threads=10,heap-profile=20", "--bands", "12", "-o", log);
    await openLogs(page, log);
    await picture(page, "by type").waitFor();
    const profile = (...words) => heapProfile("--bands", "1000", ...words, log);
    const whole = profile();
    assert.ok(whole.samples > 1024, String(whole.samples));
    assert.match(await statusAt(page, "by type", 0.5, 0.99), / · mean of \d+ samples$/);
    const at = Math.floor(whole.course_ns.length / 2);
    const view = { from: whole.course_ns[at] - 1, to: whole.course_ns[at + 1] + 1 };
    const part = profile("--from", `${view.from}ns`, "--to", `${view.to}ns`);
    assert.equal(part.samples_per_point, 1);
    await page.evaluate((view) => window.hectic.view(view), view);
    const deadline = Date.now() + 30000;
    while (!/ · sample /.test(await statusAt(page, "by type", 0.5, 0.99))) assert.ok(Date.now() < deadline, "no samples of the part");
    const means = new Map(whole.bands.map(({ label, mean_bytes }) => [label, mean_bytes]));
    const bands = part.bands.map((band) => ({ ...band, mean_bytes: means.get(band.label) }));
    const samples = [...part.course_ns.keys()].slice(1, -1);
    const compared = await compareBands(page, "by type", { ...part, bands }, samples, view);
    assert.ok(samples.length > 0 && compared >= samples.length, `${compared} of ${samples.length}`);
    await noErrors(page);
});

// The hottest functions
await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    const log = "tests/logs/time-profile.eventlog";
    await openLogs(page, log);
    await picture(page, "weigh").waitFor();
    assert.equal(await heading(page, "Heap profile").count(), 0);
    const { all, frames } = json("prof", "--json", log).profiles[0];
    const hot = frames.filter(({ own_ticks }) => own_ticks > 0).sort((a, b) => b.own_ticks - a.own_ticks);
    assert.deepEqual(
        await page.locator("#rows .name > span:first-child").evaluateAll((names, wanted) => names.map(({ textContent }) => textContent).filter((name) => wanted.includes(name)), hot.map(({ label }) => label)),
        hot.map(({ label }) => label),
    );
    for (const { label, own_ticks, own_share } of hot) {
        assert.equal(own_share, own_ticks / all.own_samples);
        const share = `${(100 * own_share).toFixed(1)} %`;
        await page.getByRole("img", { name: `Picture of ${label}: ${share}` }).waitFor();
    }
    // Before each sample is the function that it found; none, if it found the runtime.
    const samples = hectic("show", "--json", log).split("\n").filter((line) => line.includes('"PROF_SAMPLE_COST_CENTRE"')).map((line) => JSON.parse(line).time);
    const found = new Map(hot.map(({ label }) => [label, 0]));
    const whole = extentOf(log);
    for (const { label, module, location } of hot) {
        for (const time of samples) {
            const status = await statusAt(page, label, shareOf(time - 500000, whole));
            assert.ok(status.includes(` · ${label} · ${module} · ${location} · `), status);
            if (/ · 100\.0 % of the program's time · 1 tick$/.test(status)) found.set(label, found.get(label) + 1);
            else assert.match(status, / · (no samples of the program here|0\.0 % of the program's time · 0 ticks)$/);
        }
    }
    assert.deepEqual([...found.values()], hot.map(({ own_ticks }) => own_ticks));
    await noErrors(page);
});

// Logs without profiles have no such rows.
await withPage({}, async (page) => {
    await openLogs(page, "tests/logs/demo.eventlog");
    await picture(page, "Markers").waitFor();
    for (const name of ["Heap profile", "Time profile"]) assert.equal(await heading(page, name).count(), 0);
});
console.log("profile_rows");

// Measures the page with each log that is named: see bench/view.
import { readdirSync, readFileSync } from "node:fs";
import { closeBrowser, openLogs, withPage, withServer } from "../tests/support/page.mjs";

const repeats = Number(process.env.REPEATS ?? 3);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

const statusOf = (pid) => readFileSync(`/proc/${pid}/status`, "utf8");
const numberIn = (status, key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)[1]);

/** Was it started from here? */
function isOwn(pid) {
    while (pid > 1 && pid !== process.pid) pid = numberIn(statusOf(pid), "PPid");
    return pid === process.pid;
}

/** MB: the largest memory that a process of a tab has had. */
function tabMemory() {
    const peaks = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map((name) => {
            try {
                const isTab = readFileSync(`/proc/${name}/cmdline`, "utf8").includes("--type=renderer");
                return isTab && isOwn(Number(name)) ? numberIn(statusOf(name), "VmHWM") / 1024 : 0;
            } catch {
                return 0; // It has ended.
            }
        });
    return Math.max(0, ...peaks);
}

/** ms of the frames in which the view moves, from the first script of a frame to the end of its painting:
 *  [50 %, 95 %]. The wheel turns by a step before each frame: into a two-hundredth of the run, to the right,
 *  out of it, and so on; so each frame draws all rows in sight. No other frames are counted. */
async function frames(page) {
    const all = await page.evaluate(async () => {
        const stage = document.getElementById("stage");
        const { left, width, bottom } = document.getElementById("axis").getBoundingClientRect();
        const at = { clientX: left + width * 0.4, clientY: bottom + 40, bubbles: true, cancelable: true };
        const turn = ([deltaY, shiftKey]) => stage.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY, shiftKey }));
        const steps = [[-40, false], [25, true], [40, false], [-20, false], [-25, true], [20, false]];
        const perStep = 60;
        // The page's callback may come before that of the measurement.
        const request = window.requestAnimationFrame;
        let frame = 0;
        let begun = 0;
        window.requestAnimationFrame = (callback) =>
            request.call(window, (now) => {
                if (now !== frame) [frame, begun] = [now, performance.now()];
                callback(now);
            });
        const painted = new MessageChannel();
        const times = [];
        for (let i = 0; i < steps.length * perStep; i++) {
            turn(steps[Math.floor(i / perStep)]);
            await new Promise((resolve) => {
                painted.port1.onmessage = resolve;
                requestAnimationFrame(() => painted.port2.postMessage(null));
            });
            times.push(performance.now() - begun);
        }
        window.requestAnimationFrame = request;
        return times;
    });
    all.sort((a, b) => a - b);
    return [0.5, 0.95].map((part) => all[Math.floor(all.length * part)]);
}

/** ms until the picture of a thousandth of the run is sharp. */
const detail = (page, at) =>
    page.evaluate(async (at) => {
        const { from, to } = await window.hectic.select({ from: 0, to: 2 ** 52 }).then((stat) => {
            const one = Array.isArray(stat) ? stat[0] : stat;
            return { from: one.from_ns, to: one.to_ns };
        });
        const begin = from + (to - from) * at;
        const begun = performance.now();
        await window.hectic.view({ from: begin, to: begin + (to - from) / 1000 });
        return performance.now() - begun;
    }, at);

/** ms until the numbers of a part of the run are there. */
const numbers = (page, from, to) =>
    page.evaluate(
        async ([from, to]) => {
            const stat = await window.hectic.select({ from: 0, to: 2 ** 52 });
            const end = (Array.isArray(stat) ? stat[0] : stat).to_ns;
            const begun = performance.now();
            await window.hectic.select({ from: end * from, to: end * to });
            return performance.now() - begun;
        },
        [from, to],
    );

/** ms until the table of all threads is there. */
async function threads(page) {
    await page.evaluate(() => window.hectic.select({ from: 0, to: 2 ** 52 }).then(() => window.hectic.idle()));
    const begun = performance.now();
    await page.locator("#tab-threads").click();
    await page.locator("#pane[data-pane=threads][aria-busy=false]").waitFor({ timeout: 120000 });
    return performance.now() - begun;
}

for (const log of process.argv.slice(2)) {
    const results = new Map();
    const add = (name, value) => results.set(name, [...(results.get(name) ?? []), value]);
    for (let i = 0; i < repeats; i++) {
        const measure = async (page, when, at) => {
            add(`detail ${when}, ms`, await detail(page, at));
            add(`numbers of 70 % ${when}, ms`, await numbers(page, at / 3, at / 3 + 0.7));
            add(`numbers of 1 % ${when}, ms`, await numbers(page, at, at + 0.01));
            const [half, most] = await frames(page);
            add(`frame ${when} (50 %), ms`, half);
            add(`frame ${when} (95 %), ms`, most);
        };
        await withPage({}, async (page) => {
            await openLogs(page, log);
            const { firstPicture, overview } = await page.evaluate(() => window.hectic.timings);
            const opened = performance.now();
            add("first picture, ms", firstPicture);
            add("whole overview, ms", overview);
            add("tab at the overview, MB", tabMemory());
            await page.evaluate(() => window.hectic.idle());
            add("all rows, ms after the overview", performance.now() - opened);
            add("tab with all rows, MB", tabMemory());
            await measure(page, "at rest", 0.61);
            add("table of all threads, ms", await threads(page));
            add("tab with that table, MB", tabMemory());
        });
        await closeBrowser();
        await withPage({}, async (page) => {
            await openLogs(page, log);
            await measure(page, "while rows are made", 0.37);
        });
        await withServer([log], (url) =>
            withPage({ url }, async (page) => {
                await page.evaluate(() => window.hectic.ready);
                const opened = performance.now();
                await page.evaluate(() => window.hectic.idle());
                add("served: all rows, ms after the overview", performance.now() - opened);
                add("served: table of all threads, ms", await threads(page));
            }),
        );
        await closeBrowser();
    }
    console.log(log.replace(/.*\//, ""));
    for (const [name, values] of results) {
        console.log(`  ${name.padEnd(50)} ${median(values).toFixed(name.includes("frame") ? 1 : 0).padStart(7)}`);
    }
}

// Measures the page with each log that is named: see bench/view.
import { readdirSync, readFileSync } from "node:fs";
import { openLogs, withPage } from "../tests/support/page.mjs";

const repeats = Number(process.env.REPEATS ?? 3);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** MB: the largest memory that a process of a tab has had. */
function tabMemory() {
    const peaks = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map((name) => {
            try {
                const isTab = readFileSync(`/proc/${name}/cmdline`, "utf8").includes("--type=renderer");
                return isTab ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${name}/status`, "utf8"))[1]) / 1024 : 0;
            } catch {
                return 0; // It has ended.
            }
        });
    return Math.max(0, ...peaks);
}

/** ms of each frame, from its first script to the end of its painting, while keys move and zoom. */
async function frames(page) {
    await page.evaluate(() => {
        window.frames = [];
        const channel = new MessageChannel();
        let begun = 0;
        channel.port1.onmessage = () => window.frames.push(performance.now() - begun);
        const tick = () => {
            begun = performance.now();
            channel.port2.postMessage(null);
            if (window.frames.length < 240) requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    });
    for (const key of "wwwwwwddddddssssaaaawwwwddddssssss") await page.keyboard.press(key);
    await page.waitForFunction(() => window.frames.length >= 240);
    const all = await page.evaluate(() => window.frames);
    return all.sort((a, b) => a - b)[Math.floor(all.length * 0.95)];
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

for (const log of process.argv.slice(2)) {
    const results = { "first picture, ms": [], "whole overview, ms": [], "tab, MB": [], "frame (95 %), ms": [] };
    results["detail after a zoom, ms"] = [];
    results["numbers of 70 %, ms"] = [];
    results["numbers of 1 %, ms"] = [];
    for (let i = 0; i < repeats; i++) {
        await withPage({}, async (page) => {
            await openLogs(page, log);
            const { firstPicture, overview } = await page.evaluate(() => window.hectic.timings);
            results["first picture, ms"].push(firstPicture);
            results["whole overview, ms"].push(overview);
            results["tab, MB"].push(tabMemory());
            results["frame (95 %), ms"].push(await frames(page));
            results["detail after a zoom, ms"].push(await detail(page, 0.37));
            results["numbers of 70 %, ms"].push(await numbers(page, 0.123, 0.823));
            results["numbers of 1 %, ms"].push(await numbers(page, 0.45, 0.46));
        });
    }
    console.log(log.replace(/.*\//, ""));
    for (const [name, values] of Object.entries(results)) {
        console.log(`  ${name.padEnd(28)} ${median(values).toFixed(name.includes("frame") ? 1 : 0).padStart(7)}`);
    }
}

// The page looks as in tests/view/pictures, which has a picture of each view, at half its size. Fonts
// differ between machines: texts of rows are drawn as bars, and others are not seen. To make the pictures
// anew, and look at them:
//
//     UPDATE=1 HECTIC_BUILD=build HECTIC=build/hectic tests/view/run tests/view/looks.mjs
//
// Where a picture differs, it is written to build/pictures, with the difference.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { generateLog, openLogs, withPage, work } from "../support/page.mjs";

const require = createRequire(`${process.env.HECTIC_MODULES}/view/package.json`);
let PNG, pixelmatch;
try {
    ({ PNG } = require("pngjs"));
    ({ default: pixelmatch } = await import(pathToFileURL(require.resolve("pixelmatch")).href));
} catch {
    console.log("SKIPPED: needs pixelmatch and pngjs (scripts/install-deps test)");
    process.exit(77);
}
const directory = "tests/view/pictures";
const found = `${process.env.HECTIC_BUILD}/pictures`;
/** Of the pixels. */
const tolerance = 0.004;

/** In the page: no text depends on a font. */
function barsForTexts() {
    const pen = CanvasRenderingContext2D.prototype;
    const sizeOf = (font) => parseFloat(/([\d.]+)px/.exec(font)?.[1] ?? "10");
    pen.measureText = function (text) {
        return { width: text.length * sizeOf(this.font) * 0.55 };
    };
    pen.fillText = function (text, x, y) {
        const size = sizeOf(this.font);
        const { width } = this.measureText(text);
        const left = { center: x - width / 2, right: x - width, end: x - width }[this.textAlign] ?? x;
        const top = { top: y + size * 0.15, middle: y - size * 0.35 }[this.textBaseline] ?? y - size * 0.7;
        this.fillRect(Math.round(left), Math.round(top), Math.round(width), Math.round(size * 0.7));
    };
    addEventListener("DOMContentLoaded", () => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(`
            *, ::placeholder { color: transparent !important; caret-color: transparent !important; }
            #tabs { flex-wrap: nowrap !important; overflow: hidden; }
            #tabs button { flex: 0 0 38px; overflow: hidden; }
            .legend { height: 90px; overflow: hidden; }`);
        document.adoptedStyleSheets = [sheet];
    });
}

const busy = `${work}/busy.eventlog`;
generateLog("--size", "300k", "--caps", "4", "--threads", "12", "-o", busy);
const dropped = `${work}/dropped.eventlog`;
execFileSync("python3", ["tests/support/dropped_log.py", dropped]);
const logs = "tests/logs";

const select = (from, to) => (page) => page.evaluate((range) => window.hectic.select(range), { from, to });
const view = (from, to) => (page) => page.evaluate((range) => window.hectic.view(range).then(() => window.hectic.idle()), { from, to });
const press = (key) => (page) => page.keyboard.press(key);
const click = (selector) => (page) => page.click(selector);
const pane = (name) => click(`#tab-${name}`);
const dark = { colorScheme: "dark" };
const small = { viewport: { width: 800, height: 600 } };

const views = {
    "welcome": { log: [] },
    "demo": { log: [`${logs}/demo.eventlog`] },
    "demo-dark": { log: [`${logs}/demo.eventlog`], options: dark },
    "selection": { log: [`${logs}/demo.eventlog`], steps: [select(4e6, 9e6)] },
    "threads-zoomed": { log: [`${logs}/threads.eventlog`], steps: [view(2e6, 6e6)] },
    "busy": { log: [busy] },
    "dropped": { log: [dropped] },
    "busy-events": { log: [busy], steps: [view(3e6, 3.02e6)] },
    "two-logs-small": { log: [`${logs}/demo.eventlog`, `${logs}/threads.eventlog`], options: small },
    "help-dark": { log: [`${logs}/demo.eventlog`], options: dark, steps: [press("?")] },
    "heap-bands": { log: [`${logs}/heap-types.eventlog`], steps: [pane("heap")] },
    "flame-graph-dark": { log: [`${logs}/time-profile.eventlog`], options: dark, steps: [pane("flame")] },
    "statistics": { log: [`${logs}/demo.eventlog`], steps: [pane("stat")] },
    "details-dark": { log: [`${logs}/spans.eventlog`], options: dark, steps: [press("j"), press("j")] },
    "export-menu": { log: [`${logs}/sparks.eventlog`], steps: [press("e")] },
};

/** Waits until pictures and pane are there. */
async function settle(page) {
    await page.waitForFunction(() => {
        const pane = document.getElementById("pane");
        return document.body.classList.contains("empty") || (pane.dataset.pane && pane.getAttribute("aria-busy") === "false");
    });
    // What changes last: labels and curves, which are drawn after the columns.
    let before;
    for (;;) {
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        const now = await page.screenshot();
        if (before?.equals(now)) return;
        before = now;
        await page.waitForTimeout(250);
    }
}

/** Half the size: the mean of four pixels, of 32 levels, which makes small files. */
function halved(content) {
    const { width, height, data } = PNG.sync.read(content);
    const made = new PNG({ width: width >> 1, height: height >> 1 });
    for (let y = 0; y < made.height; y++) {
        for (let x = 0; x < made.width; x++) {
            for (let part = 0; part < 4; part++) {
                const at = (2 * y * width + 2 * x) * 4 + part;
                const sum = data[at] + data[at + 4] + data[at + width * 4] + data[at + width * 4 + 4];
                made.data[(y * made.width + x) * 4 + part] = part < 3 ? (Math.round(sum / 4) & 0xf8) | 4 : 255;
            }
        }
    }
    return made;
}

/** The share of pixels that differ; 1: of another size. */
function difference(a, b, shown) {
    if (a.width !== b.width || a.height !== b.height) return 1;
    const count = pixelmatch(a.data, b.data, shown?.data, a.width, a.height, { threshold: 0.1 });
    return count / (a.width * a.height);
}

const failures = [];
for (const [name, { log, options = {}, steps = [] }] of Object.entries(views)) {
    await withPage({ prepare: barsForTexts, reducedMotion: "reduce", ...options }, async (page) => {
        if (log.length > 0) await openLogs(page, ...log);
        await settle(page);
        for (const step of steps) await step(page);
        await page.mouse.move(0, 0);
        await settle(page);
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), [], name);
        const now = halved(await page.screenshot());
        const file = `${directory}/${name}.png`;
        if (process.env.UPDATE) {
            mkdirSync(directory, { recursive: true });
            writeFileSync(file, PNG.sync.write(now, { colorType: 2, deflateLevel: 9, filterType: 4 }));
            return;
        }
        if (!existsSync(file)) {
            failures.push(`${name}: there is no ${file}`);
            return;
        }
        const reference = PNG.sync.read(readFileSync(file));
        const shown = new PNG({ width: now.width, height: now.height });
        const share = difference(reference, now, shown);
        console.log(`${name}: ${(share * 100).toFixed(2)} %`);
        if (share > tolerance) {
            mkdirSync(found, { recursive: true });
            writeFileSync(`${found}/${name}.png`, PNG.sync.write(now));
            writeFileSync(`${found}/${name}-difference.png`, PNG.sync.write(shown));
            failures.push(`${name}: ${(share * 100).toFixed(1)} % of the pixels differ: ${found}/${name}-difference.png`);
        }
        if (name !== "demo") return;
        // The comparison notices a row that is missing, or of another color.
        for (const style of ["#rows .line:nth-of-type(4) canvas { visibility: hidden; }", ":root { --running: #4ad990; }"]) {
            await page.evaluate((text) => {
                const sheet = new CSSStyleSheet();
                sheet.replaceSync(text);
                document.adoptedStyleSheets = [...document.adoptedStyleSheets.slice(0, 1), sheet];
            }, style);
            await page.keyboard.press("t");
            await page.keyboard.press("t");
            await settle(page);
            const broken = difference(reference, halved(await page.screenshot()));
            assert.ok(broken > tolerance, `${style} is not noticed: ${broken}`);
        }
    });
}
assert.deepEqual(failures, []);

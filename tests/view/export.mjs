// Pictures and tables are saved as files, by the menu and by keys: PNG and SVG show what the page shows, and
// CSV has the numbers of the tables.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { openLogs, withPage } from "../support/page.mjs";

async function saved(page, action) {
    const [download] = await Promise.all([page.waitForEvent("download"), action()]);
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

const fromMenu = (page, name) =>
    saved(page, async () => {
        await page.keyboard.press("e");
        await page.getByRole("button", { name, exact: true }).click();
    });

/** How many pixels of a picture have each color, of a place that is given as shares of it. */
const colorsIn = (page, type, content, place) =>
    page.evaluate(
        async ([type, text, place]) => {
            const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
            const image = new Image();
            image.src = URL.createObjectURL(new Blob([bytes], { type }));
            await image.decode();
            const canvas = document.createElement("canvas");
            canvas.width = image.naturalWidth;
            canvas.height = image.naturalHeight;
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const [x, y, width, height] = place.map((share, index) => Math.round(share * (index % 2 ? canvas.height : canvas.width)));
            const { data } = context.getImageData(x, y, width, height);
            const colors = {};
            for (let i = 0; i < data.length; i += 4) {
                const name = [data[i], data[i + 1], data[i + 2]].map((part) => part.toString(16).padStart(2, "0")).join("");
                colors[name] = (colors[name] ?? 0) + 4 / data.length;
            }
            return { colors, width: canvas.width, height: canvas.height };
        },
        [type, content.toString("base64"), place],
    );

await withPage({}, async (page) => {
    // Nothing is open: the keys do nothing.
    await page.keyboard.press("e");
    assert.equal(await page.locator("dialog[open]").count(), 0);

    await openLogs(page, "tests/logs/demo.eventlog");
    await page.click("#tab-stat");
    await page.locator("#pane table").first().waitFor();
    const shown = await page.evaluate(() => {
        const canvas = document.querySelector("#rows canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let running = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i] === 0x4a && data[i + 1] === 0x90) running += 4 / data.length;
        return { running, width: canvas.clientWidth, rows: document.querySelectorAll("#rows .line canvas").length };
    });
    assert.ok(shown.running > 0.2, String(shown.running));

    const png = await saved(page, () => page.keyboard.press("Shift+E"));
    assert.equal(png.name, "demo.eventlog-timeline.png");
    assert.equal(png.content.subarray(1, 4).toString(), "PNG");
    const svg = await fromMenu(page, "Timeline in view as SVG");
    assert.equal(svg.name, "demo.eventlog-timeline.svg");
    const size = /width="([\d.]+)" height="([\d.]+)"/.exec(svg.content.toString()).slice(1).map(Number);
    assert.ok(Math.abs(size[0] - 162 - shown.width) < 1, size.join());
    // The row of all caps: its share of running, in all three.
    const row = [150 / size[0], 60 / size[1], (size[0] - 162) / size[0], 56 / size[1]];
    for (const [type, { content }] of [["image/png", png], ["image/svg+xml", svg]]) {
        const { colors } = await colorsIn(page, type, content, row);
        const found = colors["4a90d9"] ?? 0;
        assert.ok(Math.abs(found - shown.running) < 0.02, `${type}: ${found}, on the page ${shown.running}`);
    }
    // Texts are texts, and everything is one well-formed document without scripts.
    const parsed = await page.evaluate((text) => {
        const made = new DOMParser().parseFromString(text, "image/svg+xml");
        return {
            errors: made.querySelectorAll("parsererror").length,
            texts: [...made.querySelectorAll("text")].map((item) => item.textContent),
            scripts: made.querySelectorAll("script, foreignObject, [onload]").length,
        };
    }, svg.content.toString());
    assert.equal(parsed.errors, 0);
    assert.equal(parsed.scripts, 0);
    for (const text of ["./demo", "All caps", "cap 0", "cap 1", "Allocation", "10 ms", "running", "idle"]) {
        assert.ok(parsed.texts.includes(text), `${text}: not in ${parsed.texts}`);
    }

    const csv = await fromMenu(page, "Caps as CSV");
    assert.equal(csv.name, "demo.eventlog-caps.csv");
    const lines = csv.content.toString().split("\r\n");
    assert.equal(lines[0], ",running,GC,wait,idle,allocated");
    assert.match(lines[1], /^cap 0,28\.3 %,/);
    assert.equal(lines.length, 4);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// In the dark, with a selection: the colors are those of the page.
await withPage({ colorScheme: "dark" }, async (page) => {
    await openLogs(page, "tests/logs/demo.eventlog");
    await page.evaluate(() => window.hectic.select({ from: 5e6, to: 9e6 }));
    const { content } = await saved(page, () => page.keyboard.press("Shift+E"));
    const { colors } = await colorsIn(page, "image/png", content, [0, 0, 1, 1]);
    assert.ok(colors["0f1318"] > 0.3 && !("ffffff" in colors && colors.ffffff > 0.01), JSON.stringify(Object.entries(colors).slice(0, 9)));
});

// Keys, wheel, drag and the address move the view and the selection.
import assert from "node:assert/strict";
import { address, addressWhen, openLogs, withPage } from "../support/page.mjs";

const log = "tests/logs/demo.eventlog";
const length = ([from, to]) => to - from;
const middle = ([from, to]) => (from + to) / 2;

await withPage({}, async (page) => {
    await openLogs(page, log);
    const plot = await page.locator("#rows canvas").nth(1).boundingBox();
    const at = (share) => [plot.x + plot.width * share, plot.y + plot.height / 2];
    const press = async (...keys) => {
        for (const key of keys) await page.keyboard.press(key);
    };
    const viewWhen = async (what, accepts) => (await addressWhen(page, what, ({ view }) => view && accepts(view))).view;
    const wholeAgain = (what) => addressWhen(page, what, ({ view }) => !view);

    assert.deepEqual(await address(page), {});
    await press("w", "w", "w");
    const zoomed = await viewWhen("W", () => true);
    await press("d");
    const right = await viewWhen("D", (view) => view[0] > zoomed[0]);
    assert.ok(Math.abs(length(right) - length(zoomed)) <= 1);
    await press("ArrowLeft");
    await viewWhen("left", (view) => Math.abs(view[0] - zoomed[0]) <= 2);
    await press("s");
    await viewWhen("S", (view) => length(view) > length(zoomed));
    await press("f");
    await wholeAgain("F");
    // One step for each kind of key: W W W, D, left, S, F.
    await press("u", "u", "u");
    await viewWhen("U", (view) => Math.abs(view[0] - right[0]) <= 2);
    await press("u", "u");
    await wholeAgain("U to the beginning");
    assert.equal(await page.locator("#undo").isDisabled(), true);
    await press("Shift+U");
    await viewWhen("Shift+U", (view) => Math.abs(view[0] - zoomed[0]) <= 2);
    await press("f");
    await wholeAgain("F");

    // A selection by drag; F shows it, and again the whole run; Escape clears it.
    await page.mouse.move(...at(0.25));
    await page.mouse.down();
    await page.mouse.move(...at(0.5), { steps: 5 });
    await page.mouse.up();
    const { select } = await addressWhen(page, "drag", (found) => found.select);
    await press("f");
    const shown = await viewWhen("F", (view) => Math.abs(length(view) - length(select)) <= 2);
    assert.ok(Math.abs(shown[0] - select[0]) <= 2);
    await press("f");
    await wholeAgain("F again");
    await press("Shift+ArrowRight");
    await addressWhen(page, "Shift+right", (found) => length(found.select) > length(select));
    await press("Escape");
    await addressWhen(page, "Escape", (found) => !found.select);
    await press("Shift+ArrowRight", "Shift+ArrowRight");
    await addressWhen(page, "selection by keys", (found) => found.select);
    await page.mouse.click(...at(0.9));
    await addressWhen(page, "click", (found) => !found.select);

    // The wheel keeps the time under the pointer.
    const hovered = () => page.locator("#status").textContent();
    await page.mouse.move(...at(0.7));
    const before = parseFloat(await hovered());
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -120);
    const wheeled = await viewWhen("wheel", (view) => length(view) < length(select) / 2);
    await page.waitForFunction((text) => document.querySelector("#status").textContent !== text, "");
    const after = wheeled[0] + 0.7 * length(wheeled);
    assert.ok(Math.abs(before * 1e6 - after) < length(wheeled) * 0.2, `${before} ms, ${after} ns`);

    // Shift and a drag move the view; so does the map of the whole run.
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(...at(0.9), { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await viewWhen("Shift+drag", (view) => Math.abs(view[0] + 0.2 * length(view) - wheeled[0]) < length(view) / 100);
    const map = await page.locator("#minimap").boundingBox();
    await page.mouse.click(map.x + map.width * 0.2, map.y + map.height / 2);
    await viewWhen("map", (view) => middle(view) < 0.25 * 2.1e7 && middle(view) > 0.15 * 2.1e7);

    // Help has all keys, and takes them while it is open.
    await press("?");
    await page.getByRole("dialog").waitFor();
    assert.ok((await page.getByRole("dialog").getByRole("row").count()) > 20);
    const still = await address(page);
    await press("w");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.waitForTimeout(500);
    assert.deepEqual(await address(page), still);

    // The address reproduces the view; the deepest zoom is one of some ns.
    await page.evaluate(() => window.hectic.view({ from: 6000000, to: 7000000 }).then(() => window.hectic.idle()));
    await page.evaluate(() => window.hectic.select({ from: 6200000, to: 6300000 }));
    const kept = await addressWhen(page, "select()", (found) => found.select?.[0] === 6200000 && found.view?.[0] === 6000000);
    await page.reload();
    await openLogs(page, log);
    assert.deepEqual(await addressWhen(page, "reload", (found) => found.view), kept);
    for (let i = 0; i < 60; i++) await press("w");
    await viewWhen("deepest", (view) => length(view) <= 22);
    await page.evaluate(() => window.hectic.view({ from: 0, to: 1e15 }).then(() => window.hectic.idle()));
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// By keyboard alone: every control can be reached, and has a name.
await withPage({}, async (page) => {
    await openLogs(page, log);
    const reached = [];
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        const name = await page.evaluate(() => {
            const element = document.activeElement;
            if (!element || element === document.body) return "";
            const titles = element.getAttribute("aria-labelledby");
            if (titles) return `${element.role}: ${document.getElementById(titles).textContent}`;
            return element.getAttribute("aria-label") ?? element.textContent.trim();
        });
        if (!name || reached.includes(name)) break;
        reached.push(name);
    }
    const header = ["Open eventlogs", "Zoom out", "Zoom in", "Fit", "Search", "Rows", "Export", "Light or dark", "Help", "Timeline"];
    const rows = ["Caps", "Collections", "Heap", "Messages", "Sparks", "Threads", "Filter threads by label or number", "Order of threads"];
    const pane = ["Findings", "tabpanel: Findings"];
    for (const names of [header, rows, pane]) {
        const first = reached.indexOf(names[0]);
        assert.deepEqual(reached.slice(first, first + names.length), names, String(reached));
    }
    assert.equal(reached[0], header[0]);
});

// Two fingers zoom where they are, one moves.
await withPage({ hasTouch: true }, async (page) => {
    await openLogs(page, log);
    const plot = await page.locator("#rows canvas").nth(1).boundingBox();
    const devtools = await page.context().newCDPSession(page);
    const touch = (type, ...shares) =>
        devtools.send("Input.dispatchTouchEvent", {
            type,
            touchPoints: shares.map((share, id) => ({ x: plot.x + plot.width * share, y: plot.y + 10, id })),
        });
    await touch("touchStart", 0.4, 0.6);
    for (let i = 1; i <= 5; i++) await touch("touchMove", 0.4 - 0.04 * i, 0.6 + 0.04 * i);
    await touch("touchEnd");
    const { view } = await addressWhen(page, "pinch", (found) => found.view);
    assert.ok(length(view) < 0.45 * 2.05e7 && length(view) > 0.25 * 2.05e7, String(view));
    assert.ok(Math.abs(middle(view) - 1.05e7) < 1e6, String(view));
    await touch("touchStart", 0.5);
    for (let i = 1; i <= 5; i++) await touch("touchMove", 0.5 + 0.05 * i);
    await touch("touchEnd");
    await addressWhen(page, "one finger", (found) => Math.abs(found.view[0] + 0.25 * length(view) - view[0]) < 0.03 * length(view));
});

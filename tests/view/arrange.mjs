// Groups of rows are hidden, shown and moved, by keys too; rows are pinned. The address has it, and the browser
// remembers the groups. Groups for which a log has nothing share one line.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { openLogs, withPage } from "../support/page.mjs";

const log = "tests/logs/spans.eventlog";
const headings = (page) => page.locator("#rows h3").allTextContents();
const settled = (page) => page.evaluate(() => window.hectic.idle());
const rows = (page) => page.locator("#rows .line:not(.heading) .name > span:first-child").allTextContents();
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));

async function until(page, what, accepts) {
    for (const deadline = Date.now() + 10000; ; await page.waitForTimeout(50)) {
        const found = await what(page);
        if (accepts(found)) return found;
        assert.ok(Date.now() < deadline, JSON.stringify(found));
    }
}

await withPage({ viewport: { width: 1280, height: 1400 } }, async (page) => {
    await openLogs(page, log);
    await settled(page);
    const first = ["Caps", "Collections", "Heap", "User spans", "Messages", "Threads", "Runtime's threads", "Not in this log"];
    await until(page, headings, (found) => found.join() === first.join());
    assert.equal(await page.locator(".lacking .lack").allTextContents().then(String), "Sparks");
    assert.match(await page.locator(".lacking .unseen").textContent(), /^Sparks: The program created no sparks\.$/);

    // By keys: a group is moved and another one hidden.
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Rows" });
    await dialog.getByRole("button", { name: "Move Messages up" }).focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Move Messages up");
    await dialog.getByRole("checkbox", { name: "Heap", exact: true }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Escape");
    const moved = await until(page, headings, (found) => !found.includes("Heap"));
    assert.ok(moved.indexOf("Messages") < moved.indexOf("User spans"), String(moved));

    // A row is pinned by the button at its name, and by keys where something in it is chosen.
    await page.locator("#rows .line", { hasText: "Markers" }).hover();
    await page.locator("#rows .line", { hasText: "Markers" }).getByText("Pin", { exact: true }).click();
    await until(page, headings, (found) => found[0] === "Pinned");
    assert.equal((await rows(page)).filter((name) => name === "Markers").length, 2);
    await page.locator("#timeline").focus();
    await page.locator("#timeline").evaluate((element) => (element.scrollTop = 0));
    for (let i = 0; i < 30 && !/^Run of/.test(await page.locator("#details-name").textContent()); i++) {
        const before = await page.locator("#details-name").textContent();
        await page.keyboard.press("j");
        await page.waitForFunction((text) => document.querySelector("#details-name").textContent !== text, before);
    }
    await page.keyboard.press("Shift+P");
    const address = await until(page, hash, (found) => /pin=messages\/markers&pin=\w+\/\d+/.test(found));
    assert.match(address, /hide=heap/);
    assert.match(address, /order=all,/);

    // The link restores it, elsewhere.
    const shown = await headings(page);
    const names = await rows(page);
    const url = await page.evaluate(() => location.hash);
    await withPage({ url: pathToFileURL(process.env.HECTIC_PAGE).href + url, viewport: { width: 1280, height: 1400 } }, async (other) => {
        await openLogs(other, log);
        await until(other, headings, (found) => found.join() === shown.join());
        assert.deepEqual(await rows(other), names);
        assert.deepEqual(await other.evaluate(() => window.hectic.errors), []);
    });

    // The browser remembers the groups, not the pins.
    await page.goto(pathToFileURL(process.env.HECTIC_PAGE).href);
    await page.reload();
    await openLogs(page, log);
    await until(page, headings, (found) => found.join() === shown.filter((name) => name !== "Pinned").join());
    await page.click("#rows-menu");
    await page.getByRole("button", { name: "As at first" }).click();
    await page.keyboard.press("Escape");
    await until(page, headings, (found) => found.join() === first.join());
    assert.doesNotMatch(await until(page, hash, (found) => !/order=/.test(found)), /hide=|pin=/);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// The line between timeline and panes: by pointer, by keys, and remembered.
await withPage({ viewport: { width: 1280, height: 800 } }, async (page) => {
    const profiled = "tests/logs/heap-profile-c.eventlog";
    await openLogs(page, profiled);
    const splitter = page.getByRole("separator", { name: "Width of the panes" });
    const width = () => page.locator("#panes").evaluate((panes) => Math.round(panes.clientWidth));
    const isNow = async (wanted) => {
        await page.waitForFunction((wanted) => Math.round(document.querySelector("#panes").clientWidth) === wanted, wanted);
        assert.equal(Number(await splitter.getAttribute("aria-valuenow")), wanted);
    };
    await isNow(400);
    const line = await splitter.boundingBox();
    await page.mouse.move(line.x + 4, 400);
    await page.mouse.down();
    await page.mouse.move(line.x - 96, 420);
    await page.mouse.up();
    await isNow(500);
    await page.mouse.move(line.x + 4, 400);
    assert.equal(await width(), 500);
    const rows = await page.locator("#rows canvas").first().evaluate((canvas) => canvas.clientWidth);
    assert.ok(rows < 1280 - 500, String(rows));
    await splitter.focus();
    const view = await page.evaluate(() => location.hash);
    await page.keyboard.press("ArrowRight");
    await isNow(476);
    assert.equal(await page.evaluate(() => location.hash), view);
    await page.keyboard.press("End");
    await isNow(280);
    await page.keyboard.press("Home");
    await isNow(1280 - 420);
    await page.keyboard.press("Enter");
    await isNow(400);
    await page.keyboard.press("ArrowLeft");
    await isNow(424);
    // The browser remembers it.
    await page.reload();
    await openLogs(page, profiled);
    await isNow(424);
    // Wide, until the line is moved.
    const wide = page.getByRole("button", { name: "Wide" });
    await page.locator("#tab-heap").click();
    await wide.click();
    await page.waitForFunction(() => document.querySelector("#panes").clientWidth > 700);
    await splitter.focus();
    await page.keyboard.press("End");
    await isNow(280);
    assert.equal(await wide.getAttribute("aria-pressed"), "false");
    await splitter.dblclick();
    await isNow(400);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// By the pointer: a heading is dragged above or below others; a line shows where the group would be.
await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    await openLogs(page, log);
    await settled(page);
    const heading = (name) => page.locator("#rows h3 button", { hasText: new RegExp(`^${name}$`) });
    const middle = async (name) => {
        const { x, y, height } = await heading(name).boundingBox();
        return { x: x + 30, y: y + height / 2 };
    };
    const drag = async (name, y) => {
        const from = await middle(name);
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(from.x, (from.y + y) / 2);
        await page.mouse.move(from.x, y);
        assert.equal(await page.locator("#rows .drop").count(), 1);
    };
    const before = await headings(page);
    assert.deepEqual(before.slice(0, 5), ["Caps", "Collections", "Heap", "User spans", "Messages"]);
    await drag("Messages", (await middle("Caps")).y - 20);
    await page.mouse.up();
    await until(page, headings, (found) => found.slice(0, 5).join() === "Messages,Caps,Collections,Heap,User spans");
    assert.equal(await page.locator("#rows .drop").count(), 0);
    await drag("Messages", (await middle("Heap")).y - 20);
    await page.mouse.up();
    await until(page, headings, (found) => found.slice(0, 5).join() === "Caps,Collections,Messages,Heap,User spans");

    // Escape leaves all as it was, and a click folds.
    await drag("Caps", (await middle("User spans")).y + 20);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await settled(page);
    assert.equal((await headings(page)).slice(0, 3).join(), "Caps,Collections,Messages");
    assert.equal(await heading("Caps").getAttribute("aria-expanded"), "true");
    await heading("Caps").click();
    await until(page, () => heading("Caps").getAttribute("aria-expanded"), (found) => found === "false");
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// Pinned rows stay in sight while the others are scrolled, and are the same rows there.
await withPage({ viewport: { width: 1280, height: 500 } }, async (page) => {
    await openLogs(page, log);
    await settled(page);
    const pin = page.locator("#rows .line", { hasText: "cap 1" });
    await pin.hover();
    await pin.getByText("Pin", { exact: true }).click();
    await until(page, headings, (found) => found[0] === "Pinned");
    const picture = () => page.locator("#rows .line:not(.heading)", { hasText: "cap 1" }).first().locator("canvas").evaluate((canvas) => canvas.toDataURL());
    const above = await picture();
    const timeline = page.locator("#timeline");
    await timeline.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await until(page, () => page.locator("#rows .stuck").count(), (found) => found === 2);
    await settled(page);
    const stuck = page.locator("#rows .stuck:not(.heading)");
    assert.match(await stuck.innerText(), /^cap 1/);
    assert.equal(await picture(), above);
    const [axis, box] = [await page.locator("#axis").boundingBox(), await stuck.boundingBox()];
    assert.ok(box.y >= axis.y + axis.height && box.y < axis.y + axis.height + 60, JSON.stringify([axis, box]));
    // Over a row that is covered, the pointer is in the pinned one.
    await page.mouse.move(box.x + 600, box.y + box.height / 2);
    await until(page, () => page.locator("#status").textContent(), (found) => / · cap 1 · /.test(found));
    await page.mouse.click(box.x + 600, box.y + box.height / 2);
    await settled(page);
    const place = await page.locator("#chosen").boundingBox();
    assert.ok(place === null || Math.abs(place.y - box.y) < 6, JSON.stringify([place, box]));
    await timeline.evaluate((element) => (element.scrollTop = 0));
    await until(page, () => page.locator("#rows .stuck").count(), (found) => found === 0);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// For tests/view: the page in a browser, and the command to compare it with.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const { chromium } = createRequire(`${process.env.HECTIC_MODULES}/package.json`)("playwright-core");
export const work = process.env.HECTIC_WORK;

/** Runs the command; returns what it prints. */
export const hectic = (...words) =>
    execFileSync(process.env.HECTIC, words, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });

/** Makes a synthetic log; its file is replaced. */
export const generateLog = (...words) =>
    execFileSync(`${process.env.HECTIC_BUILD}/generate-log`, ["--force", ...words], { stdio: "pipe" });

/** The first heap profile of a log; its bands with their labels. */
export function heapProfile(...words) {
    const profile = JSON.parse(hectic("heap", "--json", ...words)).sections[0].profiles[0];
    for (const band of profile.bands) band.label = band.stack.map((number) => profile.labels[number]).join("/");
    return profile;
}

let browser;

/** Starts the browser that all pages of this process share, if it does not run. */
const runningBrowser = () => (browser ??= chromium.launch({ executablePath: process.env.HECTIC_BROWSER, args: ["--no-sandbox"] }));

/** Ends it: without that, the process goes on. */
export async function closeBrowser() {
    await (await browser)?.close();
    browser = undefined;
}

/** Runs `test` with the page, which shares nothing but the browser with others; fails if the browser has anything to complain about, or if a request leaves
 *  the machine. `url`: of a server; by default the page is a file. `prepare` runs in the page before its scripts. */
export async function withPage({ url = pathToFileURL(process.env.HECTIC_PAGE).href, prepare, ...options }, test) {
    const complaints = [];
    const page = await (await runningBrowser()).newPage({ viewport: { width: 1280, height: 800 }, ...options });
    try {
        page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
        page.on("pageerror", (error) => complaints.push(String(error)));
        page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
        page.on("request", (request) => {
            const allowed = [pathToFileURL("/").href, new URL(url).origin, "blob:", "data:"];
            if (!allowed.some((prefix) => request.url().startsWith(prefix))) complaints.push(`request: ${request.url()}`);
        });
        if (prepare) await page.addInitScript(prepare);
        await page.goto(url);
        await test(page);
        assert.deepEqual(complaints, []);
    } finally {
        await page.close();
    }
}

/** Starts a program that ends with the test, however that ends: ctest waits for all that hold its output. */
export function start(file, words, options) {
    const child = spawn(file, words, { stdio: ["pipe", "pipe", "pipe"], ...options });
    const kill = () => child.kill("SIGKILL");
    process.on("exit", kill);
    child.on("exit", () => process.off("exit", kill));
    return child;
}

/** Runs `test` with the address of the page that `hectic view LOG...` serves. */
export async function withServer(logs, test) {
    const server = start(process.env.HECTIC, ["view", "--no-browser", ...logs], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(server, "exit");
    try {
        for await (const line of createInterface({ input: server.stdout })) return await test(line.trim());
        assert.fail("hectic view has printed no address");
    } finally {
        server.kill("SIGTERM");
        await ended;
    }
}

/** axe has nothing to complain about. Returns false if it is not there. */
export async function isAccessible(page, what) {
    const file = `${process.env.HECTIC_MODULES}/node_modules/axe-core/axe.min.js`;
    if (!existsSync(file)) return false;
    if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(readFileSync(file, "utf8"));
    const { violations, passes } = await page.evaluate(async () => {
        const { violations, passes } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
        return { violations, passes: passes.length };
    });
    const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    assert.deepEqual(told, [], what);
    assert.ok(passes > 5);
    return true;
}

/** Opens logs as a user does; returns when the overview is exact. */
export async function openLogs(page, ...logs) {
    await page.setInputFiles("input[type=file]", logs);
    await page.evaluate(() => window.hectic.ready);
}

/** A table of the pane, as it is saved: rows of cells, the first with the titles. */
export async function csvOf(page, name) {
    await page.locator("#timeline").focus();
    await page.keyboard.press("e");
    const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `${name} as CSV`, exact: true }).click(),
    ]);
    return readFileSync(await download.path(), "utf8")
        .trimEnd()
        .split("\r\n")
        .map((line) => [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^,]*),/g)].map(([, cell]) => cell.replace(/^"|"$/g, "").replaceAll('""', '"')));
}

/** The part of the address: { view, select }, in ns. */
export const address = (page) =>
    page.evaluate(() =>
        Object.fromEntries(
            [...new URLSearchParams(location.hash.slice(1))].map(([key, text]) => [key, text.split("-").map(Number)]),
        ),
    );

/** Waits until the address is as `accepts` wants it and stays so: it follows the view a little later.
 *  Returns it. */
export async function addressWhen(page, what, accepts) {
    const deadline = Date.now() + 30000;
    for (;;) {
        const found = await address(page);
        await page.waitForTimeout(400);
        if (accepts(found) && isDeepStrictEqual(await address(page), found)) return found;
        if (Date.now() > deadline) assert.fail(`${what}: the address is ${JSON.stringify(found)}`);
    }
}

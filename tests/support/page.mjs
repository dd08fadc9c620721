// For tests/view: the page in a browser, and the command to compare it with.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
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

/** Runs `test` with the page; fails if the browser has anything to complain about, or if a request leaves
 *  the machine. `url`: of a server; by default the page is a file. `prepare` runs in the page before its scripts. */
export async function withPage({ url = pathToFileURL(process.env.HECTIC_PAGE).href, prepare, ...options }, test) {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    const complaints = [];
    try {
        const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
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
        await browser.close();
    }
}

/** Opens logs as a user does; returns when the overview is exact. */
export async function openLogs(page, ...logs) {
    await page.setInputFiles("input[type=file]", logs);
    await page.evaluate(() => window.hectic.ready);
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

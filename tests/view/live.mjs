// How long after a program has flushed its log an event is in the picture: behind hectic run --view, and behind the
// page of a relay. The program writes a marker for each line that it gets, and says when it was flushed; the row
// Markers says how many it shows. Times of both are those of the system's clock.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { start, withPage, work } from "../support/page.mjs";

const build = process.env.HECTIC_BUILD;
const marks = 18;
/** The first make the row appear. */
const unmeasured = 3;
/** ms. On an idle machine, the median is below the first. The test fails above the second: what another load of the
 *  machine adds is less; a page that shows events with its slow poll, or buffers them, is above it. */
const wanted = 300;
const limit = 5 * wanted;

/** The lines of a stream, one for each call. */
function linesOf(stream) {
    const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
    return async () => (await lines.next()).value;
}

async function stop(...children) {
    for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGTERM");
        await once(child, "exit");
    }
}

/** The part of a line of `next` that `expression` has in parentheses. */
async function find(next, expression) {
    for (let line; (line = await next()) !== undefined; ) {
        const found = expression.exec(line);
        if (found) return found[1];
    }
    assert.fail(`there was no line ${expression}`);
}

/** In the page: resolves to the time at which the row Markers shows `count`. */
const shown = (count) =>
    new Promise((resolve, reject) => {
        const labels = () => [...document.querySelectorAll("canvas[aria-label]")].map((canvas) => canvas.getAttribute("aria-label"));
        setTimeout(() => reject(new Error(`${count} are not shown: ${[...labels(), ...window.hectic.errors].join(", ")}`)), 60000);
        const look = () => {
            const label = labels().find((label) => label.startsWith("Picture of Markers")) ?? "";
            if (Number(label.replaceAll(/\D/g, "")) < count) return false;
            observer.disconnect();
            resolve(Date.now());
            return true;
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-label"] });
        look();
    });

/** How long the page at `url` is behind a program, in ms: the median. */
async function behind(name, url, program, next) {
    const times = [];
    const mark = async () => {
        program.stdin.write("\n");
        return Number(await next());
    };
    await mark(); // without it, the log is empty
    await withPage({ url, viewport: { width: 1280, height: 2000 } }, async (page) => {
        await page.evaluate(() => window.hectic.ready);
        for (let i = 2; i <= marks; i++) {
            const inPicture = page.evaluate(shown, i);
            const flushed = await mark();
            const ms = (await inPicture) - flushed;
            if (i > unmeasured) times.push(ms);
            await delay(37 * (i % 9)); // so that it is not in step with the page
        }
        assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
    });
    times.sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    const verdict = median > wanted ? ` (slow: wanted are ${wanted} ms)` : "";
    console.log(`${name}: median ${median} ms, from ${times[0]} to ${times.at(-1)}${verdict}`);
    assert.ok(median <= limit, `${name}: ${times}`);
}

async function runs(name, program, options) {
    const run = start(process.env.HECTIC, ["run", "--view", "--no-report", "--every", "100ms", ...options, program]);
    try {
        const url = await find(linesOf(run.stderr), /the page is at (.*)/);
        await behind(`hectic run --view, ${name}`, url, run, linesOf(run.stdout));
    } finally {
        run.stdin.end();
        await stop(run);
    }
}

async function relays(name, file, words, pipe) {
    execFileSync("mkfifo", [pipe]);
    const relay = start(process.env.HECTIC, ["relay", "--from", `marks=fifo:${pipe}`, "--metrics", "127.0.0.1:0"]);
    const program = start(file, words, { stdio: ["pipe", "pipe", "inherit"] });
    try {
        const port = await find(linesOf(relay.stderr), /metrics at .*, port (\d+)/);
        const url = `http://127.0.0.1:${port}/view/marks/`;
        while (!(await fetch(`${url}api/overview`)).ok) await delay(50); // the program has connected
        await behind(`hectic relay, ${name}`, url, program, linesOf(program.stdout));
    } finally {
        program.stdin.end();
        await stop(program, relay);
    }
}

await runs("a C program", `${build}/marks`, ["--through", "environment"]);
await relays("a C program", `${build}/marks`, [`fifo:${work}/c`], `${work}/c`);

if (spawnSync("ghc", ["--version"]).status !== 0) {
    console.log("SKIPPED: Haskell programs: needs ghc (scripts/install-deps test)");
} else {
    mkdirSync(`${work}/ghc`);
    const program = `${work}/ghc/marks`;
    execFileSync("ghc", ["-v0", "-eventlog", "-rtsopts", "-outputdir", `${work}/ghc`, "-o", program, "tests/programs/marks.hs"]);
    await runs("a Haskell program", program, []);
    await relays("a Haskell program", program, ["+RTS", "-l", `-ol${work}/haskell`], `${work}/haskell`);
}

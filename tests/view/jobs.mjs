// What takes long does not delay pictures, the same is asked once, and a log that was closed is not read any more.
import assert from "node:assert/strict";
import { generateLog, openLogs, withPage, work } from "../support/page.mjs";

const log = `${work}/long.eventlog`;
generateLog("--size", "32M", "--caps", "4", "-o", log);

/** Notes what the page and its workers send to each other. */
const prepare = () => {
    window.workers = [];
    const Original = window.Worker;
    window.Worker = class extends Original {
        sent = [];
        received = [];
        constructor(...words) {
            super(...words);
            window.workers.push(this);
            this.addEventListener("message", ({ data }) => this.received.push(data));
        }
        postMessage(message, transfer = []) {
            this.sent.push(message);
            super.postMessage(message, transfer);
        }
        /** The next message that is accepted. */
        next(accepts) {
            return new Promise((resolve) => {
                const listen = ({ data }) => {
                    if (!accepts(data)) return;
                    this.removeEventListener("message", listen);
                    resolve(data);
                };
                this.addEventListener("message", listen);
            });
        }
    };
};

await withPage({ prepare }, async (page) => {
    await openLogs(page, log);
    await page.evaluate(() => window.hectic.idle());
    const range = await page.evaluate(async () => {
        const { from_ns: from, to_ns: to } = await window.hectic.select({ from: 0, to: 2 ** 52 });
        return { from, to };
    });
    const middle = Math.round((range.from + range.to) / 2);

    // A picture overtakes a job and others that wait; a job that is dropped sends nothing more.
    const text = "search_all?section=1&text=not-in-this-log";
    const overtaken = await page.evaluate(
        async ([request, from]) => {
            const worker = window.workers.at(-1);
            const jobs = [1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 4];
            const ofJobs = ({ id }) => jobs.includes(id);
            const isStep = (data) => data.kind === "step" && data.id === jobs[0];
            const begun = performance.now();
            for (const id of jobs) worker.postMessage({ kind: "job", id, request: `${request}&width=${id - 999000}` });
            await worker.next(isStep);
            const before = worker.received.filter(ofJobs).length;
            worker.postMessage({ kind: "ask", id: 2e6, request: `columns?section=1&from=${from}&to=${from + 1000000}&width=1000` });
            const picture = await worker.next(({ id }) => id === 2e6);
            const during = worker.received.filter(ofJobs).slice(before);
            await worker.next(isStep);
            const steps = worker.received.filter(isStep).length;
            const elapsed = performance.now() - begun;
            for (const id of jobs) worker.postMessage({ kind: "drop", id });
            const ask = async (id) => {
                worker.postMessage({ kind: "ask", id, request: "overview?section=1" });
                await worker.next((data) => data.id === id);
            };
            await ask(2e6 + 1);
            const dropped = worker.received.filter(ofJobs).length;
            for (let i = 2; i < 12; i++) await ask(2e6 + i);
            const after = worker.received.filter(ofJobs).length - dropped;
            return { kind: picture.kind, during, steps, elapsed, after };
        },
        [text, middle],
    );
    assert.equal(overtaken.kind, "answer");
    assert.ok(overtaken.during.length <= 3, JSON.stringify(overtaken));
    assert.ok(overtaken.during.every(({ kind }) => kind === "step"), JSON.stringify(overtaken));
    assert.ok(overtaken.steps >= 2 && overtaken.steps <= overtaken.elapsed / 100 + 1, JSON.stringify(overtaken));
    assert.equal(overtaken.after, 0);

    // A job that is not dropped ends with its answer.
    const found = await page.evaluate(
        async (request) => {
            const worker = window.workers.at(-1);
            worker.postMessage({ kind: "job", id: 3e6, request });
            const { answer } = await worker.next(({ id, kind }) => id === 3e6 && kind !== "step");
            return answer;
        },
        `search_all?section=1&from=${middle}&to=${middle + 1000000}&text=not-in-this-log`,
    );
    assert.equal(found.complete, true);
    assert.equal(found.matches, 0);

    // The page and a script ask for the same numbers, and ask again: one request.
    const part = { from: range.from + 1000, to: middle };
    const [first, second] = await page.evaluate(async (part) => {
        const numbers = await window.hectic.select(part);
        await new Promise((resolve) => {
            const look = () => (document.querySelector(`#pane[data-range="${part.from}-${part.to}"]`) ? resolve() : setTimeout(look, 20));
            look();
        });
        numbers.caps.length = 0; // What a script does with its numbers does not change those of the page.
        return [numbers, await window.hectic.select(part)];
    }, part);
    assert.equal(first.from_ns, second.from_ns);
    assert.equal(second.caps.length, 4);
    const asked = await page.evaluate(
        ({ from, to }) => window.workers.at(-1).sent.filter(({ request }) => request === `stat?section=1&from=${from}&to=${to}`).length,
        part,
    );
    assert.equal(asked, 1);

    // A log that is closed is not read any more: its worker has ended in the middle of a job.
    await page.evaluate((request) => {
        const worker = window.workers.at(-1);
        worker.postMessage({ kind: "job", id: 4e6, request });
        return worker.next(({ id }) => id === 4e6);
    }, text);
    await openLogs(page, "tests/logs/demo.eventlog");
    const closed = () => page.evaluate(() => window.workers[0].received.length);
    const before = await closed();
    await page.evaluate(() => window.hectic.idle());
    assert.equal(await page.evaluate(() => window.workers.length), 2);
    assert.equal(await closed(), before);
    while (page.workers().length > 1) await page.waitForTimeout(20);
    assert.deepEqual(await page.evaluate(() => window.hectic.errors), []);
});

// The page opens every log that there is: ours, and those of many versions of GHC.
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { openLogs, withPage } from "../support/page.mjs";

const directories = ["tests/logs", process.env.HECTIC_CORPUS ?? "../shared/corpus"].filter(existsSync);
const logs = directories.flatMap((directory) =>
    readdirSync(directory)
        .filter((name) => name.endsWith(".eventlog"))
        .map((name) => `${directory}/${name}`),
);
await withPage({}, async (page) => {
    for (const log of logs) {
        await openLogs(page, log);
        const errors = await page.evaluate(() => window.hectic.errors);
        if (statSync(log).size === 0) {
            assert.match(String(errors), /: byte 0: the input is empty$/);
            continue;
        }
        assert.deepEqual(errors, [], log);
        await page.locator("#pane[aria-busy=false] .body > *").first().waitFor();
        assert.ok((await page.locator("#rows canvas").count()) >= 3, log);
    }
});
console.log(`${logs.length} logs`);

// The types of the page's scripts are sound.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";

const compiler = `${process.env.HECTIC_MODULES}/view/node_modules/typescript/bin/tsc`;
if (!existsSync(compiler)) {
    console.log("SKIPPED: needs typescript (scripts/install-deps test)");
    process.exit(77);
}
const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", "view"], { encoding: "utf8" });
assert.equal(status, 0, stdout + stderr);

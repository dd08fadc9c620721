// run_page.mjs TEST.mjs: runs a test of the page, and ends its browser.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { closeBrowser } from "./page.mjs";

try {
    await import(pathToFileURL(resolve(process.argv[2])).href);
} finally {
    await closeBrowser();
}

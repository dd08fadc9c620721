// Builds the page: one HTML file that contains its scripts, its style and the engine.
//
//     node view/build.mjs ENGINE.wasm PAGE.html [DIRECTORY]
//
// DIRECTORY has the packages of package-lock.json in its node_modules (default: this directory).
import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const [engine, page, packages = here] = process.argv.slice(2);
if (!engine || !page) {
    console.error("usage: node view/build.mjs ENGINE.wasm PAGE.html [DIRECTORY]");
    process.exit(2);
}
const esbuild = createRequire(join(resolve(packages), "package.json"))("esbuild");
const largest = 600 * 1024;

// Modules whose content is made here: their names are declared in src/engine/embedded.d.ts.
const embedded = (modules) => ({
    name: "embedded",
    setup(build) {
        build.onResolve({ filter: /^embedded:/ }, ({ path }) => ({ path, namespace: "embedded" }));
        build.onLoad({ filter: /.*/, namespace: "embedded" }, ({ path }) => ({
            contents: modules[path],
            loader: "text",
        }));
    },
});

async function bundle(entry, modules) {
    const result = await esbuild.build({
        entryPoints: [join(here, "src", entry)],
        nodePaths: [join(resolve(packages), "node_modules")],
        bundle: true,
        write: false,
        minify: true,
        format: "iife",
        target: "es2022",
        charset: "utf8",
        legalComments: "none",
        plugins: [embedded(modules)],
    });
    return result.outputFiles[0].text.trim();
}

const worker = await bundle("engine/worker.ts", {});
const script = await bundle("main.ts", {
    "embedded:worker": worker,
    "embedded:engine": gzipSync(await readFile(engine), { level: 9 }).toString("base64"),
});
const css = (await bundle("page.css", {})).trim();
const inlined = { script: script.replaceAll("</script", "<\\/script"), css };

// Only these two texts may run or be applied; nothing is loaded, and only the server that gave the
// page is asked.
const source = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
    "default-src 'none'",
    `script-src ${source(inlined.script)} 'wasm-unsafe-eval'`,
    `style-src ${source(inlined.css)}`,
    "worker-src blob:",
    "connect-src 'self'",
    "img-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
].join("; ");

const html = (await readFile(join(here, "src/page.html"), "utf8"))
    .replace("<!-- policy -->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace("<!-- style -->", () => `<style>${inlined.css}</style>`)
    .replace("<!-- script -->", () => `<script>${inlined.script}</script>`);
if (Buffer.byteLength(html) > largest) {
    console.error(`${page}: ${Buffer.byteLength(html)} bytes are more than ${largest}`);
    process.exit(1);
}
await writeFile(`${page}.tmp`, html);
await rename(`${page}.tmp`, page);

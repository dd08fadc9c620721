// What build.mjs puts into the page.
declare module "embedded:worker" {
    /** The bundled script of worker.ts. */
    const text: string;
    export default text;
}
declare module "embedded:engine" {
    /** view.wasm, compressed by gzip, in base64. */
    const text: string;
    export default text;
}

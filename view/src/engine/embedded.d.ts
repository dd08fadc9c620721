// What build.mjs puts into the page.
declare module "embedded:worker" {
    /** The bundled script of worker.ts. */
    const text: string;
    export default text;
}
declare module "embedded:engine" {
    /** view.wasm, in base64. */
    const text: string;
    export default text;
}

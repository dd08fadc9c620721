// What is used of fzstd, a package of npm.
declare module "fzstd" {
    /** Unpacks one frame that is pushed in pieces. */
    export class Decompress {
        constructor(ondata: (unpacked: Uint8Array<ArrayBuffer>, final: boolean) => void);
        push(piece: Uint8Array, final?: boolean): void;
    }
}

// Reads the pieces of a log that a job reads next: asynchronously, while the engine computes.
import type { Piece } from "./module";

/** Pieces that follow each other are read together, up to so many bytes: a call costs as much as several. */
const mostTogether = 1 << 20;
/** Further pieces are read once fewer bytes than that are left: so many follow each other. */
const fewBytes = 1 << 23;
/** A step of a job needs so many. */
const needed = 1 << 22;

export class Ahead {
    /** What will be read, in this order. */
    private expected: readonly Piece[] = [];
    /** By position: what was read, or what waits for it. */
    private pieces = new Map<number, Uint8Array | Promise<void>>();
    private hasFailed = false;

    constructor(private readonly blob: Blob) {}

    /** The piece; undefined: it was not read. */
    find({ position, length }: Piece): Uint8Array | undefined {
        const piece = this.pieces.get(position);
        return piece instanceof Uint8Array && piece.length === length ? piece : undefined;
    }

    /** Begins to read these pieces, and keeps no others. */
    expect(pieces: readonly Piece[]): void {
        const known = this.pieces;
        this.expected = pieces;
        this.pieces = new Map();
        const missing: Piece[] = [];
        let there = 0;
        for (const piece of pieces) {
            const found = known.get(piece.position);
            if (found) this.pieces.set(piece.position, found);
            else missing.push(piece);
            if (found) there += piece.length;
        }
        if (there >= fewBytes || this.hasFailed) return;
        missing.sort((a, b) => a.position - b.position);
        let together: Piece[] = [];
        let length = 0;
        for (const piece of missing) {
            const last = together.at(-1);
            if (last && (last.position + last.length !== piece.position || length >= mostTogether)) {
                this.read(together, length);
                together = [];
                length = 0;
            }
            together.push(piece);
            length += piece.length;
        }
        if (length > 0) this.read(together, length);
    }

    /** What the next step of the job has to wait for; undefined: it is there. */
    awaited(): Promise<void> | undefined {
        let bytes = 0;
        for (const { position, length } of this.expected) {
            const piece = this.pieces.get(position);
            if (piece instanceof Promise) return piece;
            bytes += length;
            if (bytes >= needed) break;
        }
        return undefined;
    }

    /** Reads pieces that follow each other: `length` bytes. */
    private read(together: readonly Piece[], length: number): void {
        const start = together[0]!.position;
        const pending = this.blob
            .slice(start, start + length)
            .arrayBuffer()
            .then(
                (bytes) => {
                    for (const { position, length } of together) {
                        const piece = new Uint8Array(bytes, position - start, length);
                        if (this.pieces.get(position) === pending) this.pieces.set(position, piece);
                    }
                },
                () => {
                    // The engine gets the error when it reads there.
                    for (const { position } of together) this.pieces.delete(position);
                    this.hasFailed = true;
                },
            );
        for (const { position } of together) this.pieces.set(position, pending);
    }
}

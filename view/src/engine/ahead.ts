// Reads a log ahead of a job that reads it in the order of the file: asynchronously, while the engine computes.

const pieceSize = 1 << 21;
/** Pieces that are kept before the one in use, and that are read after it: chunks of caps are read in an order
 *  that differs a little from that of the file. */
const before = 1;
const after = 5;
/** Of these, a step of a job needs so many. */
const needed = 3;

export class Ahead {
    /** By number: what was read, or what waits for it. */
    private readonly pieces = new Map<number, Uint8Array | Promise<void>>();
    private inUse: number;
    private hasFailed = false;

    constructor(
        private readonly blob: Blob,
        position: number,
    ) {
        this.inUse = Math.floor(position / pieceSize);
    }

    /** Up to `length` bytes from `position` on; undefined: they were not read. */
    find(position: number, length: number): Uint8Array | undefined {
        const number = Math.floor(position / pieceSize);
        const piece = this.pieces.get(number);
        if (!(piece instanceof Uint8Array)) return undefined;
        this.inUse = Math.max(this.inUse, number - 1);
        const offset = position - number * pieceSize;
        return piece.subarray(offset, offset + length);
    }

    /** Goes on to read. Returns what a step of a job has to wait for; undefined: what it needs is there. */
    fetch(): Promise<void> | undefined {
        for (const number of this.pieces.keys()) {
            if (number < this.inUse - before) this.pieces.delete(number);
        }
        let missing: Promise<void> | undefined;
        for (let number = this.inUse; number <= this.inUse + after && !this.hasFailed; number++) {
            const start = number * pieceSize;
            if (start >= this.blob.size) break;
            const piece = this.pieces.get(number) ?? this.read(number, start);
            if (piece instanceof Promise && number <= this.inUse + needed) missing = piece;
        }
        return missing;
    }

    private read(number: number, start: number): Promise<void> {
        const { pieces } = this;
        const pending = this.blob
            .slice(start, start + pieceSize)
            .arrayBuffer()
            .then(
                (bytes) => {
                    if (pieces.get(number) === pending) pieces.set(number, new Uint8Array(bytes));
                },
                () => {
                    // The engine gets the error when it reads there.
                    pieces.delete(number);
                    this.hasFailed = true;
                },
            );
        pieces.set(number, pending);
        return pending;
    }
}

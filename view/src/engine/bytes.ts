// The bytes of a log: its beginning to end as a stream, and any range at once.
import { Ahead } from "./ahead";
import type { Expect, Piece } from "./module";
import { unzstd } from "./zstd";

declare class FileReaderSync {
    readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const chunk = 1 << 20;
/** Detail is read in blocks of this size, of which some are kept: requests for the same part of a log follow
 *  each other. */
const block = 1 << 14;
const mostBlocks = 1536;

/** What the worker reads. The pass takes chunks from a stream, which is twice as fast as
 *  FileReaderSync; detail is read by FileReaderSync; what jobs read next is read ahead. */
export class LogBytes {
    private reader: ReadableStreamBYOBReader | undefined;
    private buffer = new ArrayBuffer(chunk);
    /** The chunk of the stream that the pass is at. */
    private present: Uint8Array = new Uint8Array(0);
    private position = 0;
    private readonly blocks = new Map<number, Uint8Array>();
    /** Of the job that is worked on. */
    ahead: Ahead | undefined;

    constructor(private readonly blob: Blob) {}

    get size(): number {
        return this.blob.size;
    }

    /** Fetches the next chunk of the stream; returns its length, 0 at the end. */
    async next(): Promise<number> {
        this.reader ??= (this.blob.stream() as ReadableStream<Uint8Array<ArrayBuffer>>).getReader({
            mode: "byob",
        });
        this.position += this.present.length;
        const { value, done } = await this.reader.read(new Uint8Array(this.buffer));
        if (value) this.buffer = value.buffer;
        this.present = !done && value ? value : new Uint8Array(0);
        return this.present.length;
    }

    readonly readAt = (position: number, room: Uint8Array): number => {
        const offset = position - this.position;
        if (offset >= 0 && offset < this.present.length) {
            const found = this.present.subarray(offset, offset + room.length);
            room.set(found);
            return found.length;
        }
        const ahead = this.ahead?.find({ position, length: room.length });
        if (ahead) {
            room.set(ahead);
            return ahead.length;
        }
        const [start = 0] = this.need([{ position, length: room.length }]);
        const found = this.blocks.get(start)!.subarray(position - start, position - start + room.length);
        room.set(found);
        return found.length;
    };

    readonly expect: Expect = (pieces, atOnce) => {
        if (!atOnce) return this.ahead?.expect(pieces);
        try {
            this.need(pieces);
        } catch {
            // The engine gets the error when it reads there.
        }
    };

    newAhead(): Ahead {
        return new Ahead(this.blob);
    }

    /** Reads the blocks of these pieces that are not there, by one call: each call takes as long as some blocks.
     *  Returns where the blocks of the pieces begin. */
    private need(pieces: readonly Piece[]): number[] {
        const starts = new Set<number>();
        for (const { position, length } of pieces) {
            for (let at = position - (position % block); at < position + length; at += block) starts.add(at);
        }
        const missing = [...starts].filter((start) => !this.blocks.has(start));
        if (missing.length > 0) this.load(missing);
        // The map is in order of use.
        for (const start of starts) {
            const found = this.blocks.get(start)!;
            this.blocks.delete(start);
            this.blocks.set(start, found);
        }
        while (this.blocks.size > mostBlocks) this.blocks.delete(this.blocks.keys().next().value!);
        return [...starts];
    }

    private load(starts: number[]): void {
        const parts: Blob[] = [];
        let first = 0;
        starts.forEach((start, i) => {
            if (starts[i + 1] === start + block) return;
            parts.push(this.blob.slice(starts[first], start + block));
            first = i + 1;
        });
        const bytes = new FileReaderSync().readAsArrayBuffer(new Blob(parts));
        let at = 0;
        for (const start of starts) {
            const length = Math.max(Math.min(block, this.blob.size - start), 0);
            // A copy: a view of a part would keep the whole.
            this.blocks.set(start, new Uint8Array(bytes.slice(at, at + length)));
            at += length;
        }
    }
}

/** A limit, so that a compressed file cannot fill the disk. */
const mostUnpacked = 2 ** 34;
/** Of so many bytes, a Blob is made: a browser keeps large ones on the disk. */
const blobSize = 1 << 24;

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob> {
    const blobs: Blob[] = [];
    let pieces: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    let total = 0;
    const reader = stream.getReader();
    for (;;) {
        const { value, done } = await reader.read();
        if (value) pieces.push(value);
        size += value?.length ?? 0;
        total += value?.length ?? 0;
        if (total > mostUnpacked) throw new Error("the log is larger than 16 GiB when unpacked: use hectic view");
        if (done || size >= blobSize) {
            blobs.push(new Blob(pieces));
            pieces = [];
            size = 0;
        }
        if (done) return new Blob(blobs);
    }
}

/** The log in a file: unpacked, if it is compressed by gzip or zstd. */
export async function unpacked(file: File): Promise<Blob> {
    const magic = new DataView(await file.slice(0, 4).arrayBuffer());
    const first = magic.byteLength === 4 ? magic.getUint32(0, true) : 0;
    const zstd = first === 0xfd2fb528 || first >>> 4 === 0x184d2a5;
    if (!zstd && (first & 0xffff) !== 0x8b1f) return file;
    const stream = file.stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
    return collect(stream.pipeThrough(zstd ? unzstd() : new DecompressionStream("gzip")));
}

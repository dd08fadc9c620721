// The bytes of a log: its beginning to end as a stream, and any range at once.

declare class FileReaderSync {
    readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const chunk = 1 << 20;
/** Detail is read in blocks of this size, of which some are kept: requests for the same part of a log
 *  follow each other, and a call of FileReaderSync costs more than its bytes. */
const block = 1 << 18;
const mostBlocks = 96;

/** What the worker reads. The pass takes chunks from a stream, which is twice as fast as
 *  FileReaderSync; detail is read by FileReaderSync. */
export class LogBytes {
    private reader: ReadableStreamBYOBReader | undefined;
    private buffer = new ArrayBuffer(chunk);
    /** The chunk of the stream that the pass is at. */
    private present: Uint8Array = new Uint8Array(0);
    private position = 0;
    private readonly blocks = new Map<number, Uint8Array>();

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
        const start = position - (position % block);
        const found = this.block(start).subarray(position - start, position - start + room.length);
        room.set(found);
        return found.length;
    };

    private block(start: number): Uint8Array {
        let found = this.blocks.get(start);
        // The map is in order of use.
        if (found) this.blocks.delete(start);
        else found = new Uint8Array(new FileReaderSync().readAsArrayBuffer(this.blob.slice(start, start + block)));
        this.blocks.set(start, found);
        if (this.blocks.size > mostBlocks) this.blocks.delete(this.blocks.keys().next().value!);
        return found;
    }
}

/** The log in a file: unpacked, if it is compressed by gzip. */
export async function unpacked(file: File): Promise<Blob> {
    const magic = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    if (magic[0] === 0x1f && magic[1] === 0x8b) {
        const stream = file.stream().pipeThrough(new DecompressionStream("gzip"));
        return new Response(stream).blob();
    }
    if (magic[0] === 0x28 && magic[1] === 0xb5 && magic[2] === 0x2f && magic[3] === 0xfd) {
        throw new Error("compressed by zstd, which the page cannot unpack: use unzstd, or hectic view");
    }
    return file;
}

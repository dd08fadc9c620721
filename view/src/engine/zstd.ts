// Unpacks zstd, of any number of frames. The frames are separated here, and their window is checked
// before the decoder of fzstd allocates it: a header of a few bytes can ask for 2 GiB.
import { Decompress } from "fzstd";

/** As zstd -d without --long. */
const mostWindow = 2 ** 27;
/** The decoder joins what it holds back with each piece. */
const piece = 1 << 16;
const mostBlock = 1 << 17;

const damaged = () => new Error("the data compressed by zstd are damaged");

interface Frame {
    headerLength: number;
    checksum: boolean;
}

/** The header of a frame at the beginning of `bytes`; undefined: more bytes are needed. */
function frameOf(bytes: Uint8Array): Frame | undefined {
    if (bytes.length < 6) return undefined;
    const flags = bytes[4]!;
    const single = (flags >> 5) & 1;
    const dictionary = [0, 1, 2, 4][flags & 3]!;
    const sizeLength = flags >> 6 ? 1 << (flags >> 6) : single;
    const headerLength = 6 - single + dictionary + sizeLength;
    if (flags & 8) throw damaged();
    if (bytes.length < headerLength) return undefined;
    if (bytes.subarray(6 - single, 6 - single + dictionary).some((byte) => byte !== 0)) {
        throw new Error("the file was compressed by zstd with a dictionary");
    }
    let window = 0;
    if (single) {
        for (let i = sizeLength - 1; i >= 0; i--) window = window * 256 + bytes[5 + dictionary + i]!;
        if (sizeLength === 2) window += 256;
    } else {
        const base = 2 ** (10 + (bytes[5]! >> 3));
        window = base + (base / 8) * (bytes[5]! & 7);
    }
    if (window > mostWindow) throw new Error("zstd needs too much memory for this file: use unzstd, or hectic view");
    return { headerLength, checksum: (flags & 4) !== 0 };
}

const magic = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);

export function unzstd(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    let decoder: Decompress | undefined;
    let checksum = false;
    /** What comes after `left` bytes, which are given to the decoder if there is one. */
    let next: "frame" | "block" | "checksum" | "end" = "frame";
    let left = 0;
    /** The beginning of a header that is not complete. */
    let held = new Uint8Array(0);

    /** Takes a header from the beginning of `bytes`; returns its length, 0: more bytes are needed. */
    function header(bytes: Uint8Array, unpacked: (data: Uint8Array<ArrayBuffer>) => void): number {
        if (next === "block") {
            if (bytes.length < 3) return 0;
            const word = bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16);
            const size = word >> 3;
            const kind = (word >> 1) & 3;
            if (kind === 3 || size > mostBlock) throw damaged();
            // A block of one byte repeated.
            left = kind === 1 ? 1 : size;
            if (word & 1) next = checksum ? "checksum" : "end";
            return 3;
        }
        if (bytes.length < 4) return 0;
        // The magic number of frames to be skipped has 16 values.
        if (magic(bytes) >>> 4 === 0x184d2a5) {
            if (bytes.length < 8) return 0;
            left = magic(bytes.subarray(4));
            return 8;
        }
        if (magic(bytes) !== 0xfd2fb528) throw damaged();
        const frame = frameOf(bytes);
        if (!frame) return 0;
        decoder = new Decompress((data) => {
            if (data.length > 0) unpacked(data);
        });
        checksum = frame.checksum;
        next = "block";
        return frame.headerLength;
    }

    return new TransformStream({
        transform(chunk, controller) {
            const unpacked = (data: Uint8Array<ArrayBuffer>) => controller.enqueue(data);
            let bytes: Uint8Array = chunk;
            if (held.length > 0) {
                bytes = new Uint8Array(held.length + chunk.length);
                bytes.set(held);
                bytes.set(chunk, held.length);
                held = new Uint8Array(0);
            }
            for (;;) {
                if (left === 0 && next === "checksum") [left, next] = [4, "end"];
                if (left === 0 && next === "end") {
                    decoder?.push(new Uint8Array(0), true);
                    decoder = undefined;
                    next = "frame";
                }
                if (bytes.length === 0) return;
                let length = Math.min(left, bytes.length, piece);
                left -= length;
                if (length === 0) length = header(bytes, unpacked);
                if (length === 0) {
                    held = bytes.slice();
                    return;
                }
                decoder?.push(bytes.subarray(0, length));
                bytes = bytes.subarray(length);
            }
        },
        flush() {
            if (next !== "frame" || left > 0 || held.length > 0) {
                throw new Error("the file ends within data compressed by zstd");
            }
        },
    });
}

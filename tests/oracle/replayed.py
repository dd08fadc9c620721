"""replayed.py LOG OUT TYPE...: copies a log that declares SYNC, with its events of these types inside
SYNC events, as a late reader gets them."""
import struct
import sys

SYNC, BLOCK_MARKER, END = 1999, 18, 0xffff
log = open(sys.argv[1], "rb").read()
types = {int(text) for text in sys.argv[3:]}
at, sizes = log.index(b"hetb") + 4, {}
while log[at:at + 4] == b"etb\0":
    number, size, length = struct.unpack_from(">HHI", log, at + 4)
    at += 12 + length
    at += 8 + struct.unpack_from(">I", log, at)[0]
    sizes[number] = size
assert SYNC in sizes and log[at:at + 12] == b"hetehdredatb", log[at:at + 12]
at += 12
out, block, replayed = bytearray(log[:at]), None, 0
while True:
    number = struct.unpack_from(">H", log, at)[0]
    if number == END:
        break
    size, head = sizes[number], 10
    if size == 0xffff:
        size, head = struct.unpack_from(">H", log, at + 10)[0], 12
    event = log[at:at + head + size]
    at += head + size
    if number == BLOCK_MARKER:
        block = len(out) + 10
    if number in types:
        event = struct.pack(">H", SYNC) + event[2:10] + struct.pack(">HHH", size + 4, number, 0xffff) + event[head:]
        extra = len(event) - head - size
        struct.pack_into(">I", out, block, struct.unpack_from(">I", out, block)[0] + extra)
        replayed += 1
    out += event
assert replayed
open(sys.argv[2], "wb").write(out + log[at:])

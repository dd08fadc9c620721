"""Reads and writes eventlogs, independently of hectic: for tests that compute what it should print.

Events are tuples (time, cap, type, payload), in the order of the file; cap 65535 is none."""
import itertools
import struct

VARIABLE = 0xFFFF
NONE = 0xFFFF


def read(data):
    """The sections of a log: each a list of events."""
    sections, at, sizes, end, cap = [], 0, {}, 0, NONE
    while at + 2 <= len(data):
        if data[at : at + 4] == b"hdrb":
            at, sizes, events = at + 8, {}, []
            sections.append(events)
            while data[at : at + 4] == b"etb\0":
                number, size, length = struct.unpack_from(">HHI", data, at + 4)
                extra = struct.unpack_from(">I", data, at + 12 + length)[0]
                sizes[number] = size
                at += 16 + length + extra + 4
            at, end, cap = at + 12, 0, NONE  # hete, hdre, datb
            continue
        number = struct.unpack_from(">H", data, at)[0]
        if number == 0xFFFF:
            at += 2
            continue
        if at >= end:
            cap = NONE
        time = struct.unpack_from(">Q", data, at + 2)[0]
        size, start = sizes[number], at + 10
        if size == VARIABLE:
            size, start = struct.unpack_from(">H", data, at + 10)[0], at + 12
        payload = data[start : start + size]
        if number == 18:
            length, _, cap = struct.unpack(">IQH", payload)
            end = at + length if length else len(data)
        events.append((time, cap, number, payload))
        at = start + size
    return sections


def write(events, sizes):
    """A section: the events, in blocks of those of one cap that follow each other. `sizes`: of the
    payload, by type; VARIABLE by default."""
    types = sorted({event[2] for event in events})
    out = b"hdrbhetb"
    for number in types + [18]:
        size = 14 if number == 18 else sizes.get(number, VARIABLE)
        out += b"etb\0" + struct.pack(">HHI", number, size, 1) + b"T" + struct.pack(">I", 0) + b"ete\0"
    out += b"hetehdredatb"
    blocks = []
    for cap, group in itertools.groupby(events, key=lambda event: event[1]):
        group = list(group)
        last = max(when for when, *_ in group)
        parts = []
        for when, _, number, payload in group:
            length = b"" if number in sizes else struct.pack(">H", len(payload))
            parts.append(struct.pack(">HQ", number, when) + length + payload)
        block = b"".join(parts)
        blocks.append(struct.pack(">HQIQH", 18, group[0][0], 24 + len(block), last, cap) + block)
    return out + b"".join(blocks) + b"\xff\xff"

"""Prints a log with the text CANARY in every text field of every event, in unknown events, the header,
bytes behind fields and a damaged region: canary_log.py CANARY"""

import json
import struct
import sys

canary = sys.argv[1].encode()
out = b"hdrbhetb"
events = [  # number, size (-1: variable), payload
    (19, -1, canary), (16, -1, b"a " + canary), (58, -1, b"START " + canary), (44, -1, struct.pack(">I", 1) + canary),
    (19, -1, b"START " + canary + b" 12"), (19, -1, b"STOP 3 " + canary + b".x.y"),
    (29, -1, struct.pack(">I", 1) + canary), (30, -1, struct.pack(">I", 1) + canary + b"\0+RTS\0-N2\0-ol" + canary + b"\0"),
    (31, -1, struct.pack(">I", 1) + b"A=" + canary + b"\0"), (23, -1, canary), (24, -1, canary + b" " + canary),
    (42, -1, canary + struct.pack(">I", 1)), (140, -1, struct.pack(">I", 1) + canary), (181, -1, canary),
    (181, -1, struct.pack(">HQH", 0xFFCC, 1, len(canary)) + canary), (181, -1, b"\xff\xc0" + canary),
    (160, -1, struct.pack(">BQI", 0, 1, 1) + (canary + b"\0") * 7),
    (161, -1, struct.pack(">I", 1) + b"f\0M\0" + canary + b"\0\0"),
    (169, -1, struct.pack(">Q", 1) + b"t\0c\0d\0f\0M\0" + canary + b"\0"),
    (1999, -1, struct.pack(">HH", 19, 0) + canary), (1999, -1, struct.pack(">HH", 18, 0) + canary[:14]),
    (1999, -1, struct.pack(">HH", 31, 0) + struct.pack(">I", 1) + canary + b"\0"),
    (5000, -1, canary), (5001, 16, canary), (1, 20, struct.pack(">I", 1) + canary), (210, -1, struct.pack(">QH", 1, 1) + b"k\0n\0" + struct.pack(">Q", 1) + canary + b"\0"),
]
sizes = {number: size for number, size, _ in events}
for number, size in sizes.items():
    out += b"etb\0" + struct.pack(">HhI", number, size, len(canary)) + canary + struct.pack(">I", len(canary)) + canary + b"ete\0"
out += b"hetehdredatb"
time = 0
for number, size, payload in events:
    time += 1000
    out += struct.pack(">HQ", number, time) + (struct.pack(">H", len(payload)) if size < 0 else b"") + payload
sys.stdout.buffer.write(out + struct.pack(">HQH", 19, 1, 900) + canary)

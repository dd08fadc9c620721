#!/usr/bin/env python3
"""dropped_log.py FILE: a log of 10 s, in which each of two caps allocates 1000 bytes and runs a thread for half the
time in each 0.1 s. Events were dropped from 4 s to the replay at 8 s."""
import struct
import sys

import eventlog

SECOND = 10**9


def replay(time, number, cap, payload):
    return (time, eventlog.NONE, 1999, struct.pack(">HH", number, cap) + payload)


def activity(first, last):
    for cap in (0, 1):
        for time in range(first, last, SECOND // 10):
            yield (time, cap, 1, struct.pack(">I", cap + 1))
            yield (time + SECOND // 20, cap, 2, struct.pack(">IHI", cap + 1, 3, 0))
            yield (time + SECOND // 20, cap, 49, struct.pack(">IQ", 0, (time // (SECOND // 10) + 1) * 1000))


def main():
    created = [(0, eventlog.NONE, 45, struct.pack(">H", cap)) for cap in (0, 1)]
    text = b"hectic: 999 events were dropped here"
    replays = [replay(8 * SECOND, 45, eventlog.NONE, struct.pack(">H", cap)) for cap in (0, 1)]
    replays += [replay(8 * SECOND, 49, cap, struct.pack(">IQ", 0, 80000)) for cap in (0, 1)]
    events = created + list(activity(0, 4 * SECOND)) + [(4 * SECOND, eventlog.NONE, 16, text)] + replays
    events += list(activity(8 * SECOND, 10 * SECOND))
    with open(sys.argv[1], "wb") as file:
        file.write(eventlog.write(events, {1: 4, 2: 10, 45: 2, 49: 12}))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""coverage.py HECTIC LOG...: a log that is cut at a random place is judged up to the time until which all of
its caps are in it, which is computed here from its blocks. Numbers are then those of that interval of the
whole log, and the same in stat, gc, threads and info."""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

CUTS = 6
NONE = 0xFFFF


def hectic(*arguments):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    if done.returncode > 1:
        raise SystemExit(f"hectic {' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout), done.stderr


def header(data):
    """The sizes of events, and the position of the first one."""
    at, sizes = 8, {}
    while data[at : at + 4] == b"etb\0":
        number, size, length = struct.unpack_from(">HHI", data, at + 4)
        extra = struct.unpack_from(">I", data, at + 12 + length)[0]
        sizes[number] = size
        at += 20 + length + extra
    return sizes, at + 12


def covered(data):
    """The caps with blocks: up to which time; and the time of the last event."""
    sizes, at = header(data)
    until, last = {}, 0
    while at + 24 <= len(data) and data[at : at + 2] == b"\0\x12":
        begin, length, end, cap = struct.unpack_from(">QIQH", data, at + 2)
        stop = min(at + length, len(data))
        written, event = begin, at + 24
        while event + 10 <= stop:
            number, time = struct.unpack_from(">HQ", data, event)
            size = sizes[number]
            if size == 0xFFFF and event + 12 <= stop:
                size = 2 + struct.unpack_from(">H", data, event + 10)[0]
            if event + 10 + size > stop:
                break
            written, event = max(written, time), event + 10 + size
        last = max(last, written)
        until[cap] = max(until.get(cap, 0), written, end if at + length <= len(data) else 0)
        at += length
    until.pop(NONE, None)
    return until, last


def check(log, length):
    with open(log, "rb") as file:
        data = file.read(length)
        file.seek(0)
        every = covered(file.read())[0]
    until, last = covered(data)
    if not until:
        return 0
    time = min(last, *until.values())
    with tempfile.NamedTemporaryFile(suffix=".eventlog") as cut:
        cut.write(data)
        cut.flush()
        part, said = hectic("stat", "--json", cut.name)
        info = hectic("info", "--json", cut.name)[0]
        threads = hectic("threads", "--json", cut.name)[0]
        collections = hectic("gc", "--json", cut.name)[0]
    whole = hectic("stat", "--json", "--from", "0ns", "--to", f"{time}ns", log)[0]
    whole_threads = hectic("threads", "--json", "--from", "0ns", "--to", f"{time}ns", log)[0]
    got = {
        "covered": info["covered_to_ns"],
        "said": bool(re.search(r"has all caps until", said)),
        "exit": part["time"]["exit_ns"],
        "gc": part["time"]["gc_main_ns"],
    }
    want = {"covered": time, "said": last > time, "exit": None, "gc": None}
    if set(until) == set(every) and part["time"]["gc_main_ns"] is not None:
        got["running"] = {row["thread"]: row["running_ns"] for row in threads["threads"]}
        want["running"] = {row["thread"]: row["running_ns"] for row in whole_threads["threads"]}
        got["caps"] = {row["cap"]: row["running_ns"] for row in part["caps"]}
        want["caps"] = {row["cap"]: row["running_ns"] for row in whole["caps"]}
        want["gc"] = whole["time"]["gc_main_ns"]
        got["pauses"] = sum(row["pause_ns"] or 0 for row in collections)
        want["pauses"] = got["gc"]
    wrong = {key: (got[key], want[key]) for key in got if got[key] != want[key]}
    if wrong:
        print(f"{log}, {length} bytes: got and wanted: {wrong}")
    return -1 if wrong else 1


def main():
    random.seed(19)
    compared = failed = 0
    for log in sys.argv[2:]:
        size = os.path.getsize(log)
        with open(log, "rb") as file:
            first = header(file.read())[1]
        for _ in range(CUTS):
            result = check(log, random.randint(first, size - 1))
            compared += result > 0
            failed += result < 0
    print(f"{compared} logs agree, {failed} do not")
    sys.exit(failed > 0 or compared < CUTS)


if __name__ == "__main__":
    main()

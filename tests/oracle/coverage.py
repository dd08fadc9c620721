#!/usr/bin/env python3
"""coverage.py HECTIC VIEW LOG...: a log that is cut at a random place is judged up to the time until which all of
its caps are in it, which is computed here from its blocks. Numbers are then those of that interval of the
whole log, and the same in stat, gc, threads, info and the page. VIEW is tests/wasm/view.c."""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from view_stat import answers

CUTS = 6
OPEN_SPANS = 85  # percent of spans.eventlog: then it covers the beginnings of spans, but not their ends
NONE = 0xFFFF
SHUTDOWN, CAP_DELETE = 7, 46
EVER = 2**64 - 1


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
    """The caps with blocks: up to which time, EVER if they have ended until then; and the time of the last event."""
    sizes, at = header(data)
    until, ended, last = {}, {}, 0
    while at + 24 <= len(data) and data[at : at + 2] == b"\0\x12":
        begin, length, end, cap = struct.unpack_from(">QIQH", data, at + 2)
        stop = min(at + length, len(data))
        written, event, is_damaged = begin, at + 24, False
        while event + 10 <= stop:
            number, time = struct.unpack_from(">HQ", data, event)
            if number not in sizes:
                is_damaged = at + length <= len(data)
                break
            size = sizes[number]
            if size == 0xFFFF and event + 12 <= stop:
                size = 2 + struct.unpack_from(">H", data, event + 10)[0]
            if event + 10 + size > stop:
                break
            if number in (SHUTDOWN, CAP_DELETE):
                ended[struct.unpack_from(">H", data, event + 10)[0] if number == CAP_DELETE else cap] = time
            written, event = max(written, time), event + 10 + size
        written = max(written, end if is_damaged else 0)
        last = max(last, written)
        until[cap] = max(until.get(cap, 0), written, end if event == at + length else 0)
        at += length
    until.pop(NONE, None)
    return {cap: EVER if ended.get(cap, EVER) <= time else time for cap, time in until.items()}, last


def check_damage(log):
    """A block of which bytes are lost counts up to its end: a message there says that events are missing."""
    with open(log, "rb") as file:
        data = bytearray(file.read())
    blocks, at = [], header(data)[1]
    while data[at : at + 2] == b"\0\x12":
        blocks.append((at, struct.unpack_from(">I", data, at + 10)[0]))
        at += blocks[-1][1]
    if len(blocks) < 8:
        return 0  # some of its caps have ended
    at, length = blocks[len(blocks) // 2]
    del data[sum(blocks[len(blocks) // 2 + 1]) :]
    middle = at + length // 2
    data[middle : middle + 100] = b"\xee" * 100
    until, last = covered(data)
    with tempfile.NamedTemporaryFile(suffix=".eventlog") as damaged:
        damaged.write(data)
        damaged.flush()
        got = hectic("info", "--json", damaged.name)[0]["covered_to_ns"]
        page = json.loads(answers(sys.argv[2], damaged.name, ["overview"])[0])["to_ns"]
    if got != page or got != min(last, *until.values()):
        print(f"{log}, damaged: covered to {got}, in the page {page}, instead of {until}, {last}")
        return -1
    return 1


def messages_of(log, *interval):
    """How many spans, markers and other messages it has."""
    done = subprocess.run([sys.argv[1], "spans", "--json", *interval, log], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = json.loads(done.stdout) if done.stdout else {}
    return [found.get(f"{kind}_count", 0) for kind in ("span", "marker", "message")]


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
        part, said = hectic("stat", "--jsonl", cut.name)
        info = hectic("info", "--json", cut.name)[0]
        threads = hectic("threads", "--json", cut.name)[0]
        collections = hectic("gc", "--json", cut.name)[0]["gc"]
        texts = messages_of(cut.name)
        page = json.loads(answers(sys.argv[2], cut.name, ["overview"])[0])
    whole = hectic("stat", "--jsonl", "--from", "0ns", "--to", f"{time}ns", log)[0]
    whole_threads = hectic("threads", "--json", "--from", "0ns", "--to", f"{time}ns", log)[0]
    got = {
        "covered": info["covered_to_ns"],
        "page": (page["to_ns"], page["sections"][0].get("left_out_to_ns")),
        "caps_to": {row["cap"]: row["to_ns"] for row in info["covered_caps"]},
        "said": bool(re.search(r"has all caps until", said)),
        "exit": part["time"]["exit_ns"],
        "gc": part["time"]["gc_main_ns"],
    }
    ends = {cap: got["caps_to"].get(cap) if got["caps_to"].get(cap) == last else min(end, last) for cap, end in until.items()}
    want = {"caps_to": ends, "covered": time, "page": (time, last if last > time else None), "said": last > time, "exit": None, "gc": None}
    if set(until) == set(every) and part["time"]["gc_main_ns"] is not None:
        got["running"] = {row["thread"]: row["running_ns"] for row in threads["threads"]}
        want["running"] = {row["thread"]: row["running_ns"] for row in whole_threads["threads"]}
        got["caps"] = {row["cap"]: row["running_ns"] for row in part["caps"]}
        want["caps"] = {row["cap"]: row["running_ns"] for row in whole["caps"]}
        want["gc"] = whole["time"]["gc_main_ns"]
        got["pauses"] = sum(row["pause_ns"] or 0 for row in collections)
        want["pauses"] = got["gc"]
        got["messages"], want["messages"] = texts, messages_of(log, "--to", f"{time + 1}ns")
    wrong = {key: (got[key], want[key]) for key in got if got[key] != want[key]}
    if wrong:
        print(f"{log}, {length} bytes: got and wanted: {wrong}")
    return -1 if wrong else 1


def main():
    random.seed(19)
    compared = failed = 0
    for log in sys.argv[3:]:
        size = os.path.getsize(log)
        with open(log, "rb") as file:
            first = header(file.read())[1]
        lengths = [random.randint(first, size - 1) for _ in range(CUTS)] + [size * OPEN_SPANS // 100]
        results = [check(log, length) for length in lengths] + [check_damage(log)]
        compared += sum(result > 0 for result in results)
        failed += sum(result < 0 for result in results)
    print(f"{compared} logs agree, {failed} do not")
    sys.exit(failed > 0 or compared < CUTS)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""truncated.py HECTIC VIEW PLACES LOG...: logs that are cut at random places, also of several processes, have the same
numbers in stat, stat --from 0s, threads, gc and the page, up to the time until which all of their caps are in them,
which is computed here from their blocks. VIEW is tests/wasm/view.c."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import coverage
import exact
import view_stat

# What is of whole runs only: see from_zero.py. The page has these of a section that is whole.
OF_WHOLE_RUNS = {"init_ns", "exit_ns", "mutator_ns", "productivity", "allocated_bytes_per_mutator_second", "live_end_bytes"}
LISTED = ("thread", "label", "kind", "born_ns", "ended_ns", "running_ns", "runnable_ns", "runs", "migrations")
REQUESTS = ("stat", "threads", "thread_list", "gc")


def lines(verb, log, *options):
    done = subprocess.run([sys.argv[1], verb, "--jsonl", *options, log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [exact.loads(line) for line in done.stdout.splitlines()]


def shown(verb, log, pattern):
    done = subprocess.run([sys.argv[1], verb, log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return re.findall(pattern, done.stdout.decode(), re.MULTILINE)


def of_section(rows, section):
    """Without the names of a section and process, which the page does not always give."""
    if "process" in section:
        rows = [row for row in rows if row.get("process") == section["process"]]
    else:
        rows = [row for row in rows if row["section"] == section["section"]]
    return [without(row) for row in rows]


def without(row, keys=("section", "process", "pid")):
    return {key: value for key, value in row.items() if key not in keys}


def comparable(row, is_interval):
    """An interval counts INIT as MUT, and sparks that the last collection discards are of whole runs. Without threads,
    collections and allocation, only an interval has a length."""
    row = without(row, ("section", "process", "pid", "warnings"))
    known = [row["time"]["gc_ns"], row["memory"]["allocated_bytes"], *(cap["running_ns"] for cap in row["caps"])]
    if is_interval and all(number is None for number in known):
        row["time"] = without(row["time"], ("total_ns",))
    for part in ("time", "memory") if is_interval else ():
        row[part] = without(row[part], OF_WHOLE_RUNS)
    row["sparks"] = without(row["sparks"] or {}, ("gcd",))
    row["caps"] = [dict(cap, sparks=None) for cap in row["caps"]]
    return row


def text(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def problems(log, time):
    info = json.loads(subprocess.run([sys.argv[1], "info", "--json", log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    whole, part = lines("stat", log), lines("stat", log, "--from", "0s")
    threads, gc = lines("threads", log), lines("gc", log)
    times, totals = shown("info", log, r"^Time +(\S+) elapsed"), shown("stat", log, r"Total +time +\S+ +\( +(\S+) elapsed")
    if times != totals[:len(times)]:
        yield f"info: {times}, stat: {totals}"
    if info["covered_to_ns"] != time:
        yield f"covered to {info['covered_to_ns']}, not {time}"
    if any(row["to_ns"] > time for row in whole + part):
        yield "numbers of later times"
    if len(whole) != len(part) and part:
        yield f"{len(whole)} sections, from 0s {len(part)}"
    for a, b in zip(whole, part):
        if comparable(a, True) != comparable(b, True):
            yield f"stat: {list(view_stat.differing(comparable(a, True), comparable(b, True)))[:4]}"
        if (a["time"]["gc_ns"] is None) != (b["time"]["mutator_ns"] is None):
            yield "MUT is known without GC"
    if text(threads) != text(lines("threads", log, "--from", "0s")):
        yield "threads: other rows from 0s"
    sections = json.loads(view_stat.answers(sys.argv[2], log, ["overview"])[0])["sections"]
    requests = [f"{name}?section={section['section']}" for section in sections for name in REQUESTS]
    answers = iter([exact.loads(answer) for answer in view_stat.answers(sys.argv[2], log, requests)])
    for section in sections:
        stat, table, entries, collections = (next(answers) for _ in REQUESTS)
        name = f"the page's section {section['section']}"
        is_interval = "left_out_to_ns" in section
        want = [comparable(row, is_interval) for row in (part if is_interval else whole) if of_section([row], section)]
        got = [] if "message" in stat else [comparable(stat, is_interval)]
        if want != got:
            yield f"{name}: stat: {list(view_stat.differing(got[0], want[0]))[:4] if want and got else (len(want), len(got))}"
        rows = of_section(threads, section)
        if text(rows) != text(without(row) for row in table.get("threads", [])):
            yield f"{name}: threads"
        if text({key: row[key] for key in LISTED} for row in rows) != text({key: row[key] for key in LISTED} for row in entries.get("threads", [])):
            yield f"{name}: thread_list"
        if text(of_section(gc, section)) != text(without(row) for row in collections.get("collections", [])):
            yield f"{name}: gc"


def main():
    random.seed(23)
    compared = failed = 0
    for log in sys.argv[4:]:
        with open(log, "rb") as file:
            data = file.read()
        first = coverage.header(data)[1]
        for length in sorted(random.randint(first + 24, len(data) - 2) for _ in range(int(sys.argv[3]))):
            until, last = coverage.covered(data[:length])
            with tempfile.NamedTemporaryFile(suffix=".eventlog") as cut:
                cut.write(data[:length])
                cut.flush()
                found = list(problems(cut.name, min(last, *until.values(), last)))
            compared += 1
            failed += bool(found)
            for problem in found:
                print(f"{os.path.basename(log)}, {length} bytes: {problem}")
    print(f"{compared} logs compared, {failed} differ")
    sys.exit(failed > 0 or compared == 0)


main()

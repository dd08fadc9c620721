#!/usr/bin/env python3
"""view_threads.py HECTIC VIEW LOG...: the answers of a page's engine to `threads` are what hectic threads
--json prints, for random intervals. VIEW is tests/wasm/view.c. Prints the number of comparisons."""
import json
import random
import subprocess
import sys

import exact
import view_stat

INTERVALS = 20
MOST = 10000  # rows of an answer
OWN = ("complete", "progress", "left_out")


def answers(view, log, requests):
    return map(json.loads, view_stat.answers(view, log, requests))


def threads(hectic, log, *arguments):
    done = subprocess.run(
        [hectic, "threads", "--json", *arguments, log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return exact.loads(done.stdout or b"null")


def sorted_rows(rows):
    return sorted(rows, key=lambda row: (-row["running_ns"], json.dumps(row)))


def difference(want, got, section, sections):
    rows = [row for row in want["threads"] if row["section"] == section]
    if "message" in got:
        return rows and got["message"]
    shown, kept = sorted_rows(rows), sorted_rows(got["threads"])
    if got["left_out"] != len(rows) - len(kept) or len(kept) != min(MOST, len(rows)):
        return f"{len(kept)} rows and {got['left_out']} others, of {len(rows)}"
    if len(rows) > MOST:  # of those that ran equally long, any
        least = kept[-1]["running_ns"]
        shown = [row for row in shown if row["running_ns"] > least]
        kept = kept[: len(shown)]
    for a, b in zip(kept, shown):
        if a != b:
            return {key: (a[key], b[key]) for key in b if a.get(key) != b[key]}
    for key in want:
        if sections == 1 and key != "threads" and key not in OWN and got[key] != want[key]:
            return key, got[key], want[key]
    return None


def has_processes(rows):
    return any("process" in row for row in rows)


def main():
    hectic, view, *logs = sys.argv[1:]
    compared = failed = rows = 0
    for log in logs:
        overview = next(answers(view, log, ["overview"]), {})
        sections = overview.get("sections", [])
        whole = threads(hectic, log)
        if not sections or not whole or has_processes(whole["threads"]):
            continue
        random.seed(log.split("/")[-1])
        ranges = [None]
        for _ in range(INTERVALS):
            section = random.choice(sections)
            first, last = section["from_ns"] or 0, section["to_ns"] or 0
            a, b = sorted(random.randint(first, last + (last - first) // 50) for _ in range(2))
            if random.random() < 0.5:
                b = min(b, a + (last - first) // 2 ** random.randint(1, 16))
            if a < b:
                ranges.append((a, b))
        random.shuffle(ranges)
        requests, expected = [], []
        for part in ranges:
            limits = ["--from", f"{part[0]}ns", "--to", f"{part[1]}ns"] if part else []
            want = threads(hectic, log, *limits)
            for section in sections:
                number = section["section"]
                query = f"&from={part[0]}&to={part[1]}" if part else ""
                requests.append(f"threads?section={number}{query}")
                expected.append((number, want))
        for request, (number, want), got in zip(requests, expected, answers(view, log, requests)):
            compared += 1
            rows += len(got.get("threads", []))
            differs = difference(want, got, number, len(sections))
            if differs:
                failed += 1
                if failed < 20:
                    print(log, request, differs, sep="\n  ")
        listed = next(answers(view, log, ["thread_list"]))
        for section in [1]:
            want = sorted_rows(row for row in whole["threads"] if row["section"] == section)
            keys = ("thread", "label", "kind", "born_ns", "ended_ns", "running_ns", "runs", "migrations")
            if len(want) <= MOST and sorted(json.dumps([row[key] for key in keys]) for row in want) != sorted(
                json.dumps([row[key] for key in keys]) for row in listed["threads"]
            ):
                failed += 1
                print(log, "thread_list differs")
    print(f"{compared} tables compared, with {rows} threads; {failed} differ")
    sys.exit(failed > 0 or compared == 0 or rows == 0)


if __name__ == "__main__":
    main()

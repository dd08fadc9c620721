#!/usr/bin/env python3
"""view_rare.py HECTIC VIEW LOG...: the answers of a page's engine to `gc`, `spans` and `sparks` are
what these verbs print with --json, for random intervals. VIEW is tests/wasm/view.c. Prints the number
of comparisons."""
import json
import random
import subprocess
import sys

INTERVALS = 6


def answers(view, log, requests):
    out = subprocess.run([view, log], input="\n".join(requests).encode(), stdout=subprocess.PIPE).stdout
    at = out.find(b"\n") + 1
    found = []
    while at < len(out):
        end = out.index(b"\n", at)
        length = int(out[at:end].split()[-1])
        found.append(out[end + 1 : end + 1 + length])
        at = end + 1 + length + 1
    return found


def verb(hectic, name, log, *arguments):
    done = subprocess.run([hectic, name, "--json", *arguments, log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout or "{}")


def rows_of(name, printed):
    return printed if isinstance(printed, list) else printed.get(name, [])


def key_of(row):
    return json.dumps(row, sort_keys=True)


def compare(name, section, printed, got):
    """What differs, or None."""
    key = "collections" if name == "gc" else name
    if not got.get("complete"):
        return f"not complete: {got}"
    want = [row for row in rows_of(name, printed) if row["section"] == section]
    have = got[key]
    if name == "spans":  # in order of their first events
        want, have = sorted(want, key=key_of), sorted(have, key=key_of)
    if want != have:
        for a, b in zip(want, have):
            if a != b:
                return f"{b}\n  instead of\n  {a}"
        return f"{len(have)} rows instead of {len(want)}"
    if isinstance(printed, dict):
        for other, value in printed.items():
            if other != key and got.get(other) != value:
                return f"{other}: {got.get(other)} instead of {value}"
    return None


def main():
    hectic, view, *logs = sys.argv[1:]
    compared = failed = 0
    for log in logs:
        overview = json.loads((answers(view, log, ["overview"]) or [b"{}"])[0])
        sections = [s for s in overview.get("sections", []) if s["from_ns"] is not None]
        if not sections:
            continue
        random.seed(log)
        ranges = [None]
        for _ in range(INTERVALS):
            section = random.choice(sections)
            first, last = section["from_ns"], section["to_ns"]
            a, b = sorted(random.randint(first, last + (last - first) // 50) for _ in range(2))
            if a < b:
                ranges.append((a, b))
        asked = []
        for part in ranges:
            query = f"&from={part[0]}&to={part[1]}" if part else ""
            limits = ["--from", f"{part[0]}ns", "--to", f"{part[1]}ns"] if part else []
            for name in ("gc", "spans", "sparks"):
                printed = verb(hectic, name, log, *limits)
                for section in sections:
                    number = section["section"]
                    totals = printed if len(sections) == 1 else rows_of(name, printed)
                    asked.append((f"{name}?section={number}{query}", name, number, totals))
        for (request, name, number, printed), got in zip(asked, answers(view, log, [a[0] for a in asked])):
            compared += 1
            difference = compare(name, number, printed, json.loads(got))
            if difference:
                failed += 1
                if failed < 20:
                    print(log, request, difference[:1500], sep="\n  ")
    print(f"{compared} answers compared, {failed} differ")
    sys.exit(failed > 0 or compared == 0)


if __name__ == "__main__":
    main()

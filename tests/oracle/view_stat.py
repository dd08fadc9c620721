#!/usr/bin/env python3
"""view_stat.py HECTIC VIEW LOG...: the answers of a page's engine to `stat` are what hectic stat --jsonl
prints, for random intervals. VIEW is tests/wasm/view.c. Prints the number of comparisons."""
import json
import random
import subprocess
import sys

INTERVALS = 12


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


def stat(hectic, log, *arguments):
    done = subprocess.run([hectic, "stat", "--jsonl", *arguments, log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.splitlines()


def is_cut(sections):
    """Some caps end before others: the page has no numbers of the whole run, but of all that is covered."""
    return any("left_out_to_ns" in section for section in sections)


def differing(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a:
            yield from differing(a[key], b.get(key), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, item in enumerate(a):
            yield from differing(item, b[i], f"{path}[{i}]")
    elif a != b:
        yield f"{path}: {a}, not {b}"


def main():
    hectic, view, *logs = sys.argv[1:]
    compared = failed = 0
    for log in logs:
        overview = json.loads((answers(view, log, ["overview"]) or [b"{}"])[0])
        sections = overview.get("sections", [])
        if not sections:
            continue
        random.seed(log)
        ranges = [] if is_cut(sections) else [None]
        for _ in range(INTERVALS):
            section = random.choice(sections)
            first, last = section["from_ns"] or 0, section["to_ns"] or 0
            # Also a little after the end: the interval then ends with the log.
            a, b = sorted(random.randint(first, last + (last - first) // 50) for _ in range(2))
            if a < b:
                ranges.append((a, b))
        requests, expected = [], []
        for part in ranges:
            query = f"&from={part[0]}&to={part[1]}" if part else ""
            limits = ["--from", f"{part[0]}ns", "--to", f"{part[1]}ns"] if part else []
            of = {}
            for line in stat(hectic, log, *limits):
                of.setdefault(json.loads(line)["section"], []).append(line)
            for section in sections:
                number = section["section"]
                lines = of.get(number)
                if lines and "processes" in json.loads(lines[0]):
                    continue  # of the whole, hectic stat prints sums, too
                several = lines and "process" in json.loads(lines[0])
                requests.append(f"stat?section={number}{query}")
                expected.append(b"[" + b",".join(lines) + b"]" if several else lines and lines[0])
        for request, want, got in zip(requests, expected, answers(view, log, requests)):
            compared += 1
            if want is None and b'"message"' in got[:12] or want == got:
                continue
            failed += 1
            if want and failed < 20:
                print(log, request, *[line[:200] for line in differing(json.loads(got), json.loads(want))][:4], sep="\n  ")
            elif failed < 20:
                print(log, request, got[:80], want)
    print(f"{compared} answers compared, {failed} differ")
    sys.exit(failed > 0 or compared == 0)


if __name__ == "__main__":
    main()

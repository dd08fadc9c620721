#!/usr/bin/env python3
"""view_stat.py HECTIC VIEW LOG...: the answers of a page's engine to `stat` are what hectic stat --jsonl
prints, for random intervals, and its pictures of caps have the same shares. VIEW is tests/wasm/view.c. Prints the
number of comparisons."""
import json
import os
import random
import subprocess
import sys

INTERVALS = 12
KINDS = 6  # of time, in pictures


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


def pictured(view, log, sections, ranges):
    """For each section and range: by how many ns it may differ, and the shares of each cap in one column, 0 … 255, by kind."""
    keys = [(one["section"], part) for one in sections for part in ranges if part and part[1] <= (one["to_ns"] or 0)]
    requests = [f"columns?section={number}&from={part[0]}&to={part[1]}&width=1" for number, part in keys]
    found = {}
    for key, got in zip(keys, answers(view, log, requests)):
        caps = next(section["caps"] for section in sections if section["section"] == key[0])
        if got[:4] == b"HCOL":
            # Slots that lie in the column in part are divided.
            coarse = 2 << int.from_bytes(got[12:16], "little")
            found[key] = coarse, {cap: got[16 + KINDS * i : 16 + KINDS * (i + 1)] for i, cap in enumerate(caps)}
    return found


def is_pictured(coarse, shares, length, stat):
    """Are the shares of running and of unknown time those of hectic stat? Of a cap that it does not count, all is unknown."""
    counted = {cap["cap"]: cap for cap in stat["caps"]}
    for number, share in shares.items():
        cap = counted.get(number)
        if not cap and any(share[:-1]):
            return False
        for at, key in ((0, "running_ns"), (KINDS - 1, "unknown_ns")):
            if cap and cap[key] is not None and abs(share[at] - 255 * cap[key] / length) > 1.01 + 255 * coarse / length:
                return False
    return True


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
    compared = failed = pictures = unknown = 0
    for log in logs:
        overview = json.loads((answers(view, log, ["overview"]) or [b"{}"])[0])
        sections = overview.get("sections", [])
        if not sections:
            continue
        name = os.path.basename(log)
        random.seed(name)
        ranges = [] if is_cut(sections) else [None]
        if name == "cut-30-demo.eventlog":
            ranges.append((1164500, 1279765))  # has the first event about a cap without a block
        for _ in range(INTERVALS):
            section = random.choice(sections)
            first, last = section["from_ns"] or 0, section["to_ns"] or 0
            # Also a little after the end: the interval then ends with the log.
            a, b = sorted(random.randint(first, last + (last - first) // 50) for _ in range(2))
            if a < b:
                ranges.append((a, b))
        shares = pictured(view, log, sections, ranges)
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
                if lines and not several and (number, part) in shares:
                    pictures += 1
                    unknown += any(cap["unknown_ns"] for cap in json.loads(lines[0])["caps"])
                    if not is_pictured(*shares[number, part], part[1] - part[0], json.loads(lines[0])):
                        failed += 1
                        print(log, number, part, {cap: list(share) for cap, share in shares[number, part][1].items()})
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
    print(f"{compared} answers and {pictures} pictures compared, {unknown} of these with unknown time; {failed} differ")
    sys.exit(failed > 0 or compared == 0 or unknown == 0)


if __name__ == "__main__":
    main()

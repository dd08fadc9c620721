#!/usr/bin/env python3
"""view_compare.py HECTIC VIEW LOG...: what a page's engine says about two logs, from the numbers of each, is
what hectic compare --json prints, for whole logs and random parts of them. VIEW is tests/wasm/view.c.
Prints the number of comparisons."""
import itertools
import json
import random
import subprocess
import sys

import exact
import view_stat

PARTS = 3
FURTHER = 4  # logs that each is compared with


def ask(view, log, request):
    return next(map(json.loads, view_stat.answers(view, log, [request])))


def extent(view, log):
    """The first and the last event of a log of one section with events; otherwise None."""
    overview = ask(view, log, "overview")
    sections = overview.get("sections", [])
    if len(sections) != 1 or sections[0]["from_ns"] is None or "process" in sections[0]:
        return None
    return sections[0]["from_ns"], sections[0]["to_ns"]


def numbers(view, log, part):
    answer = ask(view, log, f"numbers?from={part[0]}&to={part[1]}" if part else "numbers")
    return answer["numbers"] if "numbers" in answer else None


def page(view, logs, parts):
    texts = [numbers(view, log, part) for log, part in zip(logs, parts)]
    if None in texts:
        return None
    answer = ask(view, logs[0], "comparison\x1e" + "\f".join(texts).replace("\n", "\x1e"))
    assert "compare" in answer, answer
    return answer


def command(hectic, logs, parts):
    options = []
    for names, part in zip((("--from", "--to"), ("--new-from", "--new-to")), parts):
        for name, ns in zip(names, part or ()):
            options += [name, f"{ns}ns"]
    done = subprocess.run([hectic, "compare", "--json", *options, *logs], capture_output=True)
    return exact.loads(done.stdout) if done.stdout else None


def difference(want, got):
    if want == got:
        return None
    if want is None or got is None:
        return f"only {'the page' if want is None else 'the command'} has numbers"
    for key in want:
        if want[key] == got.get(key):
            continue
        if key != "compare":
            return f"{key}: {got.get(key)} instead of {want[key]}"
        rows = [{row["number"]: row for row in side[key]} for side in (want, got)]
        for name in {**rows[0], **rows[1]}:
            if rows[0].get(name) != rows[1].get(name):
                return f"{rows[1].get(name)} instead of {rows[0].get(name)}"
        return "the order"
    return "further members"


def part_of(bounds):
    first, last = bounds
    a, b = sorted(random.randint(first, last) for _ in range(2))
    return a, b + 1


def main():
    hectic, view, *logs = sys.argv[1:]
    bounds = {log: extent(view, log) for log in logs}
    known = [log for log in logs if bounds[log]]
    compared = failed = 0
    for place, old in enumerate(known):
        for new in itertools.islice(itertools.cycle(known), place, place + FURTHER):
            random.seed(f"{old} {new}")
            for part in range(PARTS + 1):
                parts = [part_of(bounds[log]) if part else None for log in (old, new)]
                wrong = difference(command(hectic, (old, new), parts), page(view, (old, new), parts))
                compared += 1
                if wrong:
                    print(f"{old} {new} {parts}: {wrong}")
                    failed += 1
    print(f"{compared} comparisons of {len(known)} logs")
    sys.exit(failed > 0 or compared < 10)


main()

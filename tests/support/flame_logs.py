"""Logs of profiles for tests of compare --flame: flame_logs.py DIRECTORY. Runs of an old and of a new program, whose
cost centres have other numbers in each run; the new one lacks a function, and has another."""

import random
import sys

from made_profiles import (SHORT, bands_of, begin, call_stack, cost_centre, end_of_sample, event, fixed, heap_begin,
                           info_table, log, marker, text, tick, ticks_begin)

FRAMES = ["main", "parse", "lex", "render", "layout", "draw"]
HOSTILE = SHORT + ["<script>alert(1)</script>", "a & b", "]]>", "<!--", "' onload='x", '" onload="x', "</style>",
                   "http://example.org/x.js", "javascript:alert(1)"]


def stacks(rng, frames):
    return [[rng.choice(frames) for _ in range(rng.randint(0, 6))] for _ in range(25)]


def numbered(rng, names):
    numbers = list(range(1, len(names) + 1))
    rng.shuffle(numbers)
    return dict(zip(names, numbers))


def definitions(numbers, shift):
    return b"".join(cost_centre(number, name, place=f"Main.hs:{shift + i}:1-9")
                    for i, (name, number) in enumerate(numbers.items()))


def time_log(rng, frames, shift, hot):
    numbers, at = numbered(rng, frames), 0
    events = ticks_begin(1000000) + definitions(numbers, shift)
    for number in range(400):
        at += rng.randint(900000, 1300000)
        stack = rng.choice(stacks(rng, frames)) if rng.random() < 0.5 else ["main", hot]
        events += tick(at, [numbers[f] for f in reversed(stack)], number=number)
    return log(events)


def heap_log(rng, frames, shift, hot):
    numbers = numbered(rng, frames)
    events = heap_begin(1) + definitions(numbers, shift)
    for number in range(1, 6):
        bands = [(rng.randint(1, 10**6), [numbers[f] for f in reversed(stack)])
                 for stack in stacks(rng, frames) + [["main", hot]]]
        events += begin(number * 10**6) + bands_of(number * 10**6, *bands) + end_of_sample(number * 10**6)
    return log(events)


def type_log(rng, frames, _shift, hot):
    events = heap_begin(4)
    for number in range(1, 4):
        bands = [(rng.randint(1, 10**6), name) for name in frames + [hot]]
        events += begin(number * 10**6) + bands_of(number * 10**6, *bands) + end_of_sample(number * 10**6)
    return log(events)


def long_log(_rng, _frames, _shift, hot):
    """Stacks that differ where their texts are cut; which one is larger depends on the run."""
    names = [f"a_function_of_a_long_name_{i}" for i in range(20)] + ["render", "legacy"]
    numbers = {name: i + 1 for i, name in enumerate(names)}
    bands = [(2000 if name == hot else 1000, [*range(1, 21), numbers[name]]) for name in names[20:]]
    return log(heap_begin(1) + definitions(numbers, 1) + begin(10**6) + bands_of(10**6, *bands) + end_of_sample(10**6))


def call_log(rng, frames, shift, hot):
    """Addresses differ from run to run."""
    base = rng.randint(1, 2**40) * 16
    events = b"".join(info_table(base + 16 * i, name, "Main", f"Main.hs:{shift + i}:1-9")
                      for i, name in enumerate(frames))
    at = 0
    for _ in range(200):
        at += rng.randint(900000, 1300000)
        stack = rng.choice(stacks(rng, frames)) + [hot]
        events += call_stack(at, [base + 16 * frames.index(f) for f in reversed(stack)])
    return log(events)


def hostile_log(rng, _frames, _shift, _hot):
    numbers = {i: i + 1 for i in range(len(HOSTILE))}
    events = ticks_begin(1000000)
    events += b"".join(cost_centre(numbers[i], name, module="") for i, name in enumerate(HOSTILE))
    at = 0
    for number, i in enumerate([i for i in numbers for _ in range(rng.randint(1, 9))]):
        at += 1000000
        events += tick(at, [numbers[i]], number=number)
    for i, name in enumerate(HOSTILE):
        for word, when in (("START ", 1000 * i), ("STOP ", 1000 * i + rng.randint(1, 900))):
            payload = (word.encode() + (name if isinstance(name, bytes) else name.encode()))[:60000]
            events += event(19, at + when, payload)
    return log(events)


def deep_log(rng, _frames, _shift, _hot):
    """More than can be drawn."""
    names = [f"f{i}" for i in range(250)]
    numbers = numbered(rng, names)
    events, at = ticks_begin(1000000) + definitions(numbers, 1), 0
    for number in range(1200):
        at += 1000000
        stack = [rng.choice(names) for _ in range(rng.randint(1, 255))]
        events += tick(at, [numbers[f] for f in stack], number=number)
    return log(events)


def marker_log(_rng, _frames, shift, _hot):
    """More labels than a table of the page has."""
    return log(b"".join(marker(1000 + i, f"{shift} {i} x") for i in range(10000 + shift)))


def main():
    kinds = {"time": time_log, "heap": heap_log, "type": type_log, "call": call_log, "hostile": hostile_log,
             "deep": deep_log, "long": long_log, "markers": marker_log}
    for kind, make in kinds.items():
        for side, runs in (("old", 2), ("new", 3)):
            for run in range(1, runs + 1):
                rng = random.Random(f"{kind} {side} {run}")
                frames = FRAMES + (["legacy"] if side == "old" else ["validate"])
                hot = "legacy" if side == "old" else "render"
                with open(f"{sys.argv[1]}/{kind}-{side}{run}.eventlog", "wb") as out:
                    out.write(make(rng, frames, 10 if side == "old" else 17, hot))


main()

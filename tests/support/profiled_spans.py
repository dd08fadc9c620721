"""Logs of threads in spans, with time profiles: profiled_spans.py DIRECTORY."""

import os
import random
import struct
import sys

from made_profiles import call_stack, cost_centre, event, fixed, info_table, log, tick, ticks_begin

CAPS, NO_CAP, MOST = 3, 0xFFFF, 4000000


def block(cap, events, end):
    return fixed(18, 0, struct.pack(">IQH", 24 + len(events), end, cap)) + events


def runs_of(rng, cap):
    """What threads do on a cap: each has its own threads. Spans nest, and some have the same label."""
    at, events, opened = 0, fixed(45, 0, struct.pack(">H", cap)), {}
    for thread in range(4):
        events += fixed(0, 0, struct.pack(">I", 10 * cap + thread))
    while at < MOST:
        thread = 10 * cap + rng.randint(0, 3)
        labels = opened.setdefault(thread, [])
        at += rng.randint(0, 20000)
        events += fixed(1, at, struct.pack(">I", thread))
        for _ in range(rng.randint(0, 4)):
            at += rng.randint(1, 30000)
            if labels and rng.random() < 0.5:
                label = labels.pop(rng.randrange(len(labels)) if rng.random() < 0.2 else -1)
                events += event(19, at, f"STOP {label}".encode())
            elif len(labels) < 5:
                labels.append(rng.choice(["request", "parse", "write", b"\xe4".decode("latin-1")]))
                events += event(19, at, f"START {labels[-1]}".encode())
        at += rng.randint(1, 30000)
        events += fixed(2, at, struct.pack(">IHI", thread, rng.choice([1, 2, 3]), 0))
    return block(cap, events, at)


def samples_of(rng, source):
    events = ticks_begin(10000) + b"".join(cost_centre(n, f"f{n}") for n in range(1, 8))
    events += b"".join(info_table(n, f"g{n}", "Main", "Main.hs:1:1-2") for n in range(1, 8))
    for number in range(1, MOST // 10000):
        at = number * 10000 + rng.randint(0, 3000)
        for cap in range(CAPS):
            stack = [rng.randint(1, 7) for _ in range(rng.randint(0, 5))]
            if source == "ticks":
                events += tick(at + cap, stack, cap, number)
            else:
                events += call_stack(at + cap, stack, cap, 10 * cap + rng.randint(0, 3))
    return block(NO_CAP, events, MOST)


for source in "ticks", "call-stacks":
    rng = random.Random(source)
    with open(os.path.join(sys.argv[1], f"spans-{source}.eventlog"), "wb") as file:
        file.write(log(*(runs_of(rng, cap) for cap in range(CAPS)), samples_of(rng, source)))

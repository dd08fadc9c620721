"""Compares what hectic ticky --json prints with sums over the events, which this program reads and
adds up by itself. See ticky_oracle.sh.

    ticky_oracle.py make DIRECTORY          logs as newer GHCs write them
    ticky_oracle.py check HECTIC LOG COUNT  the whole log, COUNT random intervals, and slices"""
import json
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import eventlog

ALLOCATED, IPE, DEFINITION, SAMPLE, BEGIN, SYNC = 49, 169, 210, 211, 212, 1999
SIZES = {ALLOCATED: 12, SAMPLE: 32, BEGIN: 0, 45: 2}
LIMIT = 2**64 - 1
LETTERS = "+>CIFDWTPLESM.cifdwp"
HEADERS = {"fun": 1, "thk": 2, "thk_u": 2}
NAMES = ("fun", "thk", "con", "LNE")


def add(a, b):
    return min(a + b, LIMIT)


# --- Logs -------------------------------------------------------------------------------------


def letters(rng):
    return "".join(rng.choices(LETTERS, k=rng.randrange(5)))


def definition(rng, number):
    name = f"Main.f{number}{{v r{number}}}"
    kinds, json_text, arity = letters(rng), "", rng.randrange(5)
    kind = rng.choice(["fun", "lne", "thk", "thk_u", "con", "tag", "odd"])
    info = 0x400000 + 16 * number if rng.random() < 0.7 else 0
    if kind == "tag":
        kinds = json_text = "infer"
    elif kind == "odd":
        name += rng.choice(["", "\t\"\n\x1b[31m", "ä€😀"])
        json_text = rng.choice(["", "{", '{"fvs":3}', '{"x":{"fvs":"no"},"args":"L"}'])
    else:
        name += {"fun": " (fun)", "lne": " (LNE) in r1", "con": " (con: GHC.Tuple.(,))"}.get(kind, " (thk)")
        json_text = json.dumps({"type": "entCntr", "subTy": kind, "fvs_c": 1, "fvs": letters(rng), "args": kinds})
    payload = struct.pack(">QH", number, arity) + kinds.encode() + b"\0" + name.encode() + b"\0"
    if rng.random() < 0.9:
        payload += struct.pack(">Q", info)
        if rng.random() < 0.9:
            payload += json_text.encode() + b"\0"
    return payload


def info_table(number):
    texts = [f"f{number}_info", "15", "Int", f"f{number}", "Main", f"Main.hs:{number}:1-9"]
    return struct.pack(">Q", 0x400000 + 16 * number) + b"".join(t.encode() + b"\0" for t in texts)


def make_section(rng, caps, counters, groups, large):
    """The counters' events stand in the global buffer, allocation in those of the caps."""
    numbers = rng.sample(range(1, 10 * counters), counters) + [0, LIMIT]
    out, time, allocated = [], 0, [0] * caps
    for cap in range(caps):
        out.append((0, 65535, 45, struct.pack(">H", cap)))
    defined = [(65535, DEFINITION, definition(rng, n)) for n in numbers if n < LIMIT and rng.random() < 0.9]
    tables = [(65535, IPE, info_table(n)) for n in numbers if n < LIMIT and rng.random() < 0.8]
    early = [e for e in defined + tables if rng.random() < 0.3]
    out += [(0, *e) for e in early]
    for _ in range(groups):
        time += rng.randrange(1, 10**8)
        out.append((time, 65535, BEGIN, b""))
        for number in numbers:
            if rng.random() < 0.4:
                continue
            time += rng.randrange(3)
            values = [rng.randrange(large if rng.random() < 0.02 else 10**6) for _ in range(3)]
            out.append((time, 65535, SAMPLE, struct.pack(">QQQQ", number, *values)))
        for cap in range(caps):
            allocated[cap] += rng.randrange(10**8)
            when = time - rng.randrange(10**6)  # the caps' buffers are written later
            out.append((max(when, 0), cap, ALLOCATED, struct.pack(">IQ", 0, allocated[cap])))
    out += [(time + 1, *e) for e in defined + tables]
    return eventlog.write(out, SIZES)


def make(directory):
    for seed, (caps, counters, groups, large) in enumerate(
        [(1, 1, 1, 10**6), (1, 20, 10, 10**6), (4, 200, 30, 10**9), (2, 30, 20, LIMIT)]
    ):
        rng = random.Random(seed)
        with open(f"{directory}/ticky-{seed}.eventlog", "wb") as log:
            log.write(make_section(rng, caps, counters, groups, large))
            if seed == 2:  # a restarted log
                log.write(make_section(rng, caps, counters, groups, large))
    # What all versions of ghc-events can read: no definitions.
    with open(f"{directory}/ticky-1.eventlog", "rb") as log:
        events = [e for e in eventlog.read(log.read())[0] if e[2] not in (18, IPE, DEFINITION)]
    with open(f"{directory}/samples.eventlog", "wb") as log:
        log.write(eventlog.write(events, SIZES))


# --- The reference ----------------------------------------------------------------------------


class Counter:
    def __init__(self):
        self.name = self.type = self.fvs = self.args = self.arity = None
        self.info = 0
        self.sums, self.samples, self.times = [0, 0, 0], 0, []

    def define(self, payload):
        self.arity = struct.unpack_from(">H", payload, 8)[0]
        kinds, name, rest = payload[10:].split(b"\0", 2)
        self.name, self.args = name.decode(), kinds.decode()
        self.info, self.fvs, self.type = 0, None, None
        text = None
        if len(rest) >= 8:
            self.info, rest = struct.unpack_from(">Q", rest)[0], rest[8:]
            text = rest[:-1].decode() if rest.endswith(b"\0") else None
        for kind in NAMES:
            if f" ({kind}" in self.name:
                self.type = kind.lower()
        if self.args == "infer":
            self.type, self.args = "tag", None
            return
        try:
            fields = json.loads(text or "")
        except ValueError:
            fields = {}
        strings = {k: v for k, v in fields.items() if isinstance(v, str)}
        self.type = strings.get("subTy", strings.get("type", self.type))
        self.fvs = strings.get("fvs")
        self.args = strings.get("args", self.args)


def unwrap(event):
    time, cap, number, payload = event
    if number != SYNC:
        return time, cap, number, payload, False
    number, cap = struct.unpack_from(">HH", payload)
    return time, cap, number, payload[4:], True


def reference(events, start, end):
    """The counters with samples, and the program's allocation, in an interval of a section."""
    counters, tables, last, growth = {}, {}, {}, None
    for time, cap, number, payload, is_replayed in map(unwrap, events):
        inside = start <= time < end
        if number == DEFINITION:
            counters.setdefault(struct.unpack_from(">Q", payload)[0], Counter()).define(payload)
        if number == IPE:
            parts = payload[8:].split(b"\0")
            tables[struct.unpack_from(">Q", payload)[0]] = [p.decode() for p in parts]
        if number == ALLOCATED:
            value = struct.unpack_from(">Q", payload, 4)[0]
            if inside and not is_replayed:
                growth = add(growth or 0, max(value - last.get(cap, 0), 0))
            last[cap] = max(value, last.get(cap, 0))
        if number == SAMPLE and inside and not is_replayed:
            counter, *values = struct.unpack(">QQQQ", payload[:32])
            found = counters.setdefault(counter, Counter())
            found.sums = [add(a, b) for a, b in zip(found.sums, values)]
            found.samples += 1
            found.times.append(time)
    return {n: c for n, c in counters.items() if c.samples}, tables, growth


def row(counter, tables, ticked, growth, duration):
    entries, allocs, allocd = counter.sums
    table = tables.get(counter.info)
    closures = None
    if counter.type in HEADERS and counter.fvs is not None:
        closures = allocd // (8 * (HEADERS[counter.type] + len(counter.fvs))) or None
    return {
        "label": counter.name,
        "type": counter.type,
        "arity": counter.arity,
        "free_variables": counter.fvs,
        "arguments": counter.args,
        "entries": entries,
        "allocs_bytes": allocs,
        "allocd_bytes": allocd,
        "allocs_share": allocs / growth if growth else None,
        "ticked_share": allocs / ticked if ticked else None,
        "allocs_per_entry_bytes": allocs // entries if entries else None,
        "allocd_closures": closures,
        "entries_per_closure": entries / closures if closures else None,
        "entries_per_second": entries / duration * 1e9 if duration else None,
        "allocs_per_second_bytes": allocs / duration * 1e9 if duration else None,
        "module": table[4] if table else None,
        "location": table[5] if table else None,
        "ipe_label": table[3] if table else None,
        "ipe_type": table[2] if table else None,
        "samples": counter.samples,
        "first_ns": counter.times[0],
        "last_ns": counter.times[-1],
    }


# --- Comparing --------------------------------------------------------------------------------


def equal(name, expected, got):
    if expected is None or got is None or isinstance(expected, str):
        return expected == got
    if name.endswith("_share") or name == "entries_per_closure":
        return abs(got - expected) <= 1e-5 * abs(expected)
    if "_per_second" in name:
        return abs(got - min(expected, LIMIT)) <= 0.51 + 1e-9 * expected
    return expected == got


def hectic(command, *arguments):
    done = subprocess.run([command, "ticky", "--json", *arguments], capture_output=True)
    assert done.returncode in (0, 1), (arguments, done)
    return json.loads(done.stdout)


def compare(what, expected, got):
    assert expected.keys() == got.keys(), (what, expected.keys() ^ got.keys())
    for key, values in expected.items():
        for name, value in values.items():
            assert equal(name, value, got[key][name]), (what, key, name, value, got[key][name])


def clipped(events, start, end):
    first, last = min(e[0] for e in events), max(e[0] for e in events)
    return max(min(end, last) - max(start, first), 0)


def expected_of(sections, start, end):
    rows, totals = {}, {}
    for number, events in enumerate(sections, 1):
        counters, tables, growth = reference(events, start, end)
        sums = [0, 0, 0]
        for counter in counters.values():
            sums = [add(a, b) for a, b in zip(sums, counter.sums)]
        duration = clipped(events, start, end)
        for key, counter in counters.items():
            rows[number, key] = row(counter, tables, sums[1], growth, duration)
        totals[number] = {
            "counters": len(counters),
            "samples": sum(c.samples for c in counters.values()),
            "entries": sums[0],
            "allocs_bytes": sums[1],
            "allocd_bytes": sums[2],
            "allocated_bytes": growth,
            "duration_ns": duration,
        }
    return rows, totals


def check(command, path, count):
    sections = eventlog.read(open(path, "rb").read())
    rng = random.Random(7)
    last = max(e[0] for events in sections for e in events)
    whole = (0, LIMIT)
    intervals = [whole] + [tuple(sorted(rng.randrange(last + 2) for _ in range(2))) for _ in range(count)]
    for start, end in intervals:
        bounds = [] if (start, end) == whole else ["--from", f"{start}ns", "--to", f"{end}ns"]
        got = hectic(command, path, *bounds)
        rows, totals = expected_of(sections, start, end)
        compare(bounds, rows, {(r["section"], r["counter"]): r for r in got["counters"]})
        compare(bounds, totals, {s["section"]: s for s in got["sections"]})
    # Slices, each as an interval of its own, in which the program's allocation is not known.
    every = max(last // 7, 1)
    got = hectic(command, path, "--every", f"{every}ns")
    rows, described = {}, expected_of(sections, *whole)[0]
    for start in range(0, last + 1, every):
        for (section, key), values in expected_of(sections, start, start + every)[0].items():
            for name in ("label", "type", "arity", "free_variables", "arguments"):
                values[name] = described[section, key][name]
            values.update(allocs_share=None, from_ns=start, to_ns=start + every)
            rows[section, start, key] = values
    compare("slices", rows, {(r["section"], r["from_ns"], r["counter"]): r for r in got["counters"]})
    order = [(r["section"], r["from_ns"], -r["allocs_bytes"]) for r in got["counters"]]
    assert order == sorted(order)
    print(f"{path}: {len(rows)} rows of slices, {len(intervals)} intervals")


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    check(sys.argv[2], sys.argv[3], int(sys.argv[4]))

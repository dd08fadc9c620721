"""Compares what hectic heap --nonmoving prints with what this program computes from the events, which
it reads by itself. See nonmoving_oracle.sh.

    nonmoving_oracle.py make DIRECTORY            logs as newer GHCs write them
    nonmoving_oracle.py check HECTIC LOG COUNT    the whole log, and COUNT random intervals
    nonmoving_oracle.py show HECTIC LOG SHOW      the censuses, as ghc-events prints them
    nonmoving_oracle.py rts HECTIC LOG TEXT       synchronizations, as +RTS -s prints them"""
import csv
import io
import json
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import eventlog

MARK, MARK_END, SYNC, SYNC_END, SWEEP, SWEEP_END, FLUSH, CENSUS, PRUNED = range(200, 209)
CAP_CREATE, GC_STATS = 45, 53
OWN = {MARK, MARK_END, SYNC, SYNC_END, SWEEP, SWEEP_END, CENSUS, PRUNED}
SIZES = {CAP_CREATE: 2, MARK: 0, MARK_END: 4, SYNC: 0, SYNC_END: 0, SWEEP: 0, SWEEP_END: 0, FLUSH: 2,
         CENSUS: 14, PRUNED: 8}
LIMIT = 2**64 - 1
BLOCKS = [*range(8, 136, 8), *(2**n for n in range(8, 15))]


# --- Logs -------------------------------------------------------------------------------------


def make_section(rng, caps, collections):
    out = [(0, 65535, CAP_CREATE, struct.pack(">H", cap)) for cap in range(caps)]
    time = 0

    def post(number, payload=b"", cap=65535):
        nonlocal time
        time += rng.randrange(1, 10**6)
        out.append((time, cap, number, payload))

    for _ in range(collections):
        for _ in range(rng.randrange(1, 3)):
            post(MARK)
            post(MARK_END, struct.pack(">I", rng.randrange(10**5)))
        post(SYNC)
        post(SYNC)
        for cap in range(caps):
            post(FLUSH, struct.pack(">H", cap), cap)
        for _ in range(3):
            post(MARK)
            post(MARK_END, struct.pack(">I", rng.randrange(10)))
        post(SYNC_END)
        post(SYNC_END)
        post(SWEEP)
        post(SWEEP_END)
        for size in BLOCKS:
            blocks = (32768 - 24) // (size + 1)
            active, filled = rng.randrange(5), rng.randrange(5)
            live = filled * blocks + rng.randrange(blocks * (active + caps) + 1)
            post(CENSUS, struct.pack(">HIII", size, active, filled, live))
        if rng.random() < 0.5:
            post(PRUNED, struct.pack(">II", rng.randrange(100), rng.randrange(100)))
    return eventlog.write(out, SIZES)


def make(directory):
    for seed, (caps, collections) in enumerate([(1, 1), (4, 30), (2, 200)]):
        rng = random.Random(seed)
        with open(f"{directory}/nonmoving-{seed}.eventlog", "wb") as log:
            log.write(make_section(rng, caps, collections))
            if seed == 1:
                log.write(make_section(rng, caps + 1, collections))


# --- The reference ----------------------------------------------------------------------------


def phases_of(events):
    """(phase, begin, end) of each phase; the events of a synchronization come twice."""
    opened, out, previous = {}, [], None
    for time, _, number, _ in events:
        if number not in OWN:
            continue
        if number == SYNC and previous != SYNC:
            opened["sync"] = time
        if number == MARK:
            opened["final mark" if "sync" in opened else "mark"] = time
        if number == SWEEP:
            opened = {"sweep": time, **({"mark": opened["mark"]} if "mark" in opened else {})}
        ended = {MARK_END: "final mark" if "final mark" in opened else "mark", SYNC_END: "sync", SWEEP_END: "sweep"}
        if ended.get(number) in opened:
            out.append((ended[number], opened.pop(ended[number]), time))
        previous = number
    return out


def censuses_of(events):
    """(time, {block size: numbers}) of each census."""
    caps, out, closed = 1, [], True
    for time, _, number, payload in events:
        if number == CAP_CREATE:
            caps = max(caps, struct.unpack(">H", payload)[0] + 1)
        if number in OWN and number != CENSUS:
            closed = True
        if number != CENSUS:
            continue
        if len(payload) == 13:
            size, active, filled, live = struct.unpack(">BIII", payload)
            size = 2**size
        else:
            size, active, filled, live = struct.unpack_from(">HIII", payload)
        if closed or size <= max(out[-1][1]):
            out.append((time, {}))
        closed = False
        segments = active + filled + caps
        out[-1][1][size] = {
            "segments": segments,
            "active_segments": active,
            "filled_segments": filled,
            "current_segments": caps,
            "live_blocks": live,
            "live_bytes": live * size,
            "capacity_bytes": segments * ((32768 - 24) // (size + 1)) * size,
        }
    return out


def expected_of(events, start, end):
    inside = [e for e in events if start <= e[0] < end]
    pruned = [struct.unpack(">II", e[3]) for e in inside if e[2] == PRUNED]
    phases = {name: [] for name in ("mark", "sync", "final mark", "sweep")}
    for phase, begin, at in phases_of(events):
        if start <= at < end:
            phases[phase].append(at - begin)
    return {
        "phases": [
            {"phase": name, "count": len(ns), "total_ns": sum(ns), "max_ns": max(ns, default=None)}
            for name, ns in phases.items()
        ],
        "marked_objects": sum(struct.unpack(">I", e[3])[0] for e in inside if e[2] == MARK_END),
        "flushes": sum(e[2] == FLUSH for e in inside),
        "pruned_segments": sum(p for p, _ in pruned) if pruned else None,
        "free_segments": pruned[-1][1] if pruned else None,
        "malformed": 0,
    }


# --- Comparing --------------------------------------------------------------------------------


def hectic(command, *arguments):
    done = subprocess.run([command, "heap", "--nonmoving", *arguments], capture_output=True, text=True)
    assert done.returncode in (0, 1), (arguments, done)
    return done.stdout


def check(command, path, count):
    sections = eventlog.read(open(path, "rb").read())
    rng = random.Random(5)
    last = max(e[0] for events in sections for e in events)
    whole = (0, LIMIT)
    intervals = [whole] + [tuple(sorted(rng.randrange(last + 2) for _ in range(2))) for _ in range(count)]
    for start, end in intervals:
        bounds = [] if (start, end) == whole else ["--from", f"{start}ns", "--to", f"{end}ns"]
        got = json.loads(hectic(command, "--json", path, *bounds))["sections"]
        table = list(csv.DictReader(io.StringIO(hectic(command, "--csv", path, *bounds))))
        assert len(got) == len(sections)
        rows = []
        for number, (events, section) in enumerate(zip(sections, got), 1):
            for key, value in expected_of(events, start, end).items():
                assert section[key] == value, (bounds, key, value, section[key])
            censuses = [(i, *c) for i, c in enumerate(censuses_of(events)) if start <= c[0] < end]
            assert len(censuses) == len(section["censuses"]), (bounds, number)
            for (index, time, sizes), census in zip(censuses, section["censuses"]):
                assert (index, time) == (census["census"], census["time_ns"])
                for key in ("segments", "live_bytes", "capacity_bytes"):
                    assert census[key] == sum(size[key] for size in sizes.values()), (bounds, key)
                listed = [{"block_bytes": k, **{n: v for n, v in s.items() if n != "segments"}} for k, s in sizes.items()]
                assert census["sizes"] == listed, (bounds, index)
                rows += [(number, index, time, k, *s.values()) for k, s in sizes.items()]
        printed = [tuple(int(v) for k, v in row.items() if k != "occupancy_share") for row in table]
        assert printed == rows, bounds
        assert all(abs(float(row["occupancy_share"]) - int(row["live_bytes"]) / int(row["capacity_bytes"])) < 1e-5
                   and float(row["occupancy_share"]) <= 1 for row in table)
    print(f"{path}: {sum(len(censuses_of(e)) for e in sections)} censuses, {len(intervals)} intervals")


def show(command, path, text):
    pattern = r"nonmoving heap census (\d+): (\d+) active segments, (\d+) filled segments, (\d+) live blocks"
    shown = [tuple(map(int, m)) for m in re.findall(pattern, open(text, encoding="utf-8").read())]
    section = json.loads(hectic(command, "--json", path))["sections"][0]
    keys = ("block_bytes", "active_segments", "filled_segments", "live_blocks")
    assert shown == [tuple(s[k] for k in keys) for c in section["censuses"] for s in c["sizes"]]
    print(f"{path}: {len(shown)} sizes, as ghc-events prints them")


def rts(command, path, text):
    """The runtime takes its times between the two events at the begin of a synchronization, and
    between those at its end."""
    found = re.search(r"(\d+) syncs,\s+([\d.]+)s", open(text, encoding="utf-8").read())
    log = eventlog.read(open(path, "rb").read())[0]
    majors = sum(e[2] == GC_STATS and e[3][4:6] == b"\0\1" for e in log)
    events = [e for e in log if e[2] in (SYNC, SYNC_END)]
    assert [e[2] for e in events] == [SYNC, SYNC, SYNC_END, SYNC_END] * (len(events) // 4)
    groups = [[e[0] for e in events[i : i + 4]] for i in range(0, len(events), 4)]
    low = sum(g[2] - g[1] for g in groups) / 1e9
    high = sum(g[3] - g[0] for g in groups) / 1e9
    phases = json.loads(hectic(command, "--json", path))["sections"][0]["phases"]
    sync = next(p for p in phases if p["phase"] == "sync")
    # The runtime calls major collections synchronizations. One that begins during a concurrent
    # collection, or at the exit of the program, has none.
    assert int(found[1]) == majors >= sync["count"] == len(groups), (found[0], majors, sync)
    assert low - 0.001 <= float(found[2]) <= high + 0.001, (low, found[0], high)
    assert low <= sync["total_ns"] / 1e9 <= high, (low, sync, high)
    print(f"{path}: {found[0]} by +RTS -s; {sync['count']} syncs, {sync['total_ns'] / 1e9:.6f}s")


if sys.argv[1] == "make":
    make(sys.argv[2])
elif sys.argv[1] == "check":
    check(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    {"show": show, "rts": rts}[sys.argv[1]](*sys.argv[2:5])

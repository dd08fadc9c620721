"""Slow references for the tables of verbs, from the bytes of a log: what the test of each verb compares.

    verbs.py agrees VERB LOG…        CSV and JSON have the same rows, which are those of the reference
    verbs.py limits VERB COLUMN LOG  --sort and --limit
    verbs.py damage LOG              prints the log with an event of no known type in its middle
    verbs.py without TYPE N LOG      prints the log's events of threads without the Nth of that type
"""
import collections
import csv
import io
import json
import os
import struct
import subprocess
import sys

import eventlog

CREATE_THREAD, RUN_THREAD, STOP_THREAD, RUNNABLE, MIGRATE, WAKEUP, LABEL = 0, 1, 2, 3, 4, 8, 44
GC_START, GC_END, GC_STATS, HEAP_SIZE, HEAP_LIVE = 9, 10, 53, 50, 51
TASK_CREATE, TASK_MIGRATE, TASK_DELETE = 55, 56, 57
USER_MSG, COUNTERS, SPARK_RUN, SPARK_STEAL = 19, 34, 38, 39
FINISHED = 5


def by_time(path):
    """Each section's events."""
    with open(path, "rb") as file:
        return [sorted(events, key=lambda event: event[0]) for events in eventlog.read(file.read())]


def number(payload):
    return int.from_bytes(payload, "big")


def threads(events):
    rows, since, cap_of = {}, {}, {}
    for time, cap, kind, payload in events:
        if kind not in (CREATE_THREAD, RUN_THREAD, STOP_THREAD, LABEL):
            continue
        thread = number(payload[:4])
        row = rows.setdefault(thread, {"thread": thread, "runs": 0, "running_ns": 0, "ended_ns": None, "label": None})
        if kind == CREATE_THREAD:
            row["born_ns"] = time
        elif kind == RUN_THREAD:
            row["runs"] += 1
            since[thread], cap_of[thread] = time, cap
        elif kind == STOP_THREAD:
            row["running_ns"] += time - since[thread]
            if number(payload[4:6]) == FINISHED:
                row["ended_ns"] = time
        elif row["ended_ns"] is None:
            row["label"] = payload[4:].decode()
    return rows.values()


def collections_of(events):
    rows, start, end = [], {}, {}
    for time, cap, kind, payload in events:
        if kind == GC_START:
            start[cap] = time
        elif kind == GC_END:
            end[cap] = time
        elif kind == GC_STATS:
            _, generation, copied, slop, fragmentation, at_work = struct.unpack(">IHQQQI", payload[:34])
            rows.append({"start_ns": start[cap], "end_ns": end[cap], "pause_ns": end[cap] - start[cap], "cap": cap,
                         "generation": generation, "copied_bytes": copied, "slop_bytes": slop,
                         "fragmentation_bytes": fragmentation, "threads": at_work, "live_bytes": None})
        elif kind == HEAP_SIZE and rows and rows[-1]["cap"] == cap:
            rows[-1].setdefault("heap_after_bytes", number(payload[4:]))
        elif kind == HEAP_LIVE and rows and rows[-1]["cap"] == cap:
            rows[-1]["live_bytes"] = number(payload[4:])
    return rows


def tasks(events):
    rows, alive = [], {}
    for time, _, kind, payload in events:
        if kind == TASK_CREATE:
            task, cap, thread = struct.unpack(">QHQ", payload)
            alive[task] = {"task": hex(task), "os_thread": thread, "created_ns": time, "deleted_ns": None,
                           "lifetime_ns": None, "first_cap": cap, "last_cap": cap, "migrations": 0}
            rows.append(alive[task])
        elif kind == TASK_MIGRATE:
            task, _, cap = struct.unpack(">QHH", payload)
            alive[task]["last_cap"] = cap
            alive[task]["migrations"] += 1
        elif kind == TASK_DELETE:
            row = alive[number(payload)]
            row["deleted_ns"], row["lifetime_ns"] = time, time - row["created_ns"]
    return rows


def sparks(events):
    """Their counters; and what was run and stolen, where each spark has events."""
    rows = {}
    names = ("created", "dud", "overflowed", "converted", "gcd", "fizzled", "pool")
    has_events = any(kind in (SPARK_RUN, SPARK_STEAL) for _, _, kind, _ in events)
    for _, cap, kind, payload in events:
        row = rows.setdefault(cap, {"cap": cap, "run": 0, "stolen": 0} if has_events else {"cap": cap})
        if kind == COUNTERS:
            row.update(zip(names, struct.unpack(">7Q", payload)))
            row["sparks"] = row["created"] + row["dud"] + row["overflowed"]
        elif kind == SPARK_RUN:
            row["run"] += 1
        elif kind == SPARK_STEAL:
            row["stolen"] += 1
    return [row for row in rows.values() if "created" in row]


def spans(events):
    """A STOP ends the latest START of its thread, of the same text. A number in front is no part of the label."""
    rows, running, open_ones = {}, {}, collections.defaultdict(list)
    for time, cap, kind, payload in events:
        if kind == RUN_THREAD:
            running[cap] = number(payload)
        if kind != USER_MSG:
            continue
        word, _, text = payload.decode().partition(" ")
        if word not in ("START", "STOP"):
            continue
        label = text.lstrip("0123456789 ")
        row = rows.setdefault(label, {"kind": "span", "label": label, "durations": [], "first_ns": time,
                                      "unstarted": 0, "unstopped": 0})
        stack = open_ones[label, text, running.get(cap)]
        if word == "START":
            stack.append(time)
        elif stack:
            row["durations"].append(time - stack.pop())
        else:
            row["unstarted"] += 1
    for (label, _, _), stack in open_ones.items():
        rows[label]["unstopped"] += len(stack)
    for row in rows.values():
        durations = row.pop("durations")
        row["count"] = len(durations)
        row["max_ns"] = max(durations, default=None)
        if not row["unstopped"]:
            row["total_ns"] = sum(durations)
    return rows.values()


def changes(path, verb="simulate"):
    return rows_of(json.loads(hectic(verb, "--json", "threads", path)), verb)


def simulate(path):
    """Each change begins where the one before it has ended, and is that of an event of the log."""
    state, since, counted = {}, {}, collections.Counter()
    for row in changes(path):
        key = row["section"], row["thread"]
        assert row["fault"] is None, row
        assert row["from"] == state.get(key, "unknown"), row
        assert row["held_ns"] == (row["time_ns"] - since[key] if key in since else None), row
        state[key], since[key] = row["to"], row["time_ns"]
        counted[row["event"]] += 1
    kinds = collections.Counter(kind for events in by_time(path) for _, _, kind, _ in events)
    for name, kind in (("CREATE_THREAD", CREATE_THREAD), ("RUN_THREAD", RUN_THREAD), ("STOP_THREAD", STOP_THREAD)):
        assert counted[name] == kinds[kind], (name, counted[name], kinds[kind])


def profile(path):
    """The sums of `simulate`."""
    rows = {}
    for change in changes(path):
        row = rows.setdefault((change["section"], change["thread"]), collections.Counter())
        if change["held_ns"] is not None:
            row[change["from"] + "_ns"] += change["held_ns"]
            row[change["from"] + "_count"] += 1
    found = changes(path, "profile")
    assert len(found) == len(rows), (len(found), len(rows))
    for row in found:
        for name in ("queued", "running", "stopped"):
            for unit in ("_ns", "_count"):
                assert row[name + unit] == rows[row["section"], row["thread"]][name + unit], (name, row)


def validate(path):
    """How many events each machine has seen."""
    kinds = collections.Counter(kind for events in by_time(path) for _, _, kind, _ in events)
    answer = json.loads(hectic("validate", "--json", "all", path))
    seen = {machine["machine"]: machine["events"] for machine in answer["machines"]}
    assert answer["valid"] and not answer["faults"], answer
    assert seen["tasks"] == kinds[TASK_CREATE] + kinds[TASK_MIGRATE] + kinds[TASK_DELETE], seen
    assert seen["threadrun"] == kinds[RUN_THREAD] + kinds[STOP_THREAD], seen
    assert seen["threads"] >= seen["threadrun"] + kinds[CREATE_THREAD], seen


def listing(path, order, verb):
    """show and inc: the times, caps and types of all events, in that order."""
    with open(path, "rb") as file:
        events = [event for section in eventlog.read(file.read()) for event in section]
    wanted = [(time, None if cap == eventlog.NONE else cap, kind) for time, cap, kind, _ in order(events)]
    lines = [json.loads(line) for line in hectic(verb, "--json", path).splitlines()]
    found = [(line["time"], line["cap"], line["type"]) for line in lines]
    if found != wanted:
        where = next(i for i in range(max(len(found), len(wanted))) if found[i:i + 1] != wanted[i:i + 1])
        raise AssertionError(f"event {where}: {found[where:where + 1]}, not {wanted[where:where + 1]}")
    text = [line for line in hectic(verb, "--no-header", path).decode(errors="replace").splitlines()
            if line[:1].isdigit() and ": " in line]
    assert len(text) >= len(wanted), f"{len(text)} lines for {len(wanted)} events"


def show(path):
    listing(path, lambda events: sorted(events, key=lambda event: event[0]), "show")


def inc(path):
    listing(path, lambda events: events, "inc")


TABLES = {"threads": threads, "gc": collections_of, "tasks": tasks, "sparks": sparks, "spans": spans}
KEYS = {"threads": ["thread"], "gc": ["start_ns"], "tasks": ["task", "created_ns"], "sparks": ["cap"], "spans": ["kind", "label"]}
OTHERS = {"simulate": simulate, "profile": profile, "validate": validate, "show": show, "inc": inc}
HECTIC = os.environ["HECTIC"]


def hectic(*arguments):
    return subprocess.run([HECTIC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def rows_of(answer, verb):
    return answer[verb] if isinstance(answer, dict) else answer


def cell(value):
    """As CSV has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def formats(verb, path):
    """The rows, which CSV and JSON must share."""
    rows = rows_of(json.loads(hectic(verb, "--json", path)), verb)
    lines = list(csv.reader(io.StringIO(hectic(verb, "--csv", path).decode(), newline="")))
    assert lines[0] == list(rows[0]), f"{path}: the columns of CSV and JSON differ"
    assert lines[1:] == [[cell(value) for value in row.values()] for row in rows], f"{path}: CSV and JSON differ"
    return rows


def agrees(verb, *paths):
    for path in paths:
        if verb in ("simulate", "profile"):
            formats(verb, path)
        if verb in OTHERS:
            OTHERS[verb](path)
            continue
        found = {}
        for row in formats(verb, path):
            found[tuple(row[key] for key in KEYS[verb]), row["section"]] = row
        wanted = {(tuple(row[key] for key in KEYS[verb]), section): row
                  for section, events in enumerate(by_time(path), 1) for row in TABLES[verb](events)}
        extra = [key for key in set(found) ^ set(wanted) if not (verb == "spans" and key in found and key[0][0] == "marker")]
        assert not extra, f"{path}: rows of {extra}"
        assert wanted, f"{path}: no rows"
        for key, row in wanted.items():
            for name, value in row.items():
                assert found[key][name] == value, f"{path}: {key}: {name} is {found[key][name]}, not {value}"


def limits(verb, column, path):
    rows = rows_of(json.loads(hectic(verb, "--json", path)), verb)
    values = sorted((row[column] for row in rows if row[column] is not None), reverse=True)
    for argument, wanted in ((column, values), ("-" + column, values[::-1])):
        for limit in (1, 3):
            found = rows_of(json.loads(hectic(verb, "--json", "--sort", argument, "--limit", str(limit), path)), verb)
            assert [row[column] for row in found] == wanted[:limit], f"--sort {argument} --limit {limit}: {found}"


def damage(path):
    with open(path, "rb") as file:
        data = file.read()
    event = eventlog.read(data)[0][-1]
    at = data.rindex(struct.pack(">HQ", event[2], event[0]))
    sys.stdout.buffer.write(data[:at] + bytes([0x7F]) * 200 + data[at:])


def without(kind, which, path):
    sizes = {CREATE_THREAD: 4, RUN_THREAD: 4, STOP_THREAD: 10, RUNNABLE: 4, MIGRATE: 6, WAKEUP: 6}
    with open(path, "rb") as file:
        events = [event for event in eventlog.read(file.read())[0] if event[2] in sizes]
    events.remove([event for event in events if event[2] == int(kind)][int(which)])
    sys.stdout.buffer.write(eventlog.write(events, sizes))


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]](*sys.argv[2:])
    except AssertionError as fault:
        sys.exit(f"FAILED: {fault}")

#!/usr/bin/env python3
"""view_pictures.py HECTIC VIEW LOG...: the pictures of a page's engine, computed again from the events
that hectic show prints: columns of running threads, labels, curves of the heap, and instants, for random
intervals that are divided into columns exactly. VIEW is tests/wasm/view.c."""
import collections
import json
import random
import subprocess
import sys

from view_stat import KINDS, answers

INTERVALS = 40
SLOTS = 1 << 15
SIZES = {"HEAP_SIZE": "heap_size", "BLOCKS_SIZE": "blocks", "HEAP_LIVE": "live"}
INSTANTS = {
    "CREATE_THREAD", "MIGRATE_THREAD", "THREAD_WAKEUP", "CREATE_SPARK_THREAD", "REQUEST_SEQ_GC", "REQUEST_PAR_GC",
    "SPARK_CREATE", "SPARK_DUD", "SPARK_OVERFLOW", "SPARK_RUN", "SPARK_STEAL", "SPARK_FIZZLE", "SPARK_GC", "SHUTDOWN",
}
INSTANTS_MAX = 4096
ENDS = {"GC_START", "REQUEST_SEQ_GC", "REQUEST_PAR_GC"}


class Events:
    def __init__(self, hectic, log):
        shown = subprocess.run([hectic, "show", "--json", log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.runs, self.labels, self.allocated, self.instants = [], {}, [], []
        self.sizes = {name: [] for name in SIZES.values()}
        running, last_allocated, first_allocated, appeared, joined = {}, {}, {}, {}, None
        for line in shown.stdout.splitlines():
            event = json.loads(line)
            name, time, cap = event["event"], event["time"], event["cap"]
            self.last = time
            for about in (cap, event.get("cap_no"), event.get("new_cap")):
                appeared.setdefault(about, time)
            if name in ("CAP_CREATE", "STARTUP") and joined is None:
                joined = time
            if name in ("RUN_THREAD", "STOP_THREAD") or name in ENDS:
                if cap in running and running[cap][1] < time:
                    stop = event.get("status_name") if name == "STOP_THREAD" else None
                    self.runs.append((cap, *running[cap], time, stop))
                running.pop(cap, None)
            if name == "RUN_THREAD":
                running[cap] = (event["thread"], time)
            if name == "THREAD_LABEL":
                self.labels[event["thread"]] = event["label"]
            if name in INSTANTS and cap is not None:
                self.instants.append(event)
            if name in SIZES:
                self.sizes[SIZES[name]].append((time, event["bytes"]))
            if name == "HEAP_ALLOCATED":
                if cap in last_allocated:
                    since, before = last_allocated[cap]
                    self.allocated.append((since, max(since, time), max(0, event["bytes"] - before)))
                    time = max(since, time)
                else:
                    first_allocated[cap] = (time, event["bytes"])
                last_allocated[cap] = (time, event["bytes"])
        # What was allocated before the first report counts, unless that restates it at the beginning.
        first = min(appeared.values(), default=None)
        for cap, (time, amount) in first_allocated.items():
            if joined is not None and time not in (joined, first):
                self.allocated.append((min(max(appeared[cap], joined), time), time, amount))
        self.runs += [(cap, thread, since, self.last, None) for cap, (thread, since) in running.items()]

    def expected_labels(self, begin, end, width):
        least = (end - begin) // width * 24
        found = []
        for cap, thread, since, until, stop in self.runs:
            if min(until, end) - max(since, begin) < max(least, 1):
                continue
            found.append(
                {
                    "cap": cap,
                    "from_ns": since,
                    "to_ns": min(until, end),
                    "thread": thread,
                    "label": self.labels.get(thread),
                    "stop": stop if until <= end else None,
                }
            )
        return sorted(found, key=lambda run: (run["cap"], run["from_ns"]))

    def expected_curve(self, name, edges):
        low, high, now, at = [], [], None, 0
        values = self.sizes[name]
        for begin, end in zip(edges, edges[1:]):
            while at < len(values) and values[at][0] < begin:
                now, at = values[at][1], at + 1
            inside = [] if now is None else [now]
            while at < len(values) and values[at][0] < end:
                now, at = values[at][1], at + 1
                inside.append(now)
            known = inside and begin <= self.last
            low.append(min(inside) if known else None)
            high.append(max(inside) if known else None)
        return {"min": low, "max": high}

    def expected_instants(self, begin, end):
        return [
            (event["cap"], event["time"], event["event"], event.get("thread"), other_cap(event))
            for event in self.instants
            if begin <= event["time"] < end
        ]

    def allocated_between(self, begin, end):
        """What is allocated at an even rate between two events of a cap."""
        return sum(
            n * max(0, min(end, until) - max(begin, since)) / (until - since) if until > since else n * (begin <= since < end)
            for since, until, n in self.allocated
        )

    def check_allocated(self, got, edges, slot, where):
        """Columns are sums of slots, divided evenly, and whole bytes of each amount."""
        for value, begin, end in zip(got, edges, edges[1:]):
            if begin > self.last or not self.allocated:
                continue
            least = begin // slot * slot
            most = -(-end // slot) * slot
            inside = self.allocated_between(-(-begin // slot) * slot, end // slot * slot)
            around = self.allocated_between(least, most)
            rest = 2 + 2 * len(self.allocated)
            assert inside - rest <= value <= around + rest, (where, begin, end, value, inside, around)

    def expected_running(self, cap, edges):
        runs = [run for run in self.runs if run[0] == cap and run[2] < edges[-1] and run[3] > edges[0]]
        for begin, end in zip(edges, edges[1:]):
            yield 255 * sum(max(0, min(end, run[3]) - max(begin, run[2])) for run in runs) / (end - begin)


def other_cap(event):
    names = {"MIGRATE_THREAD": "new_cap", "THREAD_WAKEUP": "other_cap", "SPARK_STEAL": "victim_cap"}
    return event[names[event["event"]]] if event["event"] in names else None


def slot_of(last):
    slot = 1024
    while last // slot >= SLOTS:
        slot *= 2
    return slot


def pictures(events, first, last):
    """Columns of whole slots, and some that are shorter than slots."""
    slot = slot_of(last)
    for i in range(INTERVALS):
        width = random.randint(1, 60)
        if i % 2:
            column = slot * random.randint(1, max(1, 2 * (last - first) // slot // width))
            begin = random.randint(first, last) // slot * slot
        else:
            column = random.randint(1, slot - 1)
            begin = (random.choice(events.runs)[2] if events.runs else first) - random.randint(0, 3 * column)
            begin = max(begin, 0)
        yield begin, begin + width * column, width


def check(hectic, view, log):
    overview = json.loads(answers(view, log, ["overview"])[0])
    if len(overview["sections"]) != 1 or overview["from_ns"] is None:
        return 0
    random.seed(log)
    events = Events(hectic, log)
    asked = list(pictures(events, overview["from_ns"], overview["to_ns"]))
    requests = [f"{name}?from={a}&to={b}&width={w}" for a, b, w in asked for name in ("labels", "curves", "instants", "columns")]
    got = iter(answers(view, log, requests))
    recorded = overview["recorded"]["allocated"]
    for begin, end, width in asked:
        where = f"{log} from={begin}&to={end}&width={width}"
        edges = [begin + (end - begin) * i // width for i in range(width + 1)]
        labels, curves, instants = (json.loads(next(got)) for _ in range(3))
        columns = next(got)
        expected = events.expected_instants(begin, end)
        found = [(i["cap"], i["time_ns"], i["event"], i["thread"], i["other_cap"]) for i in instants["instants"]]
        assert found == expected[:INSTANTS_MAX], (where, found, expected)
        assert instants["complete"] == (len(expected) < INSTANTS_MAX), where
        assert all(i["label"] == events.labels.get(i["thread"]) for i in instants["instants"]), where
        expected = events.expected_labels(begin, end, width)
        assert labels["complete"] and labels["labels"] == expected, (where, labels, expected)
        for name in SIZES.values():
            expected = events.expected_curve(name, edges)
            assert curves[name] == expected, (where, name, curves[name], expected)
        allocated = curves["allocated"]["max"]
        known = [recorded and at <= events.last for at in edges[:-1]]
        assert [value is not None for value in allocated] == known, (where, allocated)
        events.check_allocated(allocated, edges, slot_of(overview["to_ns"]), where)
        for i, cap in enumerate(overview["caps"]):
            for k, share in enumerate(events.expected_running(cap, edges)):
                byte = columns[16 + KINDS * (i * width + k)]
                assert abs(byte - share) <= 1, (where, cap, k, byte, share)
        compare_sums(stat_of(hectic, log, begin, end), columns[16:], width, (end - begin) / width, where)
    return len(asked)


compared_sums = collections.Counter()
ACTIVITIES = ("running_ns", "gc_ns", "wait_begin_ns", "wait_end_ns", "wait_out_ns", "unknown_ns")


def stat_of(hectic, log, begin, end):
    """The caps of hectic stat; none: there are no events."""
    done = subprocess.run([hectic, "stat", "--jsonl", "--from", f"{begin}ns", "--to", f"{end}ns", log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["caps"] if done.returncode == 0 else []


def compare_sums(caps, shares, width, column, where):
    """The shares of each cap add up to what hectic stat prints: each is rounded."""
    for i, cap in enumerate(caps):
        for k, name in enumerate(ACTIVITIES):
            own = shares[KINDS * i * width + k : KINDS * (i + 1) * width : KINDS]
            rounded = sum(column / 255 for share in own if share > 0) + 2 * column / 255 + 2
            found = sum(own) / 255 * column
            compared_sums[name] += bool(cap[name])
            assert cap[name] is None or abs(found - cap[name]) <= rounded, (where, cap["cap"], name, found, cap[name], rounded)


if __name__ == "__main__":
    compared = 0
    for path in sys.argv[3:]:
        compared += check(sys.argv[1], sys.argv[2], path)
    print(f"{compared} pictures compared, and of their sums: {dict(compared_sums)}")
    # Sound logs have no unknown time: view_stat.py has logs with it.
    assert all((compared_sums[name] > 0) == (name != "unknown_ns") for name in ACTIVITIES)
    sys.exit(compared == 0)

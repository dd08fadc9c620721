"""Compares what hectic stat says of random intervals with what is in the text of ghc-events show, which
a slow reference computes separately for each interval. See intervals_oracle.sh.

    intervals_oracle.py HECTIC LOG SHOW COUNT"""
import collections
import json
import random
import re
import subprocess
import sys

EACH = (
    (r"spark created", "created"),
    (r"dud spark discarded", "dud"),
    (r"overflowed spark discarded", "overflowed"),
    (r"(?:running a local|stealing a) spark.*", "converted"),
    (r"spark GCed", "gcd"),
    (r"spark fizzled", "fizzled"),
)
COUNTERS = re.compile(
    r"spark stats: (\d+) created, (\d+) converted, (\d+) remaining "
    r"\((\d+) overflowed, (\d+) dud, (\d+) GC'd, (\d+) fizzled\)"
)
NAMES = ("created", "converted", "remaining", "overflowed", "dud", "gcd", "fizzled")
KEYS = [key for _, key in EACH]


class Log:
    def __init__(self, show):
        self.sparks = []  # time, cap, key
        self.counters = collections.defaultdict(list)  # by cap: time, counters
        self.tasks = []  # time, +1 or -1, task
        self.sizes = {"heap": [(0, 0)], "blocks": [(0, 0)]}  # time, bytes
        self.last = 0
        threads, pid = {}, None
        lines = open(show, encoding="utf-8", errors="replace")
        while next(lines) != "Events:\n":
            pass
        for line in lines:
            if not (event := re.match(r"(\d+): (?:cap (\d+): )?(.*)", line)):
                continue
            time, cap, text = int(event[1]), int(event[2] or 0), event[3]
            self.last = max(self.last, time)
            for pattern, key in EACH:
                if re.fullmatch(pattern, text):
                    self.sparks.append((time, cap, key))
            if found := COUNTERS.match(text):
                self.counters[cap].append((time, dict(zip(NAMES, map(int, found.groups())))))
            if found := re.match(r"(?:size of|blocks size of) heap capset \d+: (\d+) bytes", text):
                self.sizes["heap" if text.startswith("size") else "blocks"].append((time, int(found[1])))
            if found := re.match(r"capset \d+: pid (\d+)", text):
                pid = found[1]
            if found := re.match(r"task (\w+) created on cap \d+ with OS kernel thread (\d+)", text):
                threads[found[1]] = found[2]
                self.tasks.append((time, 1, found[1], found[2]))
            if found := re.match(r"task (\w+) deleted", text):
                self.tasks.append((time, -1, found[1], threads.get(found[1])))
        self.tasks = [task[:3] for task in self.tasks if task[3] != pid]
        # Only the counters show the sparks that the last collection drops.
        for cap, reported in self.counters.items() if self.sparks else ():
            gcd = sum(key == "gcd" and at == cap for _, at, key in self.sparks)
            most = max(counters["gcd"] for _, counters in reported)
            time = min(time for time, counters in reported if counters["gcd"] == most)
            self.sparks += [(time, cap, "gcd")] * (most - gcd)

    def spark_sums(self, cap, start, end):
        if self.sparks:
            some = [k for time, at, k in self.sparks if at == cap and start <= time < end]
            return {key: some.count(key) for key in KEYS}
        def as_of(when):
            return ([{}] + [reported for time, reported in self.counters[cap] if time < when])[-1]
        return {key: as_of(end).get(key, 0) - as_of(start).get(key, 0) for key in KEYS}

    def workers(self, start, end):
        alive = sum(change for time, change, _ in self.tasks if time < start)
        total = most = alive
        for time, change, _ in self.tasks:
            if start <= time < end:
                alive += change
                total += change > 0
                most = max(most, alive)
        return {"workers": total, "workers_max": most}


    def memory(self, start, end):
        """GHC keeps 4 of the 256 blocks of 4 KiB of a megablock for itself."""
        most = {}
        for name, sizes in self.sizes.items():
            before = [size for time, size in sizes if time < start][-1:]
            most[name] = max(before + [size for time, size in sizes if start <= time < end])
        return {
            "heap_max_bytes": most["heap"],
            "blocks_max_bytes": most["blocks"],
            "lost_bytes": max(0, most["heap"] // 256 * 252 - most["blocks"]),
        }


def differences(log, hectic, path, start, end):
    command = [hectic, "stat", "--jsonl", "--from", f"{start}ns", "--to", f"{end}ns", path]
    reported = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    found = {cap["cap"]: cap["sparks"] for cap in reported["caps"]}
    wanted = {}
    if log.sparks or log.counters:
        sums = collections.Counter()
        for cap in list(found):
            wanted[cap] = log.spark_sums(cap, start, end)
            sums.update(wanted[cap])
        wanted["all"] = {key: sums[key] for key in KEYS}
        found["all"] = reported["sparks"]
    if log.tasks:
        wanted["tasks"] = log.workers(start, end)
        found["tasks"] = reported["tasks"]
    if len(log.sizes["blocks"]) > 1:
        wanted["memory"] = log.memory(start, end)
        found["memory"] = reported["memory"]
    for name, values in wanted.items():
        for key, value in values.items():
            if found[name][key] != value:
                yield f"{path} {start} to {end}: {name}: {key} {found[name][key]}, not {value}"


def main(hectic, path, show, count):
    log, dice = Log(show), random.Random(path)
    times = [time for time, *_ in log.sparks + log.tasks + log.sizes["blocks"][1:]]
    wrong, compared = [], 0
    for _ in range(int(count) if times else 0):
        start, end = sorted(dice.choice(times) + dice.randrange(-1, 2) for _ in range(2))
        if 0 <= start < end and start <= log.last:
            wrong += differences(log, hectic, path, start, end)
            compared += 1
    print(*wrong[:5], sep="\n", end="\n" if wrong else "")
    print(f"{path}: {len(log.sparks)} sparks, {len(log.tasks)} changes of tasks, {compared} intervals")
    return bool(wrong)


sys.exit(main(*sys.argv[1:]))

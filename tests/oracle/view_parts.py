#!/usr/bin/env python3
"""view_parts.py HECTIC VIEW WORK LOG...: in a page, each process of a merged log has a section of its own.
For random intervals, its answers are those of the verbs with --process, and those of the process's own log,
but for the times and numbers that merge changes. VIEW is tests/wasm/view.c, WORK a directory for the merged
logs: LOGs are merged in pairs, and all together. Prints the number of comparisons."""
import json
import os
import random
import subprocess
import sys

import view_rare
import view_stat
import view_threads

INTERVALS = 5
WIDTH = 900  # columns
TABLES = ("gc", "spans", "sparks", "threads")
# Keys of points of time, and of numbers, that merge changes; keys that only one of the two logs has.
TIMES = {"from_ns", "to_ns", "time_ns", "start_ns", "end_ns", "born_ns", "ended_ns", "created_ns", "woken_ns", "max_from_ns", "first_ns", "last_ns"}
THREADS = {"thread", "by", "end_thread"}
CAPS = {"cap", "to_cap", "other_cap", "first_cap", "last_cap", "from_cap", "end_cap", "leader_cap"}
OTHER = {"section", "process", "pid", "progress", "capset", "cap_list"}


def answers(view, log, requests):
    found = view_stat.answers(view, log, requests)
    assert len(found) == len(requests), log
    return found


class Part:
    """A process: its section in the merged log, and its own log."""

    def __init__(self, hectic, view, merged, section, log):
        self.merged, self.log, self.section = merged, log, section
        self.own = json.loads(answers(view, log, ["overview"])[0])
        # merge logs when the clock of the process was 0.
        self.shift = section["from_ns"]
        self.cap = min(section["caps"]) - min(self.own["caps"])
        lists = [json.loads(answers(view, path, [f"thread_list?section={number}"])[0])["threads"]
                 for path, number in ((merged, section["section"]), (log, 1))]
        numbers = [sorted(row["thread"] for row in rows) for rows in lists]
        self.thread = numbers[0][0] - numbers[1][0] if numbers[1] else 0
        self.threads = numbers[1][:20]

    def moved(self, value, key=None):
        """A value of the own log, as it is in the merged log."""
        if isinstance(value, dict):
            is_bucket = "count" in value and "from_ns" in value  # of lengths
            return {k: v if is_bucket else self.moved(v, k) for k, v in value.items() if k not in OTHER}
        if key == "runs" and isinstance(value, list):
            kinds = ("time_ns", "time_ns", None, "cap")
            return [self.moved(v, kinds[i % 4]) for i, v in enumerate(value)]
        if isinstance(value, list):
            return [self.moved(v, key) for v in value]
        if value is None or isinstance(value, (str, bool)):
            return value
        if key in TIMES:
            return value + self.shift
        if key in THREADS:
            return value + self.thread
        return value + self.cap if key in CAPS else value


def without(value):
    if isinstance(value, dict):
        return {k: without(v) for k, v in value.items() if k not in OTHER}
    return [without(v) for v in value] if isinstance(value, list) else value


def intervals(part):
    """Of the own log: short ones, which are read from its events, and any."""
    first, last = part.own["from_ns"], part.own["to_ns"]
    found = [None]
    for i in range(INTERVALS):
        begin = random.randint(first, last)
        length = random.randint(1000, 900000) if i % 2 == 0 else random.randint(1000, last - first + 1)
        found.append((begin, begin + length))
    return found


def short(log, request, got, want):
    differences = list(view_stat.differing(got, want)) if isinstance(got, dict) else [f"{got[:80]}, not {want[:80]}"]
    print(log, request, *[line[:300] for line in differences[:4]], sep="\n  ")
    return 1


def compare_with_own(view, part):
    requests = []
    for interval in intervals(part):
        for name in ("gc", "mmu", "spans", "sparks", "threads", "thread_list", "latency", "instants", "startup", "stat",
                     "columns", "labels", "curves", "gc_rows", "span_rows", "message_rows", "spark_rows", "thread_rows"):
            is_picture = name.endswith("_rows") or name in ("columns", "labels", "curves")
            is_long = not interval or interval[1] - interval[0] > 900000
            # Slots of time, of which pictures of long intervals are made, lie elsewhere.
            if is_picture and is_long or name in ("startup", "thread_list") and interval:
                continue
            # The whole begins when the clock of the process was 0.
            if name in ("stat", "mmu") and not interval:
                continue
            requests.append((name, interval))
    asked = [[], []]
    for name, interval in requests:
        for to, shift, thread, number in ((asked[0], part.shift, part.thread, part.section["section"]), (asked[1], 0, 0, 1)):
            query = f"{name}?section={number}&width={WIDTH}"
            if interval:
                query += f"&from={interval[0] + shift}&to={interval[1] + shift}"
            if name == "thread_rows":
                query += "&threads=" + ",".join(str(number + thread) for number in part.threads)
            to.append(query)
    failed = 0
    for request, (name, interval), got, want in zip(asked[0], requests, answers(view, part.merged, asked[0]), answers(view, part.log, asked[1])):
        if name == "columns":
            if got != want:
                failed += short(part.merged, request, got, want)
            continue
        got, want = without(json.loads(got)), part.moved(json.loads(want))
        if name == "curves":
            # What is allocated comes from slots of time, and is rounded in each column.
            sums = [sum(number or 0 for number in of.pop("allocated")["min"]) for of in (got, want)]
            if abs(sums[0] - sums[1]) > 0.03 * max(sums) + 2 * WIDTH:
                failed += short(part.merged, request, {"allocated": sums[0]}, {"allocated": sums[1]})
        if name in ("gc", "spans", "sparks", "threads") and not interval:
            got.pop("from_ns", None), want.pop("from_ns", None)
        if name == "stat":
            # The caps of a process that has just started are there from its own beginning.
            for one in (got, want):
                one.pop("caps", None), one.pop("message", None)
            got, want = pick(got), pick(want)
        if got != want:
            failed += short(part.log, request, got, want)
    return len(requests), failed


def pick(stat):
    """What does not depend on the kinds of events that the rest of a log has."""
    if "memory" not in stat:
        return {}
    return {
        "from_ns": stat["from_ns"],
        "allocated_bytes": stat["memory"]["allocated_bytes"] or 0,
        "gc_ns": stat["time"]["gc_ns"] or 0,
        "heap_max_bytes": stat["memory"]["heap_max_bytes"],
    }


def compare_with_verbs(hectic, view, part):
    number, capset = part.section["section"], part.section["process"]
    requests, wanted = [], []
    for interval in intervals(part):
        # To the end: with --process, the verbs end before with the last event that they read.
        query = f"&from={interval[0] + part.shift}&to={part.section['to_ns'] + 1}" if interval else ""
        limits = ["--from", f"{interval[0] + part.shift}ns"] if interval else []
        for name in TABLES:
            requests.append(f"{name}?section={number}{query}")
            wanted.append(view_rare.verb(hectic, name, part.merged, "--process", f"capset:{capset}", *limits))
        requests.append(f"stat?section={number}{query}")
        printed = [json.loads(line) for line in view_stat.stat(hectic, part.merged, *limits)]
        stats = [one for one in printed if one.get("process") == capset]
        # Of an interval in which one process only has events, stat does not name it.
        if not stats and interval:
            stats = [json.loads(line) for line in view_stat.stat(hectic, part.merged, "--process", f"capset:{capset}", *limits)]
        wanted.append(stats[0] if stats else None)
    failed = 0
    for request, want, got in zip(requests, wanted, answers(view, part.merged, requests)):
        name, got = request.split("?")[0], json.loads(got)
        if name == "stat":
            if not (want is None and "message" in got) and not is_same_stat(got, want or {}):
                failed += short(part.merged, request, got, want or {})
            continue
        difference = (
            view_threads.difference(want, got, 1, 1) if name == "threads" and want else view_rare.compare(name, 1, want, got) if name != "threads" else None
        )
        if difference:
            failed += 1
            print(part.merged, request, str(difference)[:500], sep="\n  ")
    return len(requests), failed


def is_same_stat(got, want):
    """Equal, but that of a kind of events that only come after the interval, the verb says nothing, and
    a page 0."""
    if isinstance(want, dict) and isinstance(got, dict):
        return all(is_same_stat(got.get(key), value) for key, value in want.items() if key not in ("process", "pid"))
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(is_same_stat, got, want))
    return got == want or want is None and is_nothing(got)


def is_nothing(value):
    if isinstance(value, dict):
        return all(is_nothing(one) for one in value.values())
    return not value


def pid_of(hectic, log):
    shown = subprocess.run([hectic, "show", "--json", "--event", "OSPROCESS_PID", log], stdout=subprocess.PIPE).stdout
    return json.loads(shown.splitlines()[0])["pid"]


def check(hectic, view, merged, logs):
    overview = json.loads(answers(view, merged, ["overview"])[0])
    # merge numbers the capsets of logs in their order.
    sections = sorted(overview["sections"], key=lambda section: section.get("process", 0))
    if [section.get("pid") for section in sections] != [pid_of(hectic, log) for log in logs]:
        print(f"{merged}: sections of other processes: {sections}")
        return 1, 1
    compared = failed = 0
    for section, log in zip(sections, logs):
        part = Part(hectic, view, merged, section, log)
        for name in ("program", "runtime"):
            failed += section[name] != part.own[name]
        failed += section["caps"] != [cap + part.cap for cap in part.own["caps"]]
        for count, differences in (compare_with_own(view, part), compare_with_verbs(hectic, view, part)):
            compared += count
            failed += differences
    return compared, failed


def profiles(view, log, section):
    """Of each heap profile, its breakdown, and the numbers of its samples and bands."""
    answer = json.loads(answers(view, log, [f"heap?section={section}"] * 40)[-1])
    assert answer["complete"], log
    return [(p["breakdown"], p["samples"], len(p["bands"])) for one in answer["sections"] for p in one["profiles"]]


def check_profiles(hectic, view, work, profiled, other):
    """The events of heap profiles name no process, and some follow its end."""
    merged = os.path.join(work, "merged.eventlog")
    subprocess.run([hectic, "merge", "--force", "--align", "start", "-o", merged, profiled, other], check=True)
    sections = json.loads(answers(view, merged, ["overview"])[0])["sections"]
    number = next(section["section"] for section in sections if section["pid"] == pid_of(hectic, profiled))
    want, got = profiles(view, profiled, 1), profiles(view, merged, number)
    if got != want or not want:
        return 1, short(merged, "heap", {"profiles": got}, {"profiles": want})
    return 1, 0


def main():
    hectic, view, work, *logs = sys.argv[1:]
    compared = failed = 0
    groups = [*zip(logs, logs[1:]), tuple(logs)]
    for index, group in enumerate(groups):
        for align in ("start", "wall") if index == 0 else ("start",):
            random.seed(index)
            merged = os.path.join(work, "merged.eventlog")
            subprocess.run([hectic, "merge", "--force", "--align", align, "-o", merged, *group], check=True)
            counts = check(hectic, view, merged, group)
            compared += counts[0]
            failed += counts[1]
    tests = os.path.dirname(logs[0])
    for letter in "bcdy":
        counts = check_profiles(hectic, view, work, f"{tests}/heap-profile-{letter}.eventlog", logs[0])
        compared += counts[0]
        failed += counts[1]
    print(f"{compared} answers compared, {failed} differ")
    sys.exit(failed > 0 or compared == 0)


if __name__ == "__main__":
    main()

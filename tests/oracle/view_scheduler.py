#!/usr/bin/env python3
"""view_scheduler.py HECTIC VIEW LONG LOG...: the answers of a page's engine to thread_rows, latency and links
are what follows from the events that hectic show prints, for random intervals. Of LONG, which is too long to
read for a picture, the shares of rows are compared with the times of the threads. VIEW is tests/wasm/view.c."""
import collections
import json
import random
import subprocess
import sys

import view_stat

INTERVALS = 12
BLOCKED = {7: "mvar", 8: "black_hole", 9: "io", 10: "io", 11: "delay", 12: "stm", 13: "io", 16: "throw_to",
           18: "throw_to", 20: "mvar_read", 6: "foreign_call", 14: "foreign_call", 15: "foreign_call"}
RUNNABLE = (1, 2, 3, 17)
FINISHED = 5


def answers(view, log, requests):
    return map(json.loads, view_stat.answers(view, log, requests))


class Thread:
    def __init__(self, time, state, cap):
        self.state, self.since, self.cap = state, time, cap
        self.spans = []  # from, to, state, cap

    def enter(self, time, state):
        self.spans.append((self.since, time, self.state, self.cap))
        self.state, self.since = state, time


# `before`: what had let the thread run that did it; of a return from a foreign call, the last cause of the same
# thread that is none.
Cause = collections.namedtuple("Cause", "thread since time by is_return before")


class Log:
    """What follows from the events in order of time."""

    def __init__(self, hectic, log):
        done = subprocess.run([hectic, "show", "--json", log], stdout=subprocess.PIPE, check=True)
        self.threads, self.past, self.running = {}, collections.defaultdict(list), {}
        self.count = 0
        self.waits = []  # thread, from, to, cap
        self.links = collections.defaultdict(list)  # kind, time, by
        self.causes = collections.defaultdict(list)  # what let a thread run: Cause
        for line in done.stdout.splitlines():
            event = json.loads(line)
            if "thread" in event and "time" in event:
                self.take(event["event"], event["time"], event["cap"], event["thread"], event)
            self.last = event.get("time", 0)
            self.count += 1
        for number in list(self.threads):
            self.end(number, self.last)

    def end(self, number, time):
        thread = self.threads.pop(number)
        thread.enter(time, None)
        self.past[number] += thread.spans

    def wake(self, kind, number, time, cap, since):
        by = self.running.get(cap)
        self.links[number].append((kind, time, by))
        before = self.causes[by][-1] if by is not None and self.causes[by] else None
        self.causes[number].append(Cause(number, since, time, by, False, before))

    def take(self, name, time, cap, number, event):
        thread = self.threads.get(number)
        if name in ("CREATE_THREAD", "CREATE_SPARK_THREAD"):
            if not thread:
                self.wake("created", number, time, cap, time)
                self.threads[number] = Thread(time, "runnable", cap)
        elif name == "RUN_THREAD":
            thread = thread or self.threads.setdefault(number, Thread(time, "unknown", cap))
            if thread.state == "runnable":
                self.waits.append((number, thread.since, time, cap))
            if thread.state == "foreign_call":
                before = next((one for one in reversed(self.causes[number]) if not one.is_return), None)
                self.causes[number].append(Cause(number, thread.since, time, None, True, before))
            if thread.cap != cap:
                self.links[number].append(("migrated", time, None))
            thread.enter(time, "running")
            thread.cap = cap
            self.running[cap] = number
        elif name == "STOP_THREAD":
            thread = thread or self.threads.setdefault(number, Thread(time, "unknown", cap))
            if self.running.get(cap) == number:
                del self.running[cap]
            if event["status"] == FINISHED:
                self.end(number, time)
            else:
                state = "runnable" if event["status"] in RUNNABLE else BLOCKED.get(event["status"], "other")
                thread.enter(time, state)
        elif name in ("THREAD_WAKEUP", "THREAD_RUNNABLE") and thread:
            if thread.state not in ("running", "runnable"):
                self.wake("woken", number, time, cap, thread.since)
                thread.enter(time, "runnable")
        elif name == "MIGRATE_THREAD" and thread and thread.cap != event["new_cap"]:
            self.links[number].append(("migrated", time, None))
            thread.cap = event["new_cap"]


def compare(want, got, *about):
    if want == got:
        return 0
    print(*about, f"\n  expected {str(want)[:300]}\n  found    {str(got)[:300]}")
    return 1


def check(hectic, view, path):
    log = Log(hectic, path)
    first = min((spans[0][0] for spans in log.past.values()), default=0)
    failed = compared = 0
    requests, wants = [], []
    numbers = sorted(log.past)
    if not numbers:
        return 0, 0
    for i in range(INTERVALS):
        a, b = sorted(random.randint(first, log.last + 1) for _ in range(2)) if i else (first, log.last + 1)
        if a >= b:
            continue
        some = random.sample(numbers, min(len(numbers), 12))
        query = f"from={a}&to={b}"
        requests.append(f"thread_rows?{query}&width=100&threads={','.join(map(str, some))}")
        wants.append([
            [(max(f, 0), t, s, c) for f, t, s, c in log.past[n] if f < min(t, b) and max(f, a) < min(t, b)] for n in some
        ])
        waits = [(n, f, t, c) for n, f, t, c in log.waits if a <= t < b]
        requests.append(f"latency?{query}")
        wants.append(waits)
        thread = random.choice(numbers)
        requests.append(f"links?{query}&thread={thread}")
        wants.append(sorted(link for link in log.links[thread] if a <= link[1] < b))
    for request, want, got in zip(requests, wants, answers(view, path, requests)):
        compared += 1
        name = request.split("?")[0]
        if name == "thread_rows":
            runs = []
            for row in got["rows"]:
                if "runs" not in row:
                    runs = None
                    break
                flat = row["runs"]
                runs.append([(flat[i], flat[i + 1], got["states"][flat[i + 2]], flat[i + 3]) for i in range(0, len(flat), 4)])
            if runs is not None:
                # A run that has not ended before the interval's end ends there.
                end = int(request.split("to=")[1].split("&")[0])
                want = [[(f, min(t, end), s, c) for f, t, s, c in row] for row in want]
                failed += compare(want, [[(f, min(t, end), s, c) for f, t, s, c in row] for row in runs], path, request)
        elif name == "latency":
            lengths = [t - f for _, f, t, _ in want]
            numbers_of = (len(lengths), sum(lengths), max(lengths, default=None))
            failed += compare(numbers_of, (got["count"], got["total_ns"], got["max_ns"]), path, request)
            failed += compare(len(lengths), sum(b["count"] for b in got["buckets"]), path, request)
            for b in got["buckets"]:
                inside = sum(b["from_ns"] <= ns < (b["to_ns"] or 2**64) for ns in lengths)
                failed += compare(inside, b["count"], path, request, b)
            failed += compare(sorted(lengths, reverse=True)[:100], [w["wait_ns"] for w in got["worst"]], path, request)
            known = {(n, f, t, c) for n, f, t, c in want}
            for w in got["worst"]:
                failed += compare(True, (w["thread"], w["from_ns"], w["to_ns"], w["cap"]) in known, path, request, w)
            totals = collections.Counter()
            for n, f, t, _ in want:
                totals[n] += t - f
            failed += compare(dict(totals), {row["thread"]: row["total_ns"] for row in got["threads"]}, path, request)
        else:
            own = sorted((l["kind"], l["time_ns"], l["by"]) for l in got["links"] if l["kind"] in ("created", "woken", "migrated"))
            failed += compare(want, own, path, request)
    chains = [(thread, link) for thread in numbers for link in log.links[thread] if link[0] == "woken"]
    for thread, link in random.sample(chains, min(len(chains), 20)):
        got = next(answers(view, path, [f"links?thread={thread}&time={link[1] - 1}"]))
        compared += 1
        chain = got["chain"]
        failed += compare((thread, link[1], link[2]), (chain[0]["thread"], chain[0]["woken_ns"], chain[0]["by"]) if chain else None, path, thread, link)
        cause = next(one for one in log.causes[thread] if (one.time, one.by, one.is_return) == (link[1], link[2], False))
        want, explained = [], cause.since
        while cause:
            want.append((cause.thread, cause.since, cause.time, cause.by))
            explained = explained if cause.is_return else cause.since
            before = cause.before
            cause = None if before and cause.is_return and before.time <= explained else before
        # Of long logs, a part before the wait is read.
        got = [(one["thread"], one["from_ns"], one["woken_ns"], one["by"]) for one in chain]
        failed += compare(want[: len(got)], got, path, thread, link)
        failed += compare(True, len(got) == min(len(want), 64) or log.count > 8000, path, thread, link, len(got), len(want))
    return compared, failed


def check_shares(view, path):
    """Columns of slots: together, the time in which a thread ran."""
    width = 800
    overview, listed = answers(view, path, ["overview", "thread_list"])
    threads = [row for row in listed["threads"][:100]]
    got = next(answers(view, path, [f"thread_rows?width={width}&threads=" + ",".join(str(row["thread"]) for row in threads)]))
    column = (overview["to_ns"] + 1 - overview["from_ns"]) / width
    failed = compare(False, got["exact"], path)
    for row, want in zip(got["rows"], threads):
        end = want["ended_ns"] or overview["to_ns"]
        blocked = end - want["from_ns"] - want["running_ns"] - want["runnable_ns"]
        for key, ns in (("running", want["running_ns"]), ("runnable", want["runnable_ns"]), ("blocked", blocked)):
            total = sum(row[key]) / 255 * column
            if abs(total - ns) > 0.03 * ns + column * len(row[key]) / 400:
                failed += compare(ns, total, path, row["thread"], key)
    return len(threads), failed


def main():
    hectic, view, long, *logs = sys.argv[1:]
    compared, failed = check_shares(view, long)
    for log in logs:
        random.seed(log.split("/")[-1])
        a, b = check(hectic, view, log)
        compared += a
        failed += b
    print(f"{compared} answers compared, {failed} differences")
    sys.exit(failed > 0 or compared == 0)


if __name__ == "__main__":
    main()

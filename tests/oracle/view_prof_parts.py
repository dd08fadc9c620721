#!/usr/bin/env python3
"""view_prof_parts.py HECTIC VIEW LOG...: the time profile of a thread, and of threads in spans of a label, that a
page's engine has: those that hectic sql finds, for whole logs and random parts. VIEW is tests/wasm/view.c.
Prints the number of comparisons."""
import csv
import io
import json
import random
import subprocess
import sys

import exact
import view_stat

PARTS = 4

# Of cost centres, the thread that ran on the cap.
SAMPLES = """
    SELECT s.time_ns, s.since_ns, s.kind, s.stack, coalesce(s.thread, t.thread) AS thread FROM time_samples s
    LEFT JOIN thread_states t ON s.thread IS NULL AND t.state = 'running' AND t.cap = s.cap
        AND t.start_ns <= s.time_ns AND s.time_ns < t.end_ns
    WHERE s.time_ns >= {} AND s.time_ns < {}"""
THREADS = "SELECT thread, count(*), sum(since_ns) FROM ({samples}) GROUP BY thread"
SPANS = """
    SELECT label, count(DISTINCT key), 0 FROM (SELECT p.label, s.time_ns || ' ' || s.cap AS key FROM ({samples}) s
    JOIN spans_each p ON p.thread = s.thread AND p.start_ns <= s.time_ns AND s.time_ns < p.end_ns) GROUP BY label"""
OWN = "SELECT sum(kind = 'own'), sum(since_ns * (kind = 'own')), count(*) FROM ({samples}) WHERE thread IS {thread}"


def sql(hectic, log, query):
    done = subprocess.run([hectic, "sql", "--csv", log, query], stdout=subprocess.PIPE, check=True)
    return list(csv.reader(io.StringIO(done.stdout.decode())))[1:]


def page(view, log, by, bounds, part=None):
    request = f"prof?by={by}&from={bounds[0]}&to={bounds[1]}" + (f"&part={part}" if part is not None else "")
    return json.loads(view_stat.answers(view, log, [request])[0])


def number(text):
    return int(text) if text else None


def threads_wrong(hectic, view, log, bounds):
    samples = SAMPLES.format(*bounds)
    wanted = {number(thread): (int(count), int(ns)) for thread, count, ns in sql(hectic, log, THREADS.format(samples=samples))}
    found = page(view, log, "thread", bounds)["parts"]
    got = {part["part"]: (part["samples"], part["ns"]) for part in found}
    if got != wanted:
        return f"threads: {got}, not {wanted}"
    for thread in [thread for thread in got if thread is not None][:3]:
        [(own, own_ns, count)] = sql(hectic, log, OWN.format(samples=samples, thread=thread))
        [profile] = page(view, log, "thread", bounds, thread)["profiles"]
        all_ = profile["all"]
        if (all_["own_samples"], all_["own_ns"], profile["samples"]) != (int(own), int(own_ns), int(count)):
            return f"thread {thread}: {all_}, not {own} {own_ns} {count}"
        if sum(profile["tree"]["own_ticks"]) != int(count):
            return f"thread {thread}: the tree has {sum(profile['tree']['own_ticks'])} samples"
    return None


def spans_wrong(hectic, view, log, bounds):
    key = SAMPLES.format(*bounds).replace("s.stack,", "s.stack, s.cap,")
    wanted = {exact.text_of(label): int(count) for label, count, _ in sql(hectic, log, SPANS.format(samples=key))}
    found = page(view, log, "span", bounds)["parts"]
    got = {part["label"]: part["samples"] for part in found}
    if got != wanted:
        return f"spans: {got}, not {wanted}"
    for part in found[:3]:
        [profile] = page(view, log, "span", bounds, part["part"])["profiles"]
        if (profile["samples"], sum(profile["tree"]["own_ns"])) != (part["samples"], part["ns"]):
            return f"{part}: {profile['samples']} samples"
    return None


def main():
    hectic, view, *logs = sys.argv[1:]
    compared = failed = in_spans = 0
    for log in logs:
        [(first, last)] = sql(hectic, log, "SELECT min(time_ns), max(time_ns) FROM time_samples")
        random.seed(log)
        for i in range(PARTS + 1):
            a, b = sorted(random.randint(int(first), int(last)) for _ in range(2)) if i else (int(first), int(last))
            for wrong in (threads_wrong, spans_wrong):
                problem = wrong(hectic, view, log, (a, b + 1))
                compared += 1
                if problem:
                    print(f"{log} {a} {b + 1}: {problem}")
                    failed += 1
            in_spans += len(page(view, log, "span", (a, b + 1))["parts"])
    print(f"{compared} comparisons, {in_spans} labels with samples")
    sys.exit(failed > 0 or compared < 4 or in_spans == 0)


main()

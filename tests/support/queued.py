"""Compares the waiting times of threads in hectic threads and hectic profile threads: see
cli/queued.sh. The reference follows each thread by its events alone."""
import collections
import csv
import io
import json
import re
import subprocess
import sys

hectic, log = sys.argv[1:3]


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def rows(*verb):
    table = csv.DictReader(io.StringIO(run(hectic, *verb, "--csv", log)[1], newline=""))
    return {int(row["thread"]): row for row in table}


# The cause of waiting after a stop, by the status of STOP_THREAD.
AFTER = {1: "a cap", 2: "a cap", 3: "a cap, after it has yielded", 5: None, 6: "a foreign call"}
AFTER[17] = AFTER[3]

state, since = {}, {}
spent = collections.defaultdict(collections.Counter)


def enter(thread, what, time):
    if state.get(thread):
        spent[thread][state[thread]] += time - since[thread]
    state[thread], since[thread] = what, time


for line in run(hectic, "show", "--json", log)[1].split("\n"):
    event = json.loads(line or '{"event": null}')
    thread, time = event.get("thread"), event.get("time")
    if event["event"] == "CREATE_THREAD":
        enter(thread, "a cap", time)
    elif event["event"] == "RUN_THREAD":
        enter(thread, "running", time)
    elif event["event"] == "STOP_THREAD":
        enter(thread, AFTER.get(event["status"], "an event"), time)
    elif event["event"] == "THREAD_WAKEUP":
        own = event["other_cap"] == event["cap"]
        if state.get(thread) == "an event" and not own:
            enter(thread, "a cap, woken from another cap", time)
        elif own and state.get(thread) != "running" or state.get(thread) == "a foreign call":
            enter(thread, "a cap", time)

text = run("ghc-events", "profile", "threads", log)[1] if sys.argv[3] == "peer" else ""
peer = collections.defaultdict(collections.Counter)
for found in re.finditer(r"\((\d+),\(Thread(\w+),\d+,(\d+)\)\)", text):
    peer[int(found[1])][found[2].lower()] += int(found[3])

threads, compared = rows("threads"), 0
for thread, profile in rows("profile", "threads").items():
    if profile["state"] != "finished":
        continue
    reported, times = threads[thread], spent[thread]
    waited = times["a cap"], times[AFTER[3]] + times["a cap, woken from another cap"]
    assert int(reported["runnable_ns"]) == sum(waited), (log, thread, reported, times)
    assert int(reported["foreign_call_ns"]) == times["a foreign call"], (log, thread, reported, times)
    assert int(reported["running_ns"]) == int(profile["running_ns"]), (log, thread, reported, profile)
    queued = waited[0] + times["a foreign call"]
    assert int(profile["queued_ns"]) == queued, (log, thread, profile, times)
    assert int(profile["stopped_ns"]) == times["an event"] + waited[1], (log, thread, profile, times)
    for name in ("queued", "running", "stopped"):
        assert not peer or peer[thread][name] == int(profile[f"{name}_ns"]), (log, thread, name, peer)
    compared += 1
print(f"{log}: {compared} threads{'' if not peer else ', as ghc-events has them'}")

#!/usr/bin/env python3
"""view_elements.py HECTIC VIEW LOG...: the answers of a page's engine to `element` are the runs that the events
of a log have, the states that hectic threads adds up, the collections of hectic gc, the spans of hectic spans
--each, and the messages of hectic show. VIEW is tests/wasm/view.c. Prints the numbers of comparisons."""
import json
import os
import random
import subprocess
import sys
from urllib.parse import quote

import exact
import view_stat

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../support")
import eventlog

SAMPLE = 150 if os.environ.get("EXHAUSTIVE") else 40  # of each kind
RUN, STOP = 1, 2
STATES = (
    "running runnable mvar mvar_read stm black_hole delay io foreign_call throw_to other".split()
)
compared = {}


def table(hectic, verb, key, *words):
    done = subprocess.run([hectic, verb, "--json", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return exact.loads(done.stdout)[key] if done.stdout else []


def asked(view, log, requests):
    return [json.loads(answer) for answer in view_stat.answers(view, log, requests)]


def request(**keys):
    return "element?" + "&".join(f"{key}={value}" for key, value in keys.items())


def some(chance, items):
    return items if len(items) <= SAMPLE else chance.sample(items, SAMPLE)


def short(element):
    return element and (element["from_ns"], element["to_ns"])


def runs_of(data):
    """The runs of each thread, and of each cap, by the events of one section."""
    by_thread, by_cap, running = {}, {}, {}
    for time, cap, number, payload in sorted(eventlog.read(data)[0], key=lambda event: event[0]):
        if number == RUN:
            running[cap] = (time, int.from_bytes(payload[:4], "big"))
        elif number == STOP and cap in running:
            begin, thread = running.pop(cap)
            if begin < time and thread == int.from_bytes(payload[:4], "big"):
                by_thread.setdefault(thread, []).append((begin, time))
                by_cap.setdefault(cap, []).append((begin, time))
    return by_thread, by_cap


def neighbours(kind, extents, found, **keys):
    """Requests for the elements of a kind, and what they must be."""
    for at, (begin, end) in enumerate(extents):
        found.append((request(kind=kind, time=(begin + end) // 2, **keys), (begin, end)))
        if at + 1 < len(extents):
            found.append((request(kind=kind, which="next", time=begin, **keys), extents[at + 1]))
            found.append((request(kind=kind, which="previous", time=extents[at + 1][0], **keys), (begin, end)))


def longest(kind, extents, found, **keys):
    length = max(end - begin for begin, end in extents)
    most = [extent for extent in extents if extent[1] - extent[0] == length]
    if len(most) == 1:
        found.append((request(kind=kind, which="longest", **keys), most[0]))


def wrong_extents(view, log, what, wanted, chance):
    chosen = some(chance, wanted)
    compared[what] = compared.get(what, 0) + len(chosen)
    found = asked(view, log, [text for text, _ in chosen])
    return [
        f"{text}: {short(answer['element'])}, not {want}"
        for (text, want), answer in zip(chosen, found)
        if short(answer["element"]) != want
    ]


def runs(view, log, chance):
    with open(log, "rb") as file:
        by_thread, by_cap = runs_of(file.read())
    wanted = []
    for thread, extents in by_thread.items():
        neighbours("thread", extents, wanted, thread=thread, state="running")
        longest("thread", extents, wanted, thread=thread, state="running")
    of_caps = []
    for cap, extents in by_cap.items():
        neighbours("cap", extents, of_caps, cap=cap)
    return wrong_extents(view, log, "runs", wanted, chance) + wrong_extents(view, log, "caps", of_caps, chance)


def states(hectic, view, log):
    """Going from state to state, each thread has the times of hectic threads."""
    found = []
    rows = table(hectic, "threads", "threads", log)
    for row in rows[:12]:
        if not row["runs"] or row["runs"] > 60:
            continue
        begin = row["born_ns"] if row["born_ns"] is not None else 0
        sums, time, which = dict.fromkeys(STATES, 0), begin, "at"
        while True:
            (answer,) = asked(view, log, [request(kind="thread", thread=row["thread"], time=time, which=which)])
            element = answer["element"]
            if element is None:
                break
            sums[element["state"]] = sums.get(element["state"], 0) + element["to_ns"] - element["from_ns"]
            time, which = element["from_ns"], "next"
        compared["states"] = compared.get("states", 0) + 1
        want = {state: row[f"{state}_ns"] for state in STATES}
        got = {state: sums[state] for state in STATES}
        if row["born_ns"] is not None and got != want:
            found.append(f"thread {row['thread']}: {got}, not {want}")
    return found


def distinct(extents):
    """Those that begin at different times."""
    begins = [begin for begin, _ in extents]
    return [extent for extent in sorted(extents) if begins.count(extent[0]) == 1]


def others(hectic, view, log, chance):
    found = []
    rows = table(hectic, "gc", "gc", log)
    extents = [(row["start_ns"], row["start_ns"] + row["pause_ns"]) for row in rows if row["pause_ns"]]
    if extents and len(distinct(extents)) == len(rows):
        wanted = []
        neighbours("collection", distinct(extents), wanted)
        longest("collection", extents, wanted)
        found += wrong_extents(view, log, "collections", wanted, chance)
    spans = [row for row in table(hectic, "spans", "spans", "--each", "--raw", log) if None not in (row["start_ns"], row["end_ns"])]
    grouped = [row for row in table(hectic, "spans", "spans", "--each", log) if row["label"].endswith("#") and None not in (row["start_ns"], row["end_ns"])]
    for name in sorted({row["label"] for row in grouped})[:8]:
        own = [(row["start_ns"], row["end_ns"]) for row in grouped if row["label"] == name]
        wanted = []
        neighbours("span", distinct(own), wanted, group=quote(name[:-1] + "7"))
        longest("span", own, wanted, group=quote(name[:-1] + "7"))
        wanted = [one for one in wanted if "which" in one[0]] if len(distinct(own)) == len(own) else []
        found += wrong_extents(view, log, "groups of spans", wanted, chance)
    names = {row["label"] for row in spans}
    for name in sorted(names)[:8]:
        own = [(row["start_ns"], row["end_ns"]) for row in spans if row["label"] == name]
        if len(distinct(own)) != len(own) or not name.isidentifier():
            continue
        wanted = []
        neighbours("span", distinct(own), wanted, name=name)
        longest("span", own, wanted, name=name)
        if any(a[1] > b[0] for a, b in zip(distinct(own), distinct(own)[1:])):
            wanted = [one for one in wanted if "which" in one[0]]
        found += wrong_extents(view, log, "spans", wanted, chance)
    for kind, event in (("marker", "USER_MARKER"), ("message", "USER_MSG")):
        done = subprocess.run(
            [hectic, "show", "--jsonl", "--no-header", "--event", event, log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        events = [exact.loads(line) for line in done.stdout.decode(errors="surrogateescape").splitlines()]
        texts = [(one["time"], one.get("message", one.get("name"))) for one in events]
        texts = [one for one in texts if one[1] is not None and not one[1].startswith(("START ", "STOP "))]
        times = [time for time, _ in texts]
        alone = some(chance, [one for one in texts if times.count(one[0]) == 1])
        compared[kind] = compared.get(kind, 0) + len(alone)
        answers = asked(view, log, [request(kind=kind, time=time) for time, _ in alone])
        for (time, text), answer in zip(alone, answers):
            element = answer["element"]
            if not element or (element["from_ns"], element["text"]) != (time, text):
                found.append(f"{kind} at {time}: {element}, not {text}")
    return found


def relations(hectic, view, log, chance):
    """The spans of a thread around its runs, and in them, are those of hectic spans."""
    spans = [row for row in table(hectic, "spans", "spans", "--each", "--raw", log) if None not in (row["start_ns"], row["end_ns"], row["thread"])]
    with open(log, "rb") as file:
        by_thread, _ = runs_of(file.read())
    cases = [(thread, extent) for thread, extents in by_thread.items() for extent in extents]
    cases = some(chance, [case for case in cases if any(row["thread"] == case[0] for row in spans)])
    answers = asked(view, log, [request(kind="thread", thread=thread, time=begin) for thread, (begin, _) in cases])
    found = []
    for (thread, (begin, end)), answer in zip(cases, answers):
        own = [(row["start_ns"], row["end_ns"], row["label"]) for row in spans if row["thread"] == thread]
        around = sorted(one for one in own if one[0] <= begin and one[1] >= end and one[:2] != (begin, end))
        inside = sorted(one for one in own if one[0] >= begin and one[1] <= end and one[:2] != (begin, end))
        got = sorted((one["from_ns"], one["to_ns"], one["name"]) for one in answer["around"])
        compared["around"] = compared.get("around", 0) + len(around)
        compared["inside"] = compared.get("inside", 0) + len(inside)
        if len(around) <= 20 and got != around:
            found.append(f"around the run of {thread} at {begin}: {got}, not {around}")
        if answer["inside_count"] != len(inside):
            found.append(f"in the run of {thread} at {begin}: {answer['inside_count']}, not {len(inside)}")
    return found


def main():
    hectic, view, *logs = sys.argv[1:]
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print(f"SEED={seed}")
    chance, failed = random.Random(seed), 0
    for log in logs:
        for text in (
            runs(view, log, chance)
            + states(hectic, view, log)
            + others(hectic, view, log, chance)
            + relations(hectic, view, log, chance)
        ):
            print(f"{log}: {text}")
            failed += 1
    print(compared)
    return failed > 0 or len(compared) < 8 or min(compared.values()) == 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""view_verdict.py HECTIC VIEW LOG...: the answers of a page's engine to `findings` are the verdict of hectic
info; of random intervals, their values are those that follow from the tables of other verbs. VIEW is
tests/wasm/view.c. Prints the number of comparisons."""
import json
import random
import re
import subprocess
import sys

import exact
import view_stat

INTERVALS = 6
OF_WHOLE_RUNS = {"gc_growth", "live_growth", "never_woken", "thread_growth"}
CLOSE = 1e-9


def command(hectic, *words):
    done = subprocess.run([hectic, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode(errors="surrogateescape")


def answers(view, log, requests):
    return [json.loads(answer) for answer in view_stat.answers(view, log, requests)]


def is_of(finding, section):
    """Is a finding of hectic info of that section, or process, of the page?"""
    if "process" in section:
        return finding["process"] == section["process"]
    return finding["section"] == section["section"]


def without(findings, *keys):
    return [{key: value for key, value in one.items() if key not in keys} for one in findings]


def is_near(a, b):
    return abs(a - b) <= CLOSE * max(abs(a), abs(b), 1e-6)


def are_equal(got, want):
    """The command has more digits of numbers."""
    if len(got) != len(want):
        return False
    for a, b in zip(got, want):
        if without([a], "value", "importance") != without([b], "value", "importance"):
            return False
        if not is_near(a["value"], b["value"]) or not is_near(a["importance"], b["importance"]):
            return False
    return True


class Interval:
    """What the other verbs know of an interval."""

    def __init__(self, hectic, log, begin, end):
        self.hectic, self.log, self.words = hectic, log, ("--from", f"{begin}ns", "--to", f"{end}ns")
        self.stat = json.loads(command(hectic, "stat", "--jsonl", *self.words, log))
        self.caps = self.stat["caps"]
        time = self.stat["time"]
        self.elapsed = self.stat["to_ns"] - self.stat["from_ns"] - (time["unrecorded_ns"] or 0)

    def table(self, verb, key):
        return exact.loads(command(self.hectic, verb, "--json", *self.words, self.log))[key]

    def program(self):
        return [row for row in self.table("threads", "threads") if row["kind"] == "program"]

    def per_cap(self, key):
        return [cap[key] / self.elapsed for cap in self.caps]

    def pauses(self, number):
        return self.stat["gc"]["generations"][number]["pause"]["total_ns"] / self.elapsed

    def sparks(self, key):
        return self.stat["sparks"][key] / self.stat["sparks"]["sparks"]

    def safepoint(self):
        return self.stat["gc"]["time_to_safepoint"]["total_ns"] / self.elapsed

    def cap_balance(self):
        running = self.per_cap("running_ns")
        return 1 - sum(running) / len(running) / max(running)

    def runnable(self):
        often = [
            row["runnable_ns"]
            for row in self.program()
            if row["runnable_ns"] >= (row["lifetime_ns"] - row["foreign_call_ns"]) // 5
        ]
        begin = (self.stat["gc"]["time_to_safepoint"] or {}).get("total_ns") or 0
        stopped = sum(cap["gc_ns"] + max(cap["wait_begin_ns"], begin) + cap["wait_end_ns"] + cap["wait_out_ns"] for cap in self.caps)
        return (sum(often) - stopped) / self.elapsed

    def foreign(self):
        rows = self.program()
        return sum(row["foreign_call_ns"] for row in rows) / sum(row["lifetime_ns"] for row in rows)

    def black_hole(self):
        rows = self.program()
        own = sum(row["lifetime_ns"] - row["foreign_call_ns"] for row in rows)
        return sum(row["black_hole_ns"] for row in rows) / own

    def fragmentation(self):
        memory = self.stat["memory"]
        return memory["fragmentation_max_bytes"] / memory["heap_max_bytes"]


VALUES = {
    "gc_time": lambda i: i.stat["time"]["gc_ns"] / i.elapsed,
    "allocation_area": lambda i: i.pauses(0),
    "old_generation": lambda i: i.pauses(-1),
    "long_pause": lambda i: i.stat["gc"]["pause"]["max_ns"],
    "safepoint": Interval.safepoint,
    "cap_balance": Interval.cap_balance,
    "idle": lambda i: sum(i.per_cap("idle_ns")) / len(i.caps),
    "runnable": Interval.runnable,
    "foreign": Interval.foreign,
    "black_hole": Interval.black_hole,
    "sparks_overflowed": lambda i: i.sparks("overflowed"),
    "sparks_dud": lambda i: i.sparks("dud"),
    "sparks_fizzled": lambda i: i.sparks("fizzled"),
    "fragmentation": Interval.fragmentation,
}


CLOSURES = {"thunks": ("THUNK", "AP"), "stack_growth": ("STACK",)}
PLACES = []  # of which kinds were compared


def closures_at_most(hectic, log, names):
    """When the closures with these names take most, of a heap profile by type of closure: the times of that point."""
    found = []
    for profile in exact.loads(command(hectic, "heap", "--json", "--bands", "1000", log))["sections"][0]["profiles"]:
        times, labels = profile.get("course_ns"), profile["labels"]
        if times is None:
            continue
        bands = [band for band in profile["bands"] if "/".join(labels[i] for i in band["stack"]).startswith(names)]
        sums = [sum(at) for at in zip(*(band["course_bytes"] for band in bands))]
        if sums:
            most = sums.index(max(sums))
            found.append((times[most], (times + [profile["to_ns"]])[most + 1]) if "to_ns" in profile else times[most])
    return found


def dropped(hectic, log, extent):
    """The times of the first and the last message that reports dropped events."""
    query = f"SELECT min(end_ns), max(end_ns) FROM gaps_each WHERE kind = 'dropped' AND end_ns >= {extent[0]} AND end_ns < {extent[1]}"
    first, last = command(hectic, "sql", "--csv", log, query).splitlines()[1].split(",")
    return int(first), int(last) + 1


def place_is_wrong(hectic, log, finding, extent):
    """The longest pause, and the longest wait for caps, are rows of hectic gc; thunks are where they take most, lost
    events at their messages. Other places lie in the run, or in the interval."""
    begin, end = finding["where"]["from_ns"], finding["where"]["to_ns"]
    if finding["id"] == "safepoint":
        PLACES.append("safepoint")
        rows = [row for row in exact.loads(command(hectic, "gc", "--json", log))["gc"] if row["pause_ns"] is not None]
        rows = [row for row in rows if extent[0] <= row["start_ns"] + row["pause_ns"] < extent[1]]
        most = max(row["safepoint_ns"] or 0 for row in rows)
        spots = [(row["start_ns"] - most, row["start_ns"] + row["pause_ns"]) for row in rows if row["safepoint_ns"] == most]
        return [] if (begin, end) in spots else [f"the longest wait is not at {begin}: {spots}"]
    if finding["id"] in CLOSURES and extent[0] == 0:
        PLACES.append(finding["id"])
        spots = closures_at_most(hectic, log, CLOSURES[finding["id"]])
        starts = [spot[0] if isinstance(spot, tuple) else spot for spot in spots]
        return [] if begin in starts else [f"{finding['id']} at {begin}, not {spots}"]
    if finding["id"] == "lost_events":
        PLACES.append("lost_events")
        want = dropped(hectic, log, extent)
        return [] if (begin, end) == want else [f"events are lost at {want}, not {begin} … {end}"]
    if finding["id"] == "long_pause":
        rows = exact.loads(command(hectic, "gc", "--json", log))["gc"]
        found = [row for row in rows if row["start_ns"] == begin and row["pause_ns"] == end - begin == finding["value"]]
        return [] if found else [f"the longest pause is not at {begin}"]
    return [] if extent[0] <= begin < end <= extent[1] else [f"{begin} … {end} is not in {extent}"]


def wrong_in_interval(hectic, log, answer, begin, end, compared):
    found = []
    interval = Interval(hectic, log, begin, end)
    words = ("--from", f"{begin}ns", "--to", f"{end}ns")
    for finding in answer["findings"]:
        if finding["id"] in OF_WHOLE_RUNS:
            found.append(f"{finding['id']} is about whole runs")
        if finding["id"] in VALUES:
            want = VALUES[finding["id"]](interval)
            compared.append(finding["id"])
            if not is_near(finding["value"], want):
                found.append(f"{finding['id']} is {finding['value']}, not {want}")
        if " check " not in finding["command"] and " ".join(words) not in finding["command"]:
            found.append(f"no interval: {finding['command']}")
        found += place_is_wrong(hectic, log, finding, (begin, end))
    return found + [f"{name} is not unknown" for name in OF_WHOLE_RUNS - set(answer["unknown"])]


def nothing_of(text):
    """The sentence of hectic info, if there are no findings."""
    lines = re.findall(r"^(?:Verdict   |          ) (\S.*)$", text[text.find("\nVerdict") :], re.M)
    return " ".join(lines)


def main():
    hectic, view, *logs = sys.argv[1:]
    failed, whole, sentences, kinds, compared = 0, 0, 0, set(), []
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for log in logs:
        printed = command(hectic, "info", "--json", log)
        overview = answers(view, log, ["overview"])
        if not printed or not overview or not overview[0].get("sections"):
            continue
        sections = overview[0]["sections"]
        verdict = exact.loads(printed)["verdict"]
        if "process" not in sections[0]:
            sections = sections[:4]  # so many are judged by hectic info
        for section in sections:
            if section["from_ns"] is None:
                continue
            answer = answers(view, log, [f"findings?section={section['section']}"])[0]
            want = [finding for finding in verdict if is_of(finding, section)]
            got = without(answer["findings"], "command", "where")
            whole += 1
            kinds |= {finding["id"] for finding in want}
            wrong = [] if are_equal(got, without(want, "command")) else [f"{got}, not {want}"]
            for finding, of in zip(answer["findings"], want):
                if of["command"] not in (finding["command"], re.sub("LOG$", log, finding["command"])):
                    wrong.append(f"{finding['command']} is not {of['command']}")
                extent = (0, section["to_ns"] + 1)
                alone = len(sections) == 1
                wrong += place_is_wrong(hectic, log, finding, extent) if alone else []
            if not got and len(sections) == 1:
                sentences += 1
                if not nothing_of(command(hectic, "info", log)).startswith(answer["nothing"]):
                    wrong.append(f"\"{answer['nothing']}\" is not what hectic info says")
            for _ in range(INTERVALS if len(sections) == 1 else 0):
                begin, end = sorted(chance.sample(range(section["from_ns"], section["to_ns"] + 2), 2))
                if chance.random() < 0.5:  # most of it, in which findings are likely
                    begin = section["from_ns"] + (section["to_ns"] - section["from_ns"]) // 50
                part = answers(view, log, [f"findings?from={begin}&to={end}"])[0]
                if "message" not in part:
                    wrong += wrong_in_interval(hectic, log, part, begin, end, compared)
            for text in wrong:
                print(f"{log}, section {section['section']}: {text}")
            failed += bool(wrong)
    print(f"{whole} runs with {len(kinds)} kinds of findings: {' '.join(sorted(kinds))}; {sentences} without;")
    print(f"{len(compared)} findings of intervals, of {len(set(compared))} kinds: {' '.join(sorted(set(compared)))}")
    print(f"places: {' '.join(sorted(set(PLACES)))}")
    return failed > 0 or whole < 20 or sentences < 3 or len(compared) < 20


if __name__ == "__main__":
    sys.exit(main())

"""The numbers of findings, computed in other ways: from +RTS -s and the .hp and .prof files of the same
run, and from the rows of other verbs."""

import os
import re
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../support")
import eventlog


class Evidence:
    """What else is known of a run."""

    def __init__(self, log, hectic, finding):
        self.log, self.hectic, self.finding, self.cache = log, hectic, finding, {}

    def read(self, suffix):
        with open(f"{self.log}.{suffix}", encoding="utf-8") as file:
            return file.read()

    def json(self, *verb):
        if verb not in self.cache:
            found = self.hectic(*verb, "--json", self.log)
            self.cache[verb] = found["stat"][0] if verb == ("stat",) else found["gc"] if verb == ("gc",) else found
        return self.cache[verb]

    def report(self, pattern):
        """A number of +RTS -s."""
        return float(re.search(pattern, self.read("s")).group(1).replace(",", ""))

    def elapsed(self):
        return self.report(r"Total +time .*\( *([\d.]+)s elapsed\)")

    def words(self, *words):
        """What the finding's text does not have."""
        text = self.finding["text"]
        return [f"not \"{word}\" in: {text}" for word in words if word not in text]

    def near(self, expected, share=0.03, absolute=0.005):
        """Most numbers are rounded, or taken at slightly different times."""
        value = self.finding["value"]
        if abs(value - expected) <= max(share * abs(expected), absolute):
            return []
        return [f"{self.finding['id']} is {value}, but {expected} is expected"]


def gc_share(e):
    return e.near(e.report(r"GC +time .*\( *([\d.]+)s elapsed\)") / e.elapsed())


def live(e):
    """Live data, without the collection at the end."""
    return [row["live_bytes"] for row in e.json("gc") if row["live_bytes"] is not None][:-1]


def gc_growth(e):
    return gc_share(e) + e.words(f"from {size(live(e)[0])} to {size(max(live(e)))} ")


def live_growth(e):
    return e.near(max(live(e)) - live(e)[0], share=0)


def size(number):
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            break
        number /= 1024
    return f"{number:.0f} {unit}" if number >= 100 else f"{number:.1f} {unit}"


def generation(number):
    def check(e):
        row = rf"Gen +{number} +(\d+) colls, +\d+ par +[\d.]+s +([\d.]+)s"
        count = re.search(row, e.read("s")).group(1)
        words = e.words(f"{count} minor" if number == 0 else f"{count} major")
        return words + e.near(e.report(row.replace(r"(\d+)", r"\d+")) / e.elapsed())

    return check


def long_pause(e):
    longest = max(float(s) for s in re.findall(r"colls, .* ([\d.]+)s\n", e.read("s")))
    return e.near(longest * 1e9, absolute=0.001e9)


def safepoint(e):
    rows = e.json("gc")
    return e.near(sum(row["safepoint_ns"] or 0 for row in rows) / e.json("stat")["time"]["total_ns"])


def gc_balance(e):
    """+RTS -s leaves out 0 %."""
    is_known = "work balance: " in e.read("s")
    return e.near(e.report(r"work balance: ([\d.]+)%") / 100 if is_known else 0, absolute=0.0001)


def cap_times(e, key):
    stat = e.json("stat")
    return [cap[key] / stat["time"]["total_ns"] for cap in stat["caps"]]


def cap_balance(e):
    running = cap_times(e, "running_ns")
    return e.near(1 - sum(running) / len(running) / max(running), share=1e-9)


def idle(e):
    """Not in INIT and EXIT, in which the caps of each program are idle."""
    stat = e.json("stat")
    time, caps = stat["time"], stat["caps"]
    phases = (time["init_ns"] or 0) + (time["exit_ns"] or 0)
    absent = [time["total_ns"] - cap["present_ns"] for cap in caps]
    idle = sum(max(cap["idle_ns"] - max(phases - gone, 0), 0) for cap, gone in zip(caps, absent))
    return e.near(idle / sum(cap["present_ns"] - cap["unknown_ns"] for cap in caps), share=1e-9)


def sparks(what):
    def check(e):
        line = re.search(r"SPARKS: (\d+) \((.*)\)", e.read("s"))
        counts = {name: int(count) for count, name in re.findall(r"(\d+) ([\w']+)", line.group(2))}
        return e.near(counts[what] / int(line.group(1)), 1e-9) + e.words(f" of the {line.group(1)} sparks")

    return check


def sparks_small(e):
    converted = e.report(r"SPARKS: .*?(\d+) converted")
    return e.near(sum(cap["running_ns"] for cap in e.json("stat")["caps"]) / converted, 1e-9)


def fragmentation(e):
    rows = e.json("gc")
    heap = max(row[key] or 0 for row in rows for key in ("heap_before_bytes", "heap_after_bytes"))
    return e.near(max(row["fragmentation_bytes"] or 0 for row in rows) / heap, share=1e-9)


def samples(e):
    """Those of the .hp file: bytes by band."""
    found = []
    for line in e.read("hp").splitlines():
        if line.startswith("BEGIN_SAMPLE"):
            found.append({})
        elif "\t" in line:
            label, number = line.split("\t")
            found[-1][label] = int(number)
    return [sample for sample in found if sample]


def kind(prefix):
    """The share of some types of closures in the sample in which they take most."""

    def check(e):
        sums = [(sum(n for label, n in s.items() if label.startswith(prefix)), sum(s.values())) for s in samples(e)]
        part, whole = max(sums)
        return e.near(part / whole, 0.1, 0)

    return check


def threads(e, key):
    return sum(row[key] for row in e.json("threads")["threads"])


def black_hole(e):
    return e.near(threads(e, "black_hole_ns") / (threads(e, "lifetime_ns") - threads(e, "foreign_call_ns")), 1e-9)


def waits(*keys):
    """Of the threads that wait for others, again and again. Runtime threads do not count for the verdict."""

    def check(e):
        rows = [(sum(row[key] for key in keys), row) for row in e.json("threads")["threads"]]
        rows = [(wait, row) for wait, row in rows if 20 * wait >= row["lifetime_ns"] and row["runs"] >= 10]
        most = sum(wait for wait, _ in rows) / sum(r["lifetime_ns"] - r["foreign_call_ns"] for _, r in rows)
        # Without waits for timers, and those that nothing ends.
        return [] if e.finding["value"] <= most * 1.001 else [f"{e.finding['id']}: at most {most}"]

    return check


def program(e):
    return [row for row in e.json("threads")["threads"] if row["kind"] == "program"]


def foreign(e):
    rows = program(e)
    return e.near(sum(row["foreign_call_ns"] for row in rows) / sum(row["lifetime_ns"] for row in rows), 1e-9)


def runnable(e):
    """Of threads that are often runnable; less collections on each cap, and the time until they began."""
    stat = e.json("stat")
    waited = sum(
        row["runnable_ns"]
        for row in program(e)
        if row["runnable_ns"] >= (row["lifetime_ns"] - row["foreign_call_ns"]) // 5
    )
    begin = (stat["gc"]["time_to_safepoint"] or {}).get("total_ns") or 0
    stopped = sum(
        cap["gc_ns"] + max(cap["wait_begin_ns"], begin) + cap["wait_end_ns"] + cap["wait_out_ns"] for cap in stat["caps"]
    )
    return e.near((waited - stopped) / stat["time"]["total_ns"], 1e-9)


def thread_growth(e):
    """Those that the end of the program, or of the log, ended."""
    rows = program(e)
    end = max(row["ended_ns"] or 0 for row in rows)
    most = sum(1 for row in rows if row["ended_ns"] is None or row["ended_ns"] >= end * 7 / 8)
    return [] if e.finding["value"] <= most else [f"thread_growth: at most {most}"]


def yields(e):
    """STOP_THREAD (2) with the reason ThreadYielding (3), but not if there was a CREATE_THREAD (0) on the
    cap since it ran (1)."""
    with open(e.log, "rb") as file:
        events = eventlog.read(file.read())[0]
    count, has_created = 0, {}
    for _, cap, number, payload in sorted(events, key=lambda event: event[0]):
        has_created[cap] = number == 0 or number != 1 and has_created.get(cap, False)
        count += number == 2 and payload[4:6] == b"\0\3" and not has_created[cap]
    running = sum(cap["running_ns"] for cap in e.json("stat")["caps"])
    return e.near(running / count)


def cost_centre(e):
    rows = re.findall(r"^(\w+) +Main +.* +([\d.]+) +[\d.]+$", e.read("prof"), re.M)
    label, share = max(rows, key=lambda row: float(row[1]))
    return e.near(float(share) / 100, absolute=0.001) + e.words(f'"{label}" of Main')


CHECKS = {
    "gc_growth": gc_growth,
    "live_growth": live_growth,
    "gc_time": gc_share,
    "allocation_area": generation(0),
    "old_generation": generation(1),
    "long_pause": long_pause,
    "safepoint": safepoint,
    "gc_balance": gc_balance,
    "cap_balance": cap_balance,
    "idle": idle,
    "black_hole": black_hole,
    "mvar": waits("mvar_ns", "mvar_read_ns"),
    "stm": waits("stm_ns"),
    "yields": yields,
    "foreign": foreign,
    "runnable": runnable,
    "thread_growth": thread_growth,
    "sparks_overflowed": sparks("overflowed"),
    "sparks_dud": sparks("dud"),
    "sparks_fizzled": sparks("fizzled"),
    "sparks_collected": sparks("GC'd"),
    "sparks_small": sparks_small,
    "fragmentation": fragmentation,
    "thunks": kind("THUNK"),
    "stack_growth": kind("STACK"),
    "cost_centre": cost_centre,
}


def wrong(log, findings, hectic):
    """What is wrong with the numbers of a whole log's findings."""
    cache, found = {}, []
    for finding in findings:
        evidence = Evidence(log, hectic, finding)
        evidence.cache = cache
        found += CHECKS.get(finding["id"], lambda _: [])(evidence)
    return found

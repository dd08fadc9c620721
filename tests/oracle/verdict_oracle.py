"""Runs programs/verdict.hs, and compares the findings of `hectic info --json` with numbers from
+RTS -s, from .hp and .prof files, from other verbs, and from what the program is."""

import csv
import io
import json
import os
import re
import subprocess
import sys

HECTIC = os.environ["HECTIC"]


def hectic(*arguments):
    done = subprocess.run([HECTIC, *arguments], stdout=subprocess.PIPE, check=False)
    if done.returncode > 1:
        raise SystemExit(f"hectic {' '.join(arguments)}: exit code {done.returncode}")
    return done.stdout.decode()


def rows(verb, log):
    """The table of a verb."""
    return list(csv.DictReader(io.StringIO(hectic(verb, "--csv", log))))


def column(table, name):
    return [float(row[name]) for row in table if row[name] != ""]


class Run:
    """One run: its log, its verdict, and the report of +RTS -s."""

    def __init__(self, program, kind, flags):
        self.log = f"{kind}.eventlog"
        command = [f"./{program}", kind, "+RTS", "-l", f"-ol{self.log}", "-sreport", *flags]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=300)
        with open("report", encoding="utf-8") as report:
            self.report = report.read()
        self.info = json.loads(hectic("info", "--json", self.log))
        self.found = {finding["id"]: finding for finding in self.info["verdict"]}
        self.stat = json.loads(hectic("stat", "--json", self.log))
        self.elapsed = self.seconds(r"Total +time .*\( *([\d.]+)s elapsed\)")

    def seconds(self, pattern):
        return float(re.search(pattern, self.report).group(1))

    def value(self, name):
        return self.found[name]["value"]

    def has_words(self, name, *words):
        text = self.found[name]["text"]
        return [f"{name}: not \"{word}\" in: {text}" for word in words if word not in text]

    def thread_time(self, name):
        return sum(thread[name] for thread in self.threads())

    def threads(self):
        return json.loads(hectic("threads", "--json", self.log))["threads"]

    def sparks(self):
        """created, and the counts by what happened to them, of +RTS -s"""
        line = re.search(r"SPARKS: (\d+) \((.*)\)", self.report)
        counts = dict((what, int(n)) for n, what in re.findall(r"(\d+) ([\w']+)", line.group(2)))
        return int(line.group(1)), counts


def near(name, value, expected, share=0.03, absolute=0.005):
    """The two are rounded, and taken at slightly different times."""
    if abs(value - expected) <= max(share * abs(expected), absolute):
        return []
    return [f"{name}: {value}, but {expected} is expected"]


# --- The numbers of each rule -------------------------------------------------------------------


def gc_share(run, name):
    gc = run.seconds(r"GC +time .*\( *([\d.]+)s elapsed\)")
    return near(name, run.value(name), gc / run.elapsed)


def gc_growth(run):
    live = column(rows("gc", run.log), "live_bytes")
    first, last = live[0], live[-2]  # the last collection is that of the end
    words = [f"from {size(first)} to {size(last)} "]
    assert last > 4 * first and sorted(live[:-1]) == live[:-1]
    return gc_share(run, "gc_growth") + run.has_words("gc_growth", *words, "run again with")


def size(number):
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            break
        number /= 1024
    return f"{number:.0f} {unit}" if number >= 100 else f"{number:.1f} {unit}"


def live_growth(run):
    live = column(rows("gc", run.log), "live_bytes")
    return near("live_growth", run.value("live_growth"), live[-2] - live[0], share=0)


def generation(run, name, number):
    row = re.search(rf"Gen +{number} +(\d+) colls, +\d+ par +[\d.]+s +([\d.]+)s", run.report)
    return near(name, run.value(name), float(row.group(2)) / run.elapsed) + run.has_words(
        name, f"{row.group(1)} collections"
    )


def long_pause(run):
    longest = max(float(s) for s in re.findall(r"colls, .* ([\d.]+)s\n", run.report))
    return near("long_pause", run.value("long_pause") / 1e9, longest)


def safepoint(run):
    table = rows("gc", run.log)
    waited, paused = sum(column(table, "safepoint_ns")), sum(column(table, "pause_ns"))
    return near("safepoint", run.value("safepoint"), waited / (waited + paused)) + run.has_words(
        "safepoint", "for cap 1 to stop", "unsafe foreign calls"
    )


def gc_balance(run):
    balance = run.seconds(r"work balance: ([\d.]+)%") / 100
    return near("gc_balance", run.value("gc_balance"), balance, absolute=0.0001)


def cap_times(run, name):
    return [cap[name] / run.stat["time"]["total_ns"] for cap in run.stat["caps"]]


def cap_balance(run):
    running = cap_times(run, "running_ns")
    expected = 1 - sum(running) / len(running) / max(running)
    return near("cap_balance", run.value("cap_balance"), expected, share=1e-9)


def idle(run):
    slept = 0.3 / run.elapsed  # threadDelay 300000
    expected = sum(cap_times(run, "idle_ns")) / len(run.stat["caps"])
    wrong = [] if run.value("idle") >= slept else [f"idle: {run.value('idle')}, less than {slept}"]
    return wrong + near("idle", run.value("idle"), expected, share=1e-9)


def runnable(run):
    """Seven of eight threads wait; there are no collections but the last one."""
    waited = run.thread_time("runnable_ns")
    return near("runnable", run.value("runnable"), waited / run.stat["time"]["total_ns"])


def blocked(run, name, columns, share):
    """With one cap exactly; otherwise a thread is woken before its cap makes it runnable."""
    own = run.thread_time("lifetime_ns") - run.thread_time("foreign_call_ns")
    expected = sum(run.thread_time(f"{c}_ns") for c in columns) / own
    waiting = sum(1 for t in run.threads() if any(t[f"{c}_ns"] > 0 for c in columns))
    threads = f"({waiting} thread{'' if waiting == 1 else 's'}, "
    return near(name, run.value(name), expected, share, 1e-9) + run.has_words(name, threads)


def sparks(run, name, what):
    count, counts = run.sparks()
    return near(name, run.value(name), counts[what] / count, 1e-9) + run.has_words(
        name, f" of the {count} sparks"
    )


def sparks_small(run):
    _, counts = run.sparks()
    running = sum(cap["running_ns"] for cap in run.stat["caps"])
    return near("sparks_small", run.value("sparks_small"), running / counts["converted"], 1e-9)


def fragmentation(run):
    table = rows("gc", run.log)
    expected = max(column(table, "fragmentation_bytes")) / max(
        column(table, "heap_before_bytes") + column(table, "heap_after_bytes")
    )
    return near("fragmentation", run.value("fragmentation"), expected, share=1e-9)


def heap_samples(path):
    samples = []
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line.startswith("BEGIN_SAMPLE"):
                samples.append({})
            elif "\t" in line:
                label, number = line.rstrip("\n").split("\t")
                samples[-1][label] = int(number)
    return [sample for sample in samples if sample]


def slope(times, values):
    mean_time, mean = sum(times) / len(times), sum(values) / len(values)
    products = sum((t - mean_time) * (v - mean) for t, v in zip(times, values))
    return products / sum((t - mean_time) ** 2 for t in times)


def heap_band(run):
    """Sizes from the .hp file of the same run, which cuts labels; times from the log."""
    samples = heap_samples("verdict.hp")
    times = [float(row["time"]) for row in map(json.loads, hectic(
        "show", "--json", "--event", "HEAP_PROF_SAMPLE_BEGIN", run.log).splitlines())]
    label = re.search(r'"(.*?)"', run.found["heap_band"]["text"]).group(1)
    short = next(name for name in samples[-2] if label.startswith(name[:20]))
    rise = {name: slope(times[:-1], [s.get(name, 0) for s in samples[:-1]]) for name in samples[-2]}
    wrong = near("heap_band", run.value("heap_band"), rise[short] * (times[-1] - times[0]), share=1e-6)
    if rise[short] < max(rise.values()):
        wrong.append(f"heap_band: {label} has not grown most")
    return wrong


def cost_centre(run):
    """The .prof file of the same run."""
    with open("hot.prof", encoding="utf-8") as report:
        text = report.read()
    shares = {m[0]: float(m[1]) for m in re.findall(r"^(\w+) +Main +.* +([\d.]+) +[\d.]+$", text, re.M)}
    wrong = near("cost_centre", run.value("cost_centre"), shares["three"] / 100, absolute=0.001)
    return wrong + run.has_words("cost_centre", '"three" of Main')


# Each: the rule, the program and its options for which it applies, what checks its number, and
# those for which it does not apply.
RULES = [
    ("gc_growth", "leak -N1", gc_growth, "replace -N1"),
    ("gc_growth", "consume -N1", lambda run: run.has_words("gc_growth", "did not shrink until"), "compute -N1"),
    ("live_growth", "slow-leak -N1", live_growth, "compute -N1"),
    ("gc_time", "replace -G1", lambda run: gc_share(run, "gc_time"), "compute -N1"),
    ("allocation_area", "replace -N1 -A256k", lambda run: generation(run, "allocation_area", 0), "replace -A64m"),
    ("old_generation", "replace -N1", lambda run: generation(run, "old_generation", 1), "allocate -N1"),
    ("long_pause", "large -N1", long_pause, "compute -N1"),
    ("safepoint", "unsafe-calls -N2", safepoint, "allocate -N1"),
    ("gc_balance", "leak -N2", gc_balance, "leak -N2 -qg"),
    ("cap_balance", "compute -N2", cap_balance, "all-caps -N2"),
    ("runnable", "on-one-cap -N2", runnable, "all-caps -N2"),
    ("mvar", "locked -N2", lambda run: blocked(run, "mvar", ["mvar", "mvar_read"], 0.1), "all-caps -N2"),
    ("mvar", "locked -N1", lambda run: blocked(run, "mvar", ["mvar", "mvar_read"], 1e-9), "timers -N1"),
    ("stm", "locked-in-stm -N1", lambda run: blocked(run, "stm", ["stm"], 1e-9), "locked -N2"),
    ("black_hole", "shared -N2", lambda run: blocked(run, "black_hole", ["black_hole"], 0.2), "all-caps -N2"),
    ("sparks_overflowed", "flood -N2", lambda run: sparks(run, "sparks_overflowed", "overflowed"), "large-sparks -N1"),
    ("sparks_dud", "dud -N2", lambda run: sparks(run, "sparks_dud", "dud"), "large-sparks -N1"),
    ("sparks_fizzled", "fizzle -N2 -A256m", lambda run: sparks(run, "sparks_fizzled", "fizzled"), "dud -N2"),
    ("sparks_collected", "unused -N1", lambda run: sparks(run, "sparks_collected", "GC'd"), "dud -N2"),
    ("sparks_small", "sparks -N1", sparks_small, "large-sparks -N1"),
    ("fragmentation", "pinned -N1", fragmentation, "leak -N1"),
    ("idle", "sleep -N1", idle, "compute -N1"),
    ("heap_band", "slow-leak -hT -i0.05", heap_band, "replace -hT -i0.05"),
    ("cost_centre", "hot: -p -V0.001", cost_centre, "even: -p -V0.001"),
]
OTHERS = {"lost_events"}  # of cli/verdict.sh


def run_of(case):
    kind, *flags = case.split()
    program = "hot" if kind.endswith(":") else "verdict"
    return Run(program, kind.rstrip(":"), flags)


RUNS = {}  # the latest of each case


def attempt(is_first, name, case, check, other):
    """What is wrong with the rule."""
    run = RUNS[case] = run_of(case)
    if name not in run.found:
        return [f"{name}: not for {case}, but {sorted(run.found)}"]
    wrong = check(run)
    command = run.found[name]["command"]
    if subprocess.run(command.replace("hectic", HECTIC, 1), shell=True, stdout=subprocess.DEVNULL,
                      check=False).returncode > 1:
        wrong.append(f"{name}: fails: {command}")
    if not is_first or other not in RUNS:
        RUNS[other] = run_of(other)
    against = RUNS[other]
    if name in against.found:
        wrong.append(f"{name}: for {other}: {against.found[name]['text']}")
    return wrong


def nothing(_):
    run = run_of("all-caps -N2 -I0")
    text = hectic("info", run.log)
    text = re.sub(r"\n +", " ", text)
    if run.found or not re.search(r"^Verdict +Nothing stands out: \d+ % of the time was the "
                                  r"program's own, evenly on both caps\.$", text, re.M):
        return [f"all-caps: {sorted(run.found)}, {text}"]
    return []


def main():
    with open(f"{os.path.dirname(__file__)}/../../include/hectic/verdicts.def", encoding="utf-8") as table:
        names = set(re.findall(r"^HECTIC_RULE\((\w+),", table.read(), re.M))
    untested = names - {rule[0] for rule in RULES} - OTHERS
    if untested:
        raise SystemExit(f"no program for {untested}")
    failed = False
    for tries in [lambda is_first, rule=rule: attempt(is_first, *rule) for rule in RULES] + [nothing]:
        # A busy machine may change what a run is like, but not three times.
        for count in range(3):
            wrong = tries(count == 0)
            if not wrong:
                break
            print(*wrong, sep="\n")
        failed |= bool(wrong)
    print(f"{len(RULES)} rules and their opposites")
    sys.exit(failed)


main()

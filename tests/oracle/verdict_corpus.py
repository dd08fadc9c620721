"""Runs the programs of programs/faults, and compares the verdicts of their logs with its table: of whole
logs, of logs truncated at random places, and of logs of killed programs.

By default each third program, with 2 caps and a few truncations; EXHAUSTIVE=1: each program; VERDICTS=all: with 1, 2 and 4 caps, and ten truncations.
Arguments are names of runs. With VERDICTS_LOGS=DIRECTORY logs are kept there, and used again."""

import itertools
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import verdict_numbers

HECTIC = os.environ["HECTIC"]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath("faults")
TABLE = f"{HERE}/../programs/faults/table"
BUSY, OVERLOADED = 150, 400  # preemptions per second: others use the processors
ALL = os.environ.get("VERDICTS") == "all"
CAPS, CUTS, SECONDS = ([1, 2, 4], 10, 1.0) if ALL else ([2], 3, 0.7)
TRIES = 3
ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT
GHC = [int(part) for part in os.environ["GHC_VERSION"].split(".")]


class Table:
    """What the file `table` says."""

    def __init__(self):
        self.groups, self.runs, self.said, self.unsaid, self.rows = {}, {}, {}, {}, {}
        with open(TABLE, encoding="utf-8") as lines:
            for line in lines:
                self.take(line.split("#")[0].split())
        missing = [(run, caps) for run in self.runs for caps in (1, 2, 4) if (run, caps, "whole") not in self.rows]
        if missing:
            raise SystemExit(f"no row for {missing}")

    def take(self, words):
        if not words:
            return
        kind, *rest = words
        if kind == "group":
            self.groups[rest[0]] = rest[1:]
        elif kind == "run":
            self.runs[rest[0]] = rest[1:]
        elif kind in ("said", "unsaid"):
            getattr(self, kind)[rest[0]] = " ".join(rest[1:])
        else:
            caps, form, *wanted = rest
            first, others = " ".join(wanted).split(";")
            row = Row(self, first.strip(), others.split())
            for number in (1, 2, 4):
                if caps == "all" or str(number) in caps.split(","):
                    assert kind in self.runs and (kind, number, form) not in self.rows, (kind, caps)
                    self.rows[kind, number, form] = row

    def names(self, names):
        return set(itertools.chain.from_iterable(self.groups.get(name, [name]) for name in names))

    def row(self, run, caps, form):
        """Nothing is required of an incomplete log without a row of its own. Forms: whole, cut, late."""
        whole = self.rows[run, caps, "whole"]
        cut = self.rows.get((run, caps, "cut"), whole.optional())
        return {"whole": whole, "cut": cut, "late": self.rows.get((run, caps, "late"), cut)}[form]


class Row:
    """Which findings must be first, which must be there, and which may be."""

    def __init__(self, table, first, others):
        parts = first.split("|")
        self.text = f"{first}; {' '.join(others)}"
        self.must = {part.rstrip("!") for part in parts if part.endswith("!")}
        self.first = table.names(part.rstrip("!") for part in parts)
        self.allowed = self.first | table.names(others)
        if "-" in self.first:
            self.first = self.allowed

    def optional(self):
        row = Row.__new__(Row)
        row.text, row.must, row.allowed = self.text + " (all optional)", set(), self.allowed
        row.first = self.allowed | {"-"}
        return row

    def wrong(self, ids):
        """What is wrong with these findings."""
        first = ids[0] if ids else "-"
        found = []
        if first not in self.first:
            found.append(f"{first} is first")
        found += [f"{name} is wrong" for name in ids if name not in self.allowed]
        return found + [f"{name} is missing" for name in self.must - set(ids)]


def hectic(*arguments):
    done = subprocess.run([HECTIC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode < 0 or done.returncode > 1:
        raise RuntimeError(f"hectic {' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()[:300]}")
    return json.loads(done.stdout)


def run(command, log, kill_after=None):
    """Makes a log NAME.CAPS.…. What it took: `preempted`: how often per second the kernel took a processor
    from it, as others use them; `processor`: seconds; `memory`: bytes."""
    program, *flags = [word for word in command if word not in ("quiet", "rare", "traced", "profiled")]
    caps = int(re.search(r"\.(\d+)\.", log).group(1))
    words = [PROGRAM, program, str(SECONDS)] + ["traced"] * ("traced" in command)
    if "profiled" in command:
        words = [f"{os.path.dirname(PROGRAM)}/hot", program]
    words += ["+RTS", "-l", f"-ol{log}", f"-s{log}.s", f"-N{caps}", *flags]
    if kill_after is not None and GHC >= [9, 2]:
        words.append("--eventlog-flush-interval=0.1")
    begin = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, cwd=os.path.dirname(log)) as process:
        if kill_after is not None:
            while not os.path.exists(log) and not os.waitid(os.P_PID, process.pid, ENDED):
                time.sleep(0.01)
            time.sleep(kill_after)
            os.kill(process.pid, signal.SIGKILL)  # process.kill would wait for it
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 and (process.returncode != -signal.SIGKILL or kill_after is None):
        raise SystemExit(f"{' '.join(words)}: exit code {process.returncode}")
    for suffix, profile in (("hp", "faults.hp"), ("prof", "hot.prof")):
        if kill_after is None and os.path.exists(f"{os.path.dirname(log)}/{profile}"):
            os.rename(f"{os.path.dirname(log)}/{profile}", f"{log}.{suffix}")
    return {
        "killed": process.returncode != 0,
        "preempted": usage.ru_nivcsw / (time.monotonic() - begin),
        "processor": usage.ru_utime + usage.ru_stime,
        "memory": 1024 * usage.ru_maxrss,
    }


def covered(log, caps, size):
    """The part of the run that the complete blocks in the first bytes cover for all caps; and where the
    blocks begin."""
    with open(log, "rb") as file:
        data = file.read()
    first = at = data.index(b"datb") + 4
    left, whole = dict.fromkeys(range(caps), 0), 0
    while data[at : at + 2] == b"\x00\x12":
        _, length, end, cap = struct.unpack_from(">QIQH", data, at + 2)
        at, whole = at + length, max(whole, end)
        if at <= size:
            left[cap] = end
    return min(left.values()) / whole, first


class Case:
    """One run with some number of caps, and the logs made from it."""

    def __init__(self, table, directory, name, caps):
        self.table, self.name, self.caps = table, name, caps
        self.command = table.runs[name]
        self.is_quiet = "quiet" in self.command
        self.random = random.Random(f"{name} {caps}")
        self.log = f"{directory}/{name}.{caps}.eventlog"
        self.killed = f"{directory}/{name}.{caps}.killed"
        self.of_whole, self.gc_of_whole = set(), 0  # its findings; its time of collections, ns

    def made(self, log, kill_after=None):
        """Makes a log, or uses a kept one; what it took."""
        note = f"{log}.took"
        if not os.path.exists(note):
            took = run(self.command, log, kill_after)
            with open(note, "w", encoding="utf-8") as file:
                json.dump(took, file)
        with open(note, encoding="utf-8") as file:
            return json.load(file)

    def forget(self):
        for log in (self.log, self.killed):
            for path in (log, f"{log}.took"):
                if os.path.exists(path):
                    os.remove(path)

    def run(self):
        """What is wrong with the whole log, and with it cut short."""
        preempted = self.made(self.log)["preempted"]
        wrong = self.judge("whole", "whole", self.log, preempted)
        size = os.path.getsize(self.log)
        _, first = covered(self.log, self.caps, 0)
        places = sorted(self.random.randrange(first, size) for _ in range(10))[:: 10 // CUTS][:CUTS]
        for place in places:
            cut = f"{self.log}.cut"
            with open(self.log, "rb") as whole, open(cut, "wb") as part:
                part.write(whole.read(place))
            form = "late" if covered(self.log, self.caps, place)[0] > 0.5 else "cut"
            wrong += self.judge(form, f"first {place} of {size} bytes", cut, preempted)
            os.remove(cut)
        return wrong

    def run_killed(self):
        took = self.made(self.killed, SECONDS * self.random.uniform(0.3, 0.7))
        if not took["killed"]:  # it is a short one
            return []
        return self.judge("cut", "killed", self.killed, took["preempted"])

    def judge(self, form, what, log, preempted):
        try:
            info, stat, rows = (hectic(verb, "--json", log) for verb in ("info", "stat", "gc"))
            stat, rows = stat["stat"][0], rows["gc"]
        except (RuntimeError, json.JSONDecodeError) as error:
            return [f"{self.name} -N{self.caps}, {what}: {error}"]
        is_whole = form == "whole"
        row = self.table.row(self.name, self.caps, form)
        # Others that hardly compute run at the same time as a quiet one.
        is_short = self.is_quiet or self.caps > os.cpu_count() or preempted > BUSY
        if self.caps > 1 and preempted > OVERLOADED and row.first & self.table.names(["fragile"]):
            row = row.optional()
        findings = info["verdict"]
        ids = [finding["id"] for finding in findings]
        gc = sum(row["pause_ns"] or 0 for row in rows)
        if is_whole:
            self.of_whole, self.gc_of_whole = set(ids), gc
        wrong = gc_times(log, gc, stat)
        if what.startswith("first") and stat["time"]["gc_main_ns"] is not None and gc > 1.05 * self.gc_of_whole + 1e6:
            wrong.append(f"collections of {gc} ns, {self.gc_of_whole} ns in the whole log")
        if is_short:
            excused, crowd = self.excused(is_whole)
            wrong += [
                f"does not name more caps than processors: {finding['text']}"
                for finding in findings
                if self.caps > 1
                and finding["id"] in crowd - row.allowed
                and not re.search("more caps than|fewer caps|fewer threads", finding["text"])
            ]
            ids = [name for name in ids if name not in excused - row.first]
        if is_whole:
            wrong += verdict_numbers.wrong(log, findings, hectic)
        wrong += row.wrong(ids)
        words = self.table.unsaid.get(self.name)
        wrong += [f"not true: {finding['text']}" for finding in findings if words and words in finding["text"]]
        words = self.table.said.get(self.name)
        if is_whole and words and not any(words in finding["text"] for finding in findings):
            wrong.append(f"no finding says {words}")
        if not wrong:
            return []
        found = " ".join(f"{finding['id']} {finding['importance']:.2f}" for finding in findings) or "-"
        short = ", processors were short" if is_short else ""
        said = f"{self.name} -N{self.caps}, {what}{short}: {'; '.join(wrong)}"
        return [f"{said}\n    found: {found}\n    table: {row.text}"]

    def excused(self, is_whole):
        """What a lack of processors may cause, and the part whose texts must say so."""
        crowd = self.table.names(["crowd", "more_caps"] if self.caps > os.cpu_count() else ["crowd"])
        if not is_whole:
            crowd -= self.table.names(["uncut"]) - self.of_whole
        return crowd | self.table.names(["busy"]), crowd


def gc_times(log, pauses, stat):
    """The time of collections, as info, stat and gc have it; it may be unknown to the first two."""
    total = stat["time"]["gc_main_ns"]
    text = subprocess.run([HECTIC, "info", log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    shown = re.search(r"^Time .* GC ([\d.]+)s", text.decode(), re.M)
    wrong = []
    if total is not None and total != pauses:
        wrong.append(f"collections of {total} ns in stat, {pauses} ns in gc")
    if abs((float(shown.group(1)) if shown else 0) * 1e9 - (total or 0)) > 1e6:
        wrong.append(f"collections of {shown.group(1) if shown else 0} s in info, {total} ns in stat")
    return wrong


def attempts(case, act, tries):
    """A busy machine may change what a run is like, but not three times."""
    for count in range(tries):
        if count:
            case.forget()
        wrong = act(case)
        if not wrong:
            break
    return wrong


def main():
    table = Table()
    names = sys.argv[1:] or [name for name, words in table.runs.items() if ALL or "rare" not in words]
    if not (ALL or sys.argv[1:] or os.environ.get("EXHAUSTIVE")):
        names = names[::3]
    if not os.path.exists("hot"):
        names = [name for name in names if "profiled" not in table.runs[name]]
        print("PARTLY SKIPPED: needs profiling libraries")
    kept = os.environ.get("VERDICTS_LOGS")
    tries = 1 if kept else TRIES
    with tempfile.TemporaryDirectory() as temporary:
        directory = os.path.abspath(kept or temporary)
        os.makedirs(directory, exist_ok=True)
        cases = [Case(table, directory, name, caps) for caps in CAPS for name in names]
        quiet = [case for case in cases if case.is_quiet]
        wrong = []
        with ThreadPoolExecutor(8) as pool:
            wrong += pool.map(lambda case: attempts(case, Case.run, tries), quiet)
        wrong += [attempts(case, Case.run, tries) for case in cases if not case.is_quiet]
        with ThreadPoolExecutor(4) as pool:
            wrong += pool.map(lambda case: attempts(case, Case.run_killed, tries), cases)
    failures = list(itertools.chain.from_iterable(wrong))
    print(*failures, sep="\n")
    print(f"{len(cases)} runs, each whole, truncated at {CUTS} places, and killed: {len(failures)} wrong")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()

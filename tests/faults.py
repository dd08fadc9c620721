"""Lets one call after the other fail, in every verb, and looks at what becomes of it (see faults.sh).

    faults.py short|long [PATTERN]

`short` lets one call of each stack fail, `long` every call, and also all calls from each on. PATTERN is
of the names of the cases. $HECTIC is the command, $HECTIC_BUILD where it was built, $FAULTS_JOBS how
many run at the same time.

What must hold, for every call that fails:
  * It ends, by itself, and by no signal.
  * A call that was interrupted, or did a part, changes nothing: not a byte of the output, not the exit code.
  * After any other failure, either nothing has changed, or the exit code is 2 and stderr says why.
  * The output has its name and is whole, or what was there before is there still. Nothing is left in
    its folder, nor in that for temporary files.
"""
import concurrent.futures
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HECTIC, BUILD = os.environ["HECTIC"], os.environ["HECTIC_BUILD"]
PRELOAD = os.path.join(BUILD, "tests", "libpreload_faults.so")
PATIENCE = 60  # seconds; nothing takes one
UNUSABLE = 2
SOFT = ("EINTR", "short")
# What each kind of call may fail by.
HOWS = {
    "memory": ["ENOMEM"],
    "map": ["ENOMEM"],
    "thread": ["EAGAIN"],
    "process": ["EAGAIN"],
    "descriptor": ["EMFILE"],
    "read": ["EIO", "EINTR", "short"],
    "write": ["ENOSPC", "EINTR", "short"],
    "sync": ["EIO"],
    "name": ["ENOSPC"],
    "status": ["ENOMEM"],
    "wait": ["EINTR"],
    "socket": ["ECONNREFUSED", "EADDRINUSE"],
}
LOGS = "tests/logs"


class Fault:
    def __init__(self, kind, n, how, onward=False):
        self.kind, self.n, self.how, self.onward = kind, n, how, onward

    def __str__(self):
        return f"{self.kind}:{self.n}{'+' if self.onward else ''}:{self.how}"

    @property
    def soft(self):
        return self.how in SOFT


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Place:
    """Where a run finds its folders; gone afterwards."""

    def __enter__(self):
        self.root = tempfile.mkdtemp(dir=WORK)
        self.log, self.trace = self.root + "/log", self.root + "/trace"
        for name in ("tmp", "out"):
            os.mkdir(f"{self.root}/{name}")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def environment(self, fault=None, trace=False):
        result = dict(os.environ, LD_PRELOAD=PRELOAD, TMPDIR=self.root + "/tmp", LC_ALL="C.UTF-8")
        if fault:
            result.update(FAULT=str(fault), FAULT_LOG=self.log)
        if trace:
            result["FAULT_TRACE"] = self.trace
        return result

    def calls(self):
        """Of each kind, the stack of each call, in order."""
        result = {}
        for line in read(self.trace).decode().splitlines():
            kind, n, stack = line.split()
            result.setdefault(kind, {})[int(n)] = stack
        return result


class Outcome:
    def __init__(self, code, out, err, file, left):
        self.code, self.out, self.err, self.file, self.left = code, out, err, file, left


class Verb:
    """A verb that ends by itself. In `words` OUT is a file to be written."""

    def __init__(self, name, words, stdin=None, old=None):
        self.name, self.words, self.stdin, self.old = name, words, stdin, old

    def run(self, place, environment):
        output = place.root + "/out/file"
        if self.old is not None:
            with open(output, "wb") as file:
                file.write(self.old)
        words = [HECTIC] + [output if word == "OUT" else word for word in self.words]
        stdin = read(self.stdin) if self.stdin else b""
        try:
            done = subprocess.run(
                words, input=stdin, env=environment, timeout=PATIENCE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except subprocess.TimeoutExpired:
            return None
        left = os.listdir(place.root + "/tmp") + os.listdir(place.root + "/out")
        file = None
        if "file" in left:
            left.remove("file")
            file = read(output)
        out, err = (text.replace(place.root.encode(), b"") for text in (done.stdout, done.stderr))
        return Outcome(done.returncode, out, err, file, left)

    def verdict(self, fault, good, found):
        """What is wrong, or None."""
        if found is None:
            return f"has not ended after {PATIENCE} s"
        if found.code < 0:
            return f"ended by signal {-found.code}"
        if found.left:
            return f"left behind: {found.left}"
        same = (found.code, found.out, found.file) == (good.code, good.out, good.file)
        if same:
            return None
        if fault.soft:
            return f"the result is another: exit code {found.code}, {len(found.out)} bytes, {found.err!r}"
        if found.code != UNUSABLE:
            return f"exit code {found.code}, {len(found.out)} bytes; {found.err!r}"
        may_write = not (fault.kind == "write" and fault.onward)
        if not found.err and may_write:
            return "says nothing on stderr"
        if found.file not in (self.old, good.file):
            return "there is an output that is not whole"
        return None


def packed(log, how):
    path = f"{WORK}/{os.path.basename(log)}.{how}"
    if not os.path.exists(path):
        with open(path, "wb") as file:
            subprocess.run({"gz": ["gzip"], "zst": ["zstd", "-q"]}[how] + ["-c", log], stdout=file, check=True)
    return path


def verbs():
    """Every verb that ends by itself, with each kind of input."""
    demo, tiny, spans, sparks = (f"{LOGS}/{name}.eventlog" for name in ("demo", "tiny", "spans", "sparks"))
    restarted = f"{LOGS}/restarted.eventlog"
    readers = {
        "info": [],
        "show": [],
        "inc": [],
        "simulate": ["threads"],
        "profile": ["threads"],
        "validate": ["all"],
        "check": [],
        "stat": [],
        "gc": [],
        "threads": [],
        "spans": [],
        "sparks": [],
        "tasks": [],
        "copy": [],
        "cut": ["--from", "1ms", "--to", "2ms"],
    }
    for verb, words in readers.items():
        writes = verb in ("copy", "cut")
        log = spans if verb == "spans" else sparks if verb == "sparks" else demo if not writes else tiny
        end = ["-"] if writes else []
        yield Verb(f"{verb}", [verb] + words + [log] + end)
        yield Verb(f"{verb}.gz", [verb] + words + [packed(log, "gz")] + end)
        yield Verb(f"{verb}.zst", [verb] + words + [packed(log, "zst")] + end)
        yield Verb(f"{verb}.pipe", [verb] + words + ["-"] + end, stdin=log)
        if writes:
            yield Verb(f"{verb}.file", [verb] + words + [log, "OUT"])
            yield Verb(f"{verb}.over", [verb] + words + [log, "OUT"], old=b"old")
        elif verb not in ("check",):
            yield Verb(f"{verb}.file", [verb] + words + [log, "-o", "OUT"])
            yield Verb(f"{verb}.over", [verb] + words + [log, "-o", "OUT"], old=b"old")
    yield Verb("check.salvage", ["check", tiny, "--salvage", "OUT"])
    yield Verb("check.damaged", ["check", f"{LOGS}/killed.eventlog", "--salvage", "OUT"])
    yield Verb("merge", ["merge", tiny, demo, "OUT"])
    yield Verb("merge.packed", ["merge", packed(tiny, "gz"), packed(demo, "zst"), "-"])
    yield Verb("merge.pipe", ["merge", "-", demo, "-"], stdin=tiny)
    yield Verb("gen", ["gen", "--size", "100K", "-o", "OUT"])
    yield Verb("gen.stdout", ["gen", "--size", "100K"])
    yield Verb("help", ["--help"])
    yield Verb("help.verb", ["help", "stat"])
    for verb, words in {
        "show.json": ["show", "--json", demo],
        "show.match": ["show", "--match", "a.*", demo],
        "show.filter": ["show", "--event", "gc", "--cap", "0", "--thread", "1", demo],
        "show.sections": ["show", restarted],
        "show.interval": ["show", "--from", "1ms", "--to", "3ms", demo],
        "stat.json": ["stat", "--json", demo],
        "stat.every": ["stat", "--every", "1ms", demo],
        "stat.window": ["stat", "--window", "a", spans],
        "stat.sections": ["stat", restarted],
        "threads.csv": ["threads", "--csv", demo],
        "spans.each": ["spans", "--each", spans],
        "sparks.every": ["sparks", "--every", "1ms", sparks],
        "copy.filter": ["copy", "--event", "gc", demo, "OUT"],
    }.items():
        yield Verb(verb, words)


problems = []
lock = threading.Lock()


def symbols(log):
    """The stack, with the names of the functions, where addr2line knows them."""
    lines = []
    for line in read(log).decode(errors="replace").splitlines()[:12]:
        if "(+0x" in line and shutil.which("addr2line"):
            path, place = line.split("(+", 1)
            name = subprocess.run(
                ["addr2line", "-sfp", "-e", path, place.split(")")[0]], capture_output=True, text=True, check=False
            ).stdout.strip()
            line = f"{os.path.basename(path)}: {name}"
        lines.append("      " + line)
    return "\n".join(lines)


def attempt(case, good, fault):
    """Runs it with that fault. Returns whether a call has failed."""
    with Place() as place:
        found = case.run(place, place.environment(fault))
        happened = os.path.exists(place.log)
        verdict = case.verdict(fault, good, found) if happened else None
        if verdict:
            with lock:
                problems.append(case.name)
                print(f"FAILED: {case.name} ({' '.join(case.words)}), {fault}: {verdict}\n{symbols(place.log)}", flush=True)
        return happened


def undisturbed(case):
    with Place() as place:
        good = case.run(place, place.environment(trace=True))
        if good is None or good.code < 0 or good.left:
            sys.exit(f"FAILED: {case.name}, undisturbed: {good and vars(good)}")
        return good, place.calls()


def faults(calls, seen, long):
    """Those to try."""
    for kind, stacks in calls.items():
        for n, stack in sorted(stacks.items()):
            if not long and (kind, stack) in seen:
                continue
            seen.add((kind, stack))
            for how in HOWS[kind]:
                yield Fault(kind, n, how)
                if long and how not in SOFT:
                    yield Fault(kind, n, how, onward=True)


def main():
    long, pattern = sys.argv[1] == "long", sys.argv[2] if len(sys.argv) > 2 else "*"
    began, tried, injected, seen = time.monotonic(), 0, 0, set()
    jobs = int(os.environ.get("FAULTS_JOBS") or len(os.sched_getaffinity(0)))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        cases = [case for case in verbs() if fnmatch.fnmatch(case.name, pattern)]
        runs = []
        for case, (good, calls) in zip(cases, pool.map(undisturbed, cases)):
            runs += [(case, good, fault) for fault in faults(calls, seen, long)]
        for happened in pool.map(lambda run: attempt(*run), runs):
            tried += 1
            injected += happened
    print(f"{len(cases)} cases, {injected} calls failed, of {tried}, {len(seen)} stacks, {time.monotonic() - began:.1f} s")
    if problems:
        sys.exit(f"{len(problems)} failures were not dealt with")
    if injected < tried * 0.9:
        sys.exit("too many calls did not come again")


with tempfile.TemporaryDirectory() as WORK:
    main()

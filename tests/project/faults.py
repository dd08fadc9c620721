"""Lets one call after the other fail, in every verb, and looks at what becomes of it (see faults.sh).

    faults.py short|long [PATTERN]

`short` lets one call of each third place fail (by the innermost callers; of services, of each eighth place),
`long` every call, and also all calls from each on. PATTERN is of the names of the cases. $HECTIC is the command, $HECTIC_BUILD where it was built, $FAULTS_JOBS how
many run at the same time.

Conditions for every failing call:
  * The process exits by itself, not by a signal.
  * An interrupted or partial call changes nothing: neither the output nor the exit code.
  * After any other failure, either nothing has changed, or the exit code is 2 and stderr has the cause.
  * The output file is complete, or the previous file is unchanged. Nothing is left in its folder or in
    the temporary folder.
"""
import concurrent.futures
import fcntl
import fnmatch
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HECTIC, BUILD = os.environ["HECTIC"], os.environ["HECTIC_BUILD"]
PRELOAD = os.path.join(BUILD, "tests", "libpreload_faults.so")
PATIENCE = 60  # seconds; no call takes one
DAMAGED, UNUSABLE = 1, 2
EXHAUSTIVE = os.environ.get("EXHAUSTIVE")
SOFT = ("EINTR", "short")
# Errors of each kind of call.
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
    """A file, or all files of a folder."""
    if os.path.isdir(path):
        return b"".join(name.encode() + read(f"{path}/{name}") for name in sorted(os.listdir(path)))
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


def left_in(*folders):
    """What stays there: hectic run has a process that removes its folder, perhaps a little later."""
    end = time.monotonic() + PATIENCE
    while True:
        left = [name for folder in folders for name in os.listdir(folder)]
        if not any(name.startswith("hectic-run.") for name in left) or time.monotonic() > end:
            return left
        time.sleep(0.01)


class Outcome:
    def __init__(self, code, out, err, file, left):
        self.code, self.out, self.err, self.file, self.left = code, out, err, file, left


class Verb:
    """A verb that ends by itself. In `words` OUT is a file or folder to be written."""

    stride = 1 if EXHAUSTIVE else 3

    def __init__(self, name, words, stdin=None, old=None, repairs=False):
        self.name, self.words, self.stdin, self.old, self.repairs = name, words, stdin, old, repairs

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
        left = left_in(place.root + "/tmp", place.root + "/out")
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
        if self.repairs and fault.kind == "read" and found.code == DAMAGED and found.err:
            return None  # input read so far is saved
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
    types, stacks = f"{LOGS}/heap-types.eventlog", f"{LOGS}/heap-profile-c.eventlog"
    restarted, ticks = (f"{LOGS}/{name}.eventlog" for name in ("restarted", "time-profile"))
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
        "heap": [],
        "copy": [],
        "cut": ["--from", "1ms", "--to", "2ms"],
    }
    for verb, words in readers.items():
        writes = verb in ("copy", "cut")
        log = {"spans": spans, "sparks": sparks, "heap": types}.get(verb, tiny if writes else demo)
        end = ["-"] if writes else []
        yield Verb(f"{verb}", [verb] + words + [log] + end)
        yield Verb(f"{verb}.gz", [verb] + words + [packed(log, "gz")] + end)
        yield Verb(f"{verb}.zst", [verb] + words + [packed(log, "zst")] + end)
        yield Verb(f"{verb}.pipe", [verb] + words + ["-"] + end, stdin=log)
        if writes:
            yield Verb(f"{verb}.file", [verb] + words + [log, "OUT"])
            yield Verb(f"{verb}.over", [verb, "--force"] + words + [log, "OUT"], old=b"old")
        elif verb not in ("check",):
            yield Verb(f"{verb}.file", [verb] + words + [log, "-o", "OUT"])
            yield Verb(f"{verb}.over", [verb, "--force"] + words + [log, "-o", "OUT"], old=b"old")
    yield Verb("check.repair", ["check", tiny, "--repair", "OUT"], repairs=True)
    yield Verb("check.damaged", ["check", f"{LOGS}/killed.eventlog", "--repair", "OUT"], repairs=True)
    yield Verb("merge", ["merge", "-o", "OUT", tiny, demo])
    yield Verb("merge.packed", ["merge", "-o", "-", packed(tiny, "gz"), packed(demo, "zst")])
    yield Verb("merge.pipe", ["merge", "-o", "-", "-", demo], stdin=tiny)
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
        "heap.json": ["heap", "--json", stacks],
        "heap.tree": ["heap", "--by", "tree", "--sort", "name", stacks],
        "heap.every": ["heap", "--every", "20ms", "--include", "a.*", types],
        "prof": ["prof", ticks],
        "prof.csv": ["prof", "--csv", ticks],
        "prof.tree": ["prof", "--tree", "--focus", "o", ticks],
        "prof.stacks": ["prof", "--stacks", "--json", ticks],
        "prof.flame": ["prof", "--flame", ticks],
        "prof.every": ["prof", "--every", "10ms", ticks],
        "prof.without": ["prof", demo],
        "copy.filter": ["copy", "--event", "gc", demo, "OUT"],
        "heap.nonmoving": ["heap", "--nonmoving", f"{LOGS}/heap-nonmoving.eventlog"],
        "heap.nonmoving.json": ["heap", "--nonmoving", "--json", f"{LOGS}/heap-nonmoving.eventlog"],
        "heap.nonmoving.csv": ["heap", "--nonmoving", "--csv", f"{LOGS}/heap-nonmoving.eventlog"],
        "ticky": ["ticky", f"{LOGS}/every-event.eventlog"],
        "ticky.json": ["ticky", "--json", "--include", "Main", f"{LOGS}/every-event.eventlog"],
        "ticky.every": ["ticky", "--every", "1ms", f"{LOGS}/every-event.eventlog", "-o", "OUT"],
        "export.hp": ["export", "--format", "hp", stacks, "OUT"],
        "export.heap": ["export", "--format", "folded", stacks, "OUT"],
        "export.prof": ["export", "--format", "prof", ticks, "OUT"],
        "export.prof-json": ["export", "--format", "prof-json", ticks, "OUT"],
        "export.pprof": ["export", "--format", "pprof", ticks, "OUT"],
        "export.speedscope": ["export", "--format", "speedscope", ticks, "OUT"],
        "export.perfetto": ["export", "--format", "perfetto", f"{LOGS}/spans.eventlog", "OUT"],
        "export.chrome": ["export", "--format", "chrome", ticks, "OUT"],
        "export.otlp": ["export", "--format", "otlp", f"{LOGS}/spans.eventlog", "OUT"],
        "export.ctf": ["export", "--format", "ctf", demo, "OUT"],
        "export.ctf.sections": ["export", "--format", "ctf", restarted, "OUT"],
        "export.slices": ["export", "--format", "speedscope", "--every", "1ms", ticks, "OUT"],
    }.items():
        yield Verb(verb, words)


# --- Services ------------------------------------------------------------------------------------


class Stage:
    """What a scene has: processes that are started, and what they say."""

    def __init__(self, place, environment):
        self.root, self.environment, self.started = place.root, environment, []

    def start(self, words, faulty=True, **more):
        """The files NAME.out and NAME.err have what it says, NAME being its place in the order."""
        n = len(self.started)
        environment = self.environment if faulty else dict(os.environ, LC_ALL="C.UTF-8")
        with open(f"{self.root}/{n}.out", "wb") as out, open(f"{self.root}/{n}.err", "wb") as err:
            process = subprocess.Popen(
                words, env=environment, **{"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err, **more}
            )
        self.started.append(process)
        return process

    def said(self, n, what="err"):
        return read(f"{self.root}/{n}.{what}")

    def until(self, condition, process, seconds=10):
        """What the condition comes to; None where the process ends, or the time is up."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            if process.poll() is not None:
                return condition()
            time.sleep(0.005)
        return None

    def connect(self, path, process):
        def attempt():
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                s.connect(path)
            except OSError:
                s.close()
                return None
            s.settimeout(10)
            return s

        return self.until(attempt, process)

    def end(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()


def send_all(s, data):
    try:
        s.sendall(data)
    except OSError:
        pass


def receive_all(s):
    got = b""
    try:
        while True:
            piece = s.recv(1 << 16)
            if not piece:
                return got
            got += piece
    except OSError:
        return got + b"..."


def descriptors(process):
    try:
        return len(os.listdir(f"/proc/{process.pid}/fd"))
    except OSError:
        return 0


class Scene:
    """A service with its clients. `play` returns the process that is looked at, and what it came to."""

    stride = 4 if EXHAUSTIVE else 8  # these take longer

    def __init__(self, name, play, codes=(0, UNUSABLE), same=True, says=False):
        self.name, self.play, self.codes, self.same, self.says = name, play, codes, same, says
        self.words = ["..."]

    def run(self, place, environment):
        stage = Stage(place, environment)
        try:
            process, out = self.play(stage)
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        finally:
            stage.end()
        n = stage.started.index(process)
        err = (stage.said(n) + (stage.said(n, "out") if self.says else b"")).replace(place.root.encode(), b"")
        return Outcome(code, out, err, None, left_in(place.root + "/tmp"))

    def verdict(self, fault, good, found):
        if found is None:
            return f"has not ended after {PATIENCE} s"
        if found.code < 0:
            return f"ended by signal {-found.code}; {found.err!r}"
        if found.left:
            return f"left behind: {found.left}"
        if b"LEAK" in found.out:
            return f"{found.out[-60:]!r}"
        same = found.code == good.code and (found.out == good.out or not self.same)
        if same:
            return None
        if fault.soft:
            return f"the result is another: exit code {found.code}, {len(found.out)} bytes, {found.err!r}"
        if found.code not in self.codes:
            return f"exit code {found.code}; {found.err!r}"
        may_write = not (fault.kind == "write" and fault.onward)
        if found.err == good.err and may_write:
            return f"says nothing on stderr; {len(found.out)} bytes, not {len(good.out)}"
        return None


def play_relay(stage):
    """A reader, then a program, then the numbers; then the relay is told to end."""
    root = stage.root
    log = read(f"{LOGS}/demo.eventlog")
    os.mkdir(root + "/record")
    process = stage.start(
        [HECTIC, "relay", "--from", f"listen:unix:{root}/in", "--listen", f"unix:{root}/served", "--record"]
        + [root + "/record", "--keep-free", "1", "--metrics", "127.0.0.1:0"]
    )
    stage.until(lambda: os.path.exists(root + "/served") and os.path.exists(root + "/in"), process)
    before = descriptors(process)
    reader = stage.connect(root + "/served", process)
    program = reader and stage.connect(root + "/in", process)
    got = b""
    if program:
        send_all(program, log)
        port = stage.until(lambda: re.search(rb"metrics at .*, port (\d+)", stage.said(0)), process)
        try:
            with socket.create_connection(("127.0.0.1", int(port.group(1)) if port else 0), 10) as http:
                send_all(http, b"GET /metrics HTTP/1.0\r\n\r\n")
                got += receive_all(http)[:12]
        except OSError:
            pass
        program.close()
        got += receive_all(reader)
        reader.close()
        if not stage.until(lambda: descriptors(process) <= before + 1, process) and process.poll() is None:
            got += b"LEAK: of descriptors"
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    process.wait(PATIENCE)
    return process, got


def served(verb, *words, varies=None):
    """A verb that reads a Unix socket, whose log comes in two pieces. What it prints, without the
    parts that match `varies`: they differ between runs."""

    def play(stage):
        log = read(f"{LOGS}/demo.eventlog")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(stage.root + "/served")
        listener.listen(16)
        listener.settimeout(0.02)
        process = stage.start(
            [HECTIC, verb] + [word.replace("LOG", f"unix:{stage.root}/served").replace("OUT", stage.root + "/out/file") for word in words]
        )
        while process.poll() is None:
            try:
                program, _ = listener.accept()
            except OSError:
                continue
            program.settimeout(10)
            send_all(program, log[:9000])
            time.sleep(0.01)
            send_all(program, log[9000:])
            program.close()
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                pass
        listener.close()
        out = stage.said(0, "out")
        if os.path.exists(stage.root + "/out/file"):
            out += read(stage.root + "/out/file")
        return process, re.sub(varies, b"", out) if varies else out

    return play


def play_top(stage):
    """On a terminal of its own; q ends it. The terminal is as it was before."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    before = termios.tcgetattr(theirs)
    stage.environment["TERM"] = "xterm"

    def take_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = stage.start([HECTIC, "top", f"{LOGS}/demo.eventlog"], stdin=theirs, stdout=theirs, preexec_fn=take_terminal)
    shown, end = b"", time.monotonic() + PATIENCE
    while process.poll() is None:
        if time.monotonic() > end:
            raise subprocess.TimeoutExpired("top", PATIENCE)
        if select.select([ours], [], [], 0.02)[0]:
            shown += os.read(ours, 1 << 16)
        elif shown:
            os.write(ours, b"q")
    same = termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)
    return process, shown[:0] if same else b"LEAK: the terminal is not as it was"


MONITORED_SCRIPT = """wait 20
say one
redirect ring
wait 20
dump {0}/dumped
redirect listen:unix:{0}/served
wait 60
off
on
sync
redirect fifo:{0}/fifo
wait 10
redirect {0}/second
say two
quit
"""


def play_emitter(stage):
    """A producer that goes from one destination to the next. The logs that it leaves can be read."""
    root = stage.root
    with open(root + "/script", "w", encoding="utf-8") as file:
        file.write(MONITORED_SCRIPT.format(root))
    os.mkfifo(root + "/fifo")
    process = stage.start(
        [f"{BUILD}/monitored", "--script", root + "/script", root + "/first"], stderr=subprocess.STDOUT
    )
    reader = stage.connect(root + "/served", process)
    if reader:
        receive_all(reader)
        reader.close()
    process.wait(PATIENCE)
    result = b""
    for name in ("first", "dumped", "second"):
        if os.path.exists(f"{root}/{name}"):
            done = subprocess.run([HECTIC, "check", f"{root}/{name}"], capture_output=True, check=False)
            result += f"{name} {done.returncode} ".encode()
    return process, result


def control(stage):
    """Commands for a producer that serves its log."""
    root = stage.root
    program = stage.start([f"{BUILD}/monitored", "--seconds", "60", f"listen:unix:{root}/served"], faulty=False)
    probe = stage.connect(root + "/served", program)
    probe.close()
    process = stage.start([HECTIC, "ctl", f"unix:{root}/served", "flush"])
    process.wait(PATIENCE)
    program.kill()
    return process, b""


def play_run(stage):
    process = stage.start([HECTIC, "run", f"{WORK}/run", "cat"])
    process.wait(PATIENCE)
    return process, stage.said(0, "out")


def scenes():
    yield Scene("relay", play_relay, codes=(0, DAMAGED, UNUSABLE))
    for verb, words in {
        "inc": ["inc", "LOG"],
        "show": ["show", "LOG"],
        "copy": ["copy", "LOG", "OUT"],
        "cut": ["cut", "--from", "1ms", "LOG", "OUT"],
        "merge": ["merge", "-o", "OUT", f"{LOGS}/tiny.eventlog", "LOG"],
        "stat": ["stat", "--json", "LOG"],
        "threads": ["threads", "LOG"],
    }.items():
        yield Scene(f"{verb}.live", served(*words))
    # No line depends on when the log arrives, except the last column: the age of the latest event.
    words = ["watch", "--csv", "--every", "1h", "--lag", "1h", "LOG"]
    yield Scene("watch.live", served(*words, varies=rb"(?m),\d+$"))
    yield Scene("watch", lambda stage: (stage.start([HECTIC, "watch", f"{LOGS}/demo.eventlog"]), b""))
    yield Scene("top", play_top)
    yield Scene("emitter", play_emitter, says=True)
    yield Scene("ctl", control)
    if shutil.which("ghc"):
        subprocess.run(["ghc", "-v0", "-eventlog", "-rtsopts", "-outputdir", f"{WORK}/o", "-o", f"{WORK}/run", "tests/programs/run.hs"], check=True)
        yield Scene("run", play_run, codes=(0, UNUSABLE, 125, 126))


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
        if good is None or good.code not in (0, 1) or good.left:
            sys.exit(f"FAILED: {case.name}, undisturbed: {good and vars(good)}")
        return good, place.calls()


def faults(calls, seen, long, stride):
    """Those to try."""
    for kind, stacks in calls.items():
        for n, stack in sorted(stacks.items()):
            if (kind, stack) in seen and not long:
                continue
            seen.add((kind, stack))
            if not long and len(seen) % stride != 0:
                continue
            for how in HOWS[kind]:
                yield Fault(kind, n, how)
                if long and how not in SOFT:
                    yield Fault(kind, n, how, onward=True)


def main():
    long, pattern = sys.argv[1] == "long", sys.argv[2] if len(sys.argv) > 2 else "*"
    began, tried, injected, seen = time.monotonic(), 0, 0, set()
    jobs = int(os.environ.get("FAULTS_JOBS") or len(os.sched_getaffinity(0)))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        cases = [case for case in list(verbs()) + list(scenes()) if fnmatch.fnmatch(case.name, pattern)]
        runs = []
        for case, (good, calls) in zip(cases, pool.map(undisturbed, cases)):
            runs += [(case, good, fault) for fault in faults(calls, seen, long, case.stride)]
        for happened in pool.map(lambda run: attempt(*run), runs):
            tried += 1
            injected += happened
    print(f"{len(cases)} cases, {injected} calls failed, of {tried}, {len(seen)} places, {time.monotonic() - began:.1f} s")
    if problems:
        sys.exit(f"{len(problems)} failures were not dealt with")
    if injected < tried * 0.9:
        sys.exit("too many calls did not come again")


with tempfile.TemporaryDirectory() as WORK:
    main()

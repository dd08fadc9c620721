"""budgets.py HECTIC COSTLY_LOG DIRECTORY [all]: limits on the cost of verbs per byte of a log.

Logs that repeat a costly pattern, each read by the verbs that once exceeded a limit (`all`: all
kinds by all verbs). CPU time, memory and output per byte are limited. CPU time depends little on
the load of the machine, and is measured again if it exceeds the limit."""
import os
import subprocess
import sys
import tempfile
import threading

import processors

MEGA = 1_000_000
SIZE = MEGA
HECTIC, COSTLY_LOG, DIRECTORY = sys.argv[1:4]
# Of CPU. What needs 3 s has needed 8 s on a virtual machine with busy neighbours; a cost that is quadratic in the log
# is a hundred times larger.
SECONDS = 15
MEMORY = 64 * MEGA + 160 * SIZE
OUTPUT = 400 * SIZE  # a line of JSON is long
FACTOR = 12 if os.environ.get("IS_SANITIZED") else 1  # times slower

FORMS = """show|show --json|show threads|show --thread 7|inc|info|info --json|check
check --repair -o /dev/null|validate all|validate gc|simulate gc|simulate threads|simulate sparks
profile threads|profile sparks|stat|stat --json|stat --from 1us|stat --every 1s|stat --window w
watch -q|watch -q --json|gc|threads|threads --sort runs|spans|sparks|sparks --every 1s|sparks --each
tasks|copy @ -|copy --cap 1 @ -|cut --from 900us @ -|cut --from 1s @ -|merge -o - @ @
show --from marker:A --to 1h|stat --between A..B|heap|heap --json|heap --every 1s
heap --nonmoving|heap --nonmoving --json|ticky|ticky --json|ticky --every 1s
heap --csv|heap --every 10us|heap --by tree --json|heap --by tree --csv|prof|prof --json|prof --every 10us
prof --tree --json|prof --tree --csv|prof --stacks --json|prof --stacks --csv|prof --every 1s --json
ticky --every 1s --json|view -o -
export --format hp @ -|export --format prof @ -|export --format prof-json @ -|export --format pprof @ -
export --format folded @ -|export --format speedscope @ -|export --format speedscope --every 10us @ -
export --format perfetto @ -|export --format chrome @ -|export --format otlp @ -"""
FORMS = [form for line in FORMS.splitlines() for form in line.split("|")]

FOUND = {  # combinations that once exceeded a limit
    "caps": ["stat", "stat --window w", "watch -q", "watch -q --json", "threads", "info"],
    "caps-collect": ["stat", "gc", "cut --from 1s @ -"],
    "again": ["validate all"],
    "caps-in-collection": ["cut --from 1s @ -", "validate gc", "stat --json", "gc"],
    "caps-past-collection": ["cut --from 1s @ -", "simulate gc", "stat --json"],
    "caps-that-run": ["stat --from 1us", "cut --from 1s @ -"],
    "caps-seconds": ["stat --every 1s", "watch -q", "watch -q --json"],
    "caps-that-say": ["watch -q"],
    "label-everywhere": ["view -o -"],
    "slices-of-long-labels": ["prof --every 1s --json", "ticky --every 1s --json", "watch -q --json",
                              "heap --every 1s"],
    "caps-startup": ["stat", "stat --json", "watch -q", "sparks", "info"],
    "caps-far": ["sparks", "threads", "stat"],
    "processes": ["stat", "info"],
    "thread-everywhere": ["threads", "stat", "watch -q --json"],
    "threads-half-end": ["threads", "cut --from 1s @ -"],
    "task-everywhere": ["tasks"],
    "tasks-end": ["tasks"],
    "spans-open": ["stat --window w", "spans"],
    "spans-crossed": ["stat --window w", "spans"],
    "spans-nested": ["stat --window w", "spans"],
    "spans-collect": ["stat --window w"],
    "spans-threads": ["stat --window w", "stat"],
    "sparks-of-caps": ["sparks", "sparks --every 1s", "stat"],
    "blocks-empty": ["stat", "check", "view -o -"],
    "times-edge": ["stat --every 1s", "watch -q", "sparks --every 1s"],
    "times-far": ["stat --every 1s", "sparks --every 1s"],
    "times-random": ["stat --every 1s", "show"],
    "times-back": ["stat --every 1s", "watch -q"],
    "sections-bare": ["spans", "merge -o - @ @", "show threads"],
    "sections-small": ["watch -q", "gc", "stat", "threads"],
    "sections-startup": ["stat", "stat --json", "watch -q --json", "info"],
    "sections-collect": ["watch -q", "gc", "stat --every 1s"],
    "sections-distinct": ["check", "show threads", "inc", "info", "merge -o - @ @"],
    "stacks-of-long-labels": ["heap", "heap --json", "heap --csv", "heap --every 10us", "prof", "prof --json",
                              "export --format folded @ -", "prof --stacks --json", "prof --stacks --csv"],
    "roots-of-long-labels": ["export --format folded @ -", "export --format prof @ -", "prof --tree --json",
                             "prof --tree --csv", "heap --by tree --json", "heap --by tree --csv"],
    "types-many": ["check", "inc", "info"],
    "damage-headers": ["check", "inc"],
    "damage-headers-long": ["check", "inc"],
    "damage-headers-nested": ["check", "check --repair -o /dev/null", "inc"],
    "damage-markers": ["check"],
}


def run(command, directory, seconds):
    """CPU seconds, bytes of memory and of output, exit code."""
    pid = os.fork()
    if pid == 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 1))
        with open(f"{directory}/err", "wb") as err:
            os.dup2(err.fileno(), 2)
        os.dup2(run.pipe[1], 1)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)


class Counter:
    """Counts the bytes written to run.pipe."""

    def __enter__(self):
        run.pipe = os.pipe()
        self.bytes = 0
        self.thread = threading.Thread(target=self.count)
        self.thread.start()
        return self

    def count(self):
        while piece := os.read(run.pipe[0], 1 << 20):
            self.bytes += len(piece)

    def __exit__(self, *_):
        os.close(run.pipe[1])
        self.thread.join()
        os.close(run.pipe[0])


def faults_of(form, path, directory):
    words = [path if word == "@" else word for word in form.split()]
    command = [HECTIC, *words, *([] if "@" in form.split() else [path])]
    seconds = SECONDS * FACTOR
    for _ in range(3):
        with Counter() as counter:
            cpu, memory, code = run(command, directory, seconds)
        if cpu <= seconds:
            break
    found = []
    if cpu > seconds:
        found.append(f"{cpu:.1f} s of CPU time, not {seconds}")
    if FACTOR == 1 and memory > MEMORY:
        found.append(f"{memory // MEGA} MB of memory, not {MEMORY // MEGA}")
    if counter.bytes > OUTPUT:
        found.append(f"{counter.bytes // MEGA} MB of output, not {OUTPUT // MEGA}")
    if code not in (0, 1, 2, 64) and cpu <= seconds:
        found.append(f"exit code {code}")
    return found


CONSTANT = """show|show --json|inc|info|check|validate all|profile threads|stat|stat --every 1s
watch -q|gc|threads|spans|sparks|tasks|copy @ -|cut --from 1ns @ -|check --repair -o /dev/null"""


def growing(form, directory):
    """Does a verb take more memory for 3,000 consecutive small logs than for 30?"""
    with open("tests/logs/tiny.eventlog", "rb") as log:
        one = log.read()
    # The system's numbers of children include the memory of this program.
    taken = []
    for count in (30, 3000):
        path = f"{directory}/log"
        with open(path, "wb") as log:
            log.write(count * one)
        words = [path if word == "@" else word for word in form.split()]
        command = [HECTIC, *words, *([] if "@" in words or path in words else [path])]
        with Counter():
            taken.append(run(command, directory, 60)[1])
    if taken[1] > taken[0] + 32 * MEGA:
        yield f"{form}: {taken[0] // MEGA} MB for 30 logs, {taken[1] // MEGA} MB for 3,000"


def merging(directory):
    """A log that is open takes little memory and few descriptors."""
    import resource

    count, most = 3000, 200 * MEGA
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * count + 100:
        return
    with open("tests/logs/tiny.eventlog", "rb") as log:
        one = log.read()
    paths = [f"{directory}/{i}" for i in range(count)]
    for path in paths:
        with open(path, "wb") as log:
            log.write(one)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    with Counter():
        _, memory, code = run([HECTIC, "merge", "--align", "none", "-o", "-", *paths], directory, 60)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if code != 0 or memory > most:
        yield f"merge of {count} logs: exit code {code}, {memory // MEGA} MB of memory, not {most // MEGA}"


COLLIDING = {
    "threads": ["threads", "show threads"],
    "keys": ["validate all"],
    "live": ["cut --from 1s @ -"],
    "counters": ["ticky"],
    "info-tables": ["heap", "prof"],
    "labels": ["spans"],
}


def colliding(kind, form, directory):
    """Does a verb take longer for numbers that once collided in hash tables than for random ones?"""
    path = f"{directory}/log"
    taken = {}
    for numbers in ("collide", "random"):
        with open(path, "wb") as log:
            subprocess.run([COSTLY_LOG, f"{numbers}-{kind}", str(3 * SIZE)], stdout=log, check=True)
        words = [path if word == "@" else word for word in form.split()]
        command = [HECTIC, *words, *([] if "@" in form.split() else [path])]
        with Counter():
            taken[numbers] = run(command, directory, 20 * FACTOR)[0]
    if taken["collide"] > 3 * taken["random"] + FACTOR:
        yield f"{form}: {taken['collide']:.1f} s for colliding {kind}, {taken['random']:.1f} s for random ones"


def costly(kind, forms, directory):
    """The verbs that exceed a limit for a kind of log."""
    path = f"{directory}/log"
    with open(path, "wb") as log:
        subprocess.run([COSTLY_LOG, kind, str(SIZE)], stdout=log, check=True)
    for form in forms:
        for fault in faults_of(form, path, directory):
            yield f"{form}: {fault} ({kind})"


def holds(task):
    function, *arguments = task
    with tempfile.TemporaryDirectory(dir=DIRECTORY) as directory:
        faults = list(function(*arguments, directory))
    for fault in faults:
        print(f"hectic {fault}", flush=True)
    return not faults


def main():
    kinds = subprocess.run([COSTLY_LOG, "--list"], capture_output=True, text=True, check=True)
    cases = {kind: FORMS for kind in kinds.stdout.split()} if sys.argv[4:] == ["all"] else FOUND
    tasks = [(colliding, kind, form) for kind, forms in COLLIDING.items() for form in forms]
    tasks += [(costly, *case) for case in cases.items()]
    if FACTOR == 1:
        tasks += [(growing, form) for form in CONSTANT.replace("\n", "|").split("|")] + [(merging,)]
    sys.exit(not processors.all_hold(holds, tasks))


main()

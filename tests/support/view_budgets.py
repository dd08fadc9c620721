"""view_budgets.py BUILD DIRECTORY: limits on the cost of the page's requests, by logs of many caps. With a sanitizer, smaller
logs, and no limits: its cost is its own."""
import os
import resource
import struct
import subprocess
import sys
import tempfile

import processors

BUILD, DIRECTORY = sys.argv[1:3]
MEGA = 1_000_000
IS_SANITIZED = "IS_SANITIZED" in os.environ
# Of CPU. What needs 3 s has needed 8 s on a virtual machine with busy neighbours; a cost that is quadratic in the log
# is a hundred times larger.
SECONDS = 15
BASE, PER_BYTE, MOST = 64 * MEGA, 256, 1000 * MEGA  # bytes
REQUESTS = ("overview columns?width=50 labels curves stat snapshot instants threads thread_list gc spans sparks "
            "latency mmu gc_rows").split()
KINDS = "caps caps-that-run caps-created caps-flip caps-far caps-seconds caps-collect label-everywhere".split()


def etype(number, size, name):
    return b"etb\0" + struct.pack(">HHI", number, size, len(name)) + name + struct.pack(">I", 0) + b"ete\0"


def runs(caps, span):
    """A section whose caps run one after the other for a time."""
    out = [b"hdrbhetb", etype(1, 4, b"Run thread"), etype(2, 10, b"Stop thread"), etype(18, 14, b"Block marker")]
    out.append(b"hetehdredatb")
    for cap in range(caps):
        t = 1 + cap * span
        events = struct.pack(">HQI", 1, t, cap + 1) + struct.pack(">HQIHI", 2, t + span // 2, cap + 1, 1, 0)
        out.append(struct.pack(">HQIQH", 18, t, 24 + len(events), t + span, cap) + events)
    return b"".join(out) + b"\xff\xff"


def costly(kind, size):
    return subprocess.run([f"{BUILD}/costly_log", kind, str(size)], capture_output=True, check=True).stdout


def logs():
    """Each with what makes it."""
    if not IS_SANITIZED:
        yield "10,000 caps", lambda: runs(10_000, 1_000_000)
        yield "65,534 caps", lambda: runs(65_534, 1000)
        yield "64 sections of 1,000 caps", lambda: 64 * runs(1000, 1_000_000)
        yield "20 sections of 10,000 caps", lambda: 20 * runs(10_000, 1_000_000)
    else:
        yield "1,000 caps", lambda: runs(1000, 1_000_000)
    for kind in KINDS:
        yield kind, lambda kind=kind: costly(kind, MEGA // 10 if IS_SANITIZED else MEGA)


def cost(path, requests):
    """CPU seconds and bytes of memory for reading the log and the answers."""
    pid = os.fork()
    if pid == 0:
        if not IS_SANITIZED:
            resource.setrlimit(resource.RLIMIT_CPU, (3 * SECONDS, 3 * SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (4 * MOST, 4 * MOST))
        with open(f"{path}.requests", "w") as file:
            file.write("".join(request + "\n" for request in requests))
        os.dup2(os.open(f"{path}.requests", os.O_RDONLY), 0)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execv(f"{BUILD}/view_answers", ["view_answers", path])
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, status


def is_within(case):
    name, make = case
    log = make()
    most = min(BASE + PER_BYTE * len(log), MOST)
    with tempfile.TemporaryDirectory(dir=DIRECTORY) as directory:
        path = f"{directory}/log"
        with open(path, "wb") as file:
            file.write(log)
        for _ in range(3):
            reading, _, _ = cost(path, [])
            total, memory, status = cost(path, REQUESTS)
            if IS_SANITIZED or max(reading, total - reading) <= SECONDS:
                break
    is_costly = max(reading, total - reading) > SECONDS
    print(f"{name}: {len(log) / MEGA:.1f} MB: {reading:.1f} s to read, {total - reading:.1f} s to answer, "
          f"{memory // MEGA} MB of {most // MEGA}, status {status}", flush=True)
    return status == 0 and (IS_SANITIZED or not is_costly and memory <= most)


sys.exit(not processors.all_hold(is_within, list(logs())))

#!/usr/bin/env bash
# Services continue, and end as usual, if the reader of their stderr stalls or has disconnected.
. tests/support/lib.bash
needs python3
generate_log --seed 1 --size 4M -o "$work/log"
cat >"$work/program.py" <<'END'
import os, shutil, sys  # stands for a Haskell program: writes its log where the runtime would
place = os.environ["GHCRTS"].split("-ol")[1].split()[0]
with open(place, "wb") as log: shutil.copyfileobj(open(sys.argv[1], "rb"), log)
sys.stdin.read()  # until the test ends it
sys.exit(7)
END

cat >"$work/diagnostics.py" <<'END'
import fcntl, os, pty, signal, socket, subprocess, sys, threading, time, waiting
hectic, work = os.environ["HECTIC"], sys.argv[1]
LOG = open(f"{work}/log", "rb").read()
PATIENCE = waiting.PATIENCE
faults = []

def full():
    """A pipe that takes nothing; what it holds, who reads it."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    held = 0
    try:
        while True: held += os.write(writes, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(writes, True)
    return reads, writes, held

def gone():
    reads, writes = os.pipe()
    os.close(reads)
    return None, writes, 0

def drained(reads, held):
    """What comes behind what the pipe held, up to its end."""
    said = b""
    while piece := os.read(reads, 1 << 16): said += piece
    return said[held:]

started = []

def start(stderr, *arguments, **options):
    started.append(subprocess.Popen([hectic, *arguments], stderr=stderr, **options))
    return started[-1]

def give_up(*_):
    raise TimeoutError("it hangs")

signal.signal(signal.SIGALRM, give_up)

def connect(path, said=b""):
    s = waiting.connect(path)
    s.sendall(said)
    return s

def relay(name, stderr):
    """It serves its readers whatever it has to note, and ends as always."""
    place = f"{work}/{name}"
    service = start(stderr, "relay", "-f", f"listen:unix:{place}.in", "-l", f"unix:{place}.out")
    for _ in range(1500):  # each is logged
        s = connect(place + ".in", b"garbage")
        s.close()
    reader = connect(place + ".out")
    program = connect(place + ".in", LOG)
    program.close()
    got = 0
    while piece := reader.recv(1 << 16): got += len(piece)
    assert got > len(LOG) // 2, f"the reader got {got} bytes"
    service.send_signal(signal.SIGTERM)
    return service, 0, b"ended without an eventlog"

def served(name):
    """Serves the log at a Unix socket, after a while."""
    def serve():
        time.sleep(0.3)  # in which it says that it waits
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(name)
        listening.listen(1)
        s, _ = listening.accept()
        s.sendall(LOG)
        s.close()
    threading.Thread(target=serve, daemon=True).start()

def watch(name, stderr):
    served(f"{work}/{name}")
    service = start(stderr, "watch", "--csv", "--every", "10ms", f"unix:{work}/{name}", stdout=subprocess.PIPE)
    lines = service.stdout.read().count(b"\n")
    assert lines > 2, f"{lines} lines"
    return service, 0, b""

def inc(name, stderr):
    served(f"{work}/{name}")
    service = start(stderr, "inc", f"unix:{work}/{name}", stdout=subprocess.PIPE)
    lines = service.stdout.read().count(b"\n")
    assert lines > 10000, f"{lines} lines"
    return service, 0, b""

def has_read(pid):
    with open(f"/proc/{pid}/io") as io:
        return int(io.readline().split()[1]) >= len(LOG)

def sleeps(pid):
    """No thread of it runs or is runnable."""
    states = [open(f"/proc/{pid}/task/{t}/stat").read().rpartition(")")[2].split()[0]
              for t in os.listdir(f"/proc/{pid}/task")]
    return all(state == "S" for state in states)

def has_written(pid):
    """What it has read is written: it sleeps at each of ten looks."""
    for _ in range(10):
        if not has_read(pid) or not sleeps(pid): return False
        time.sleep(0.005)
    return True

def run(name, stderr):
    service = start(stderr, "run", "--json", "--every", "10us", "--through", "environment", "--",
                    sys.executable, f"{work}/program.py", f"{work}/log", stdin=subprocess.PIPE)
    waiting.soon(lambda: has_written(service.pid), "it does not handle the log")
    service.stdin.close()
    return service, 7, b"lines were dropped here"

def top(name, stderr):
    """What it has to say is said behind its screen."""
    ours, theirs = pty.openpty()
    service = start(stderr, "top", f"unix:{work}/{name}", stdin=theirs, stdout=theirs,
                    env=dict(os.environ, TERM="xterm"), preexec_fn=os.setsid)
    os.close(theirs)
    seen = b""
    while b"waiting for" not in seen: seen += os.read(ours, 4096)
    os.write(ours, b"q")
    try:
        while os.read(ours, 4096): pass
    except OSError:  # the other end of the terminal is closed
        pass
    return service, None, b""

def check(verb, what):
    reads, stderr, held = what()
    signal.alarm(2 * PATIENCE)
    try:
        service, code, said = verb(f"{verb.__name__}-{what.__name__}", stderr)
        os.close(stderr)
        ended = service.wait(PATIENCE)
        assert code is None or ended == code, f"it ended with {ended}, not {code}"
        assert ended >= 0, f"it was ended by signal {-ended}"
        assert reads is None or held > 0
    except Exception as fault:
        faults.append(f"{verb.__name__}, stderr {what.__name__}: {fault!r}")
    if reads is not None: os.close(reads)

def late(verb):
    """A reader that begins to read again gets what was kept, and the count of the rest."""
    reads, stderr, held = full()
    signal.alarm(2 * PATIENCE)
    try:
        service, code, said = verb(f"{verb.__name__}-late", stderr)
        os.close(stderr)
        text = drained(reads, held)
        assert service.wait(PATIENCE) == code
        assert said in text, f"not said: {said}, but: {text[:200]} … {text[-200:]}"
    except Exception as fault:
        faults.append(f"{verb.__name__}, stderr read late: {fault!r}")
    os.close(reads)

for verb in (relay, watch, inc, run, top):
    for what in (full, gone): check(verb, what)
for verb in (relay, run): late(verb)
for service in started:
    if service.poll() is None: service.kill()
sys.exit("\n".join(faults) if faults else 0)
END
python3 "$work/diagnostics.py" "$work" || fail "see above"

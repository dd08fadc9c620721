"""Malicious clients at every port of a relay, among normal ones (see ports.sh).

    ports.py RELAY-PID DIRECTORY TOKEN PROGRAMS-PORT READERS-PORT HTTP-PORT

DIRECTORY has the Unix sockets `in`, `out` and, once the program is there, `good.sock`. What the good
reader got is left in DIRECTORY/log.
"""
import os
import random
import socket
import struct
import sys
import threading
import time

import waiting

PID, DIRECTORY, TOKEN = int(sys.argv[1]), sys.argv[2], sys.argv[3].encode()
PROGRAMS, READERS, HTTP = (int(port) for port in sys.argv[4:7])
FULL_HOUSE, MANY, PATIENCE = 256, 300, 40  # the relay's limit; more than that; seconds
STUCK = 5  # seconds without progress, after which a reader may be evicted
faults = []


BEGAN = time.monotonic()


def fail(text):
    faults.append(text)
    print(f"FAILED after {time.monotonic() - BEGAN:.1f} s:", text, file=sys.stderr)


# --- Logs


def event_type(number, size, name):
    return b"etb\0" + struct.pack(">HHI", number, size, len(name)) + name + struct.pack(">I", 0) + b"ete\0"


BLOCK_MARKER, USER_MSG, PROGRAM_ARGS, PROGRAM_ENV, OSPROCESS_PID, SYNC = 18, 19, 30, 31, 32, 1999
HEADER = (
    b"hdrbhetb"
    + event_type(BLOCK_MARKER, 14, b"Block marker")
    + event_type(USER_MSG, 0xFFFF, b"User message")
    + event_type(PROGRAM_ARGS, 0xFFFF, b"Program arguments")
    + event_type(PROGRAM_ENV, 0xFFFF, b"Program environment variables")
    + event_type(OSPROCESS_PID, 8, b"OS process")
    + event_type(SYNC, 0xFFFF, b"hectic: state replay")
    + b"hetehdredatb"
)
LOG_END = b"\xff\xff"


def now():
    return time.monotonic_ns()


def text_event(number, text):
    return struct.pack(">HQH", number, now(), len(text)) + text


def block(events):
    return struct.pack(">HQIQH", BLOCK_MARKER, now(), len(events) + 24, now(), 0) + events


def introduction(name):
    return HEADER + block(
        text_event(PROGRAM_ARGS, bytes(4) + name)
        + text_event(PROGRAM_ENV, bytes(4) + b"SECRET=do-not-tell")
        + text_event(SYNC, struct.pack(">HHI", PROGRAM_ENV, 0xFFFF, 0) + b"SECRET=do-not-tell")
        + struct.pack(">HQII", OSPROCESS_PID, now(), 0, 1234)
    )


COMMAND = b"\xf0\x9e\x97\x8c\x00" + b"\xff" + 255 * b"n" + b"\x01"


# --- Ports, each with what a normal client sends first


def unix(name):
    def connect():
        return waiting.connect(os.path.join(DIRECTORY, name), PATIENCE)

    return connect


def tcp(port, said=b""):
    def connect():
        s = socket.create_connection(("127.0.0.1", port), PATIENCE)
        try:
            s.sendall(said)
        except OSError:
            pass
        return s

    return connect


SAID = TOKEN + b"\r\n"
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN + b"\r\n\r\n"
# At most a thousand diagnostics are written at once: the first three ports cause each kind.
PORTS = {
    "programs, unix": (unix("in"), HEADER),
    "readers of one program": (unix("good.sock"), COMMAND),
    "http": (tcp(HTTP), REQUEST),
    "readers, unix": (unix("out"), COMMAND),
    "readers, tcp": (tcp(READERS, SAID), COMMAND),
    "readers, no token": (tcp(READERS), SAID),
    "programs, tcp": (tcp(PROGRAMS, SAID), HEADER),
    "programs, no token": (tcp(PROGRAMS), SAID),
}


# --- Attacks. The relay must disconnect each.


def send(s, data):
    """False: disconnected."""
    try:
        s.sendall(data)
        return True
    except (BrokenPipeError, ConnectionResetError):
        return False


def is_hung_up_on(s, seconds=PATIENCE):
    """Reads to the end."""
    until = time.monotonic() + seconds
    s.settimeout(0.5)
    while time.monotonic() < until:
        try:
            if not s.recv(1 << 16):
                return True
        except ConnectionResetError:
            return True
        except socket.timeout:
            pass
    return False


def garbage(connect, good):
    s = connect()
    send(s, random.Random(good).randbytes(1024))
    return is_hung_up_on(s)


def half(connect, good):
    s = connect()
    send(s, good[: len(good) // 2])
    return is_hung_up_on(s)


def flood(connect, good):
    s = connect()
    sent, piece = 0, 65536 * b"\xff"
    try:
        while sent < 100_000_000 and send(s, piece):
            sent += len(piece)
    except socket.timeout:
        return False
    return sent < 20_000_000 and is_hung_up_on(s)


def slow_loris(connect, good):
    s = connect()
    return any(not send(s, good[i : i + 1]) or is_hung_up_on(s, 1) for i in range(PATIENCE))


def attack(name, way):
    connect, good = PORTS[name]
    try:
        hung_up = way(connect, good)
    except Exception as fault:  # an exception in a thread would only be printed
        fail(f"{name}: {way.__name__}: {fault!r}")
        return
    if not hung_up:
        fail(f"{name}: {way.__name__}: not disconnected")


def attack_everything():
    threads = [
        threading.Thread(target=attack, args=(name, way))
        for name in PORTS
        for way in (garbage, half, flood, slow_loris)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- Normal clients


class Program(threading.Thread):
    """Logs a number every few milliseconds, to the end."""

    def __init__(self, connect, name):
        super().__init__(daemon=True)
        self.socket, self.over = connect(), threading.Event()
        self.socket.sendall(introduction(name))
        self.said = 0
        self.start()

    def run(self):
        while not self.over.wait(0.005):
            self.socket.sendall(block(text_event(USER_MSG, b"number %d" % self.said)))
            self.said += 1
        self.socket.sendall(LOG_END)
        self.socket.close()


class Reader(threading.Thread):
    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.socket = path, unix("out")()
        self.start()

    def run(self):
        with open(self.path, "wb") as out:
            while piece := self.socket.recv(1 << 16):
                out.write(piece)


def serves(connect, wanted, said=b""):
    """Checks that a new client is served soon."""
    got = b""
    try:
        s = connect()
    except OSError:
        return False
    s.settimeout(PATIENCE)
    try:
        send(s, said)
        while wanted not in got:
            piece = s.recv(1 << 16)
            if not piece:
                return False
            got += piece
    except (socket.timeout, ConnectionResetError):
        return False
    finally:
        s.close()
    return b"do-not-tell" not in got


NEWCOMERS = {
    "readers, unix": (unix("out"), b"number"),
    "readers, tcp": (tcp(READERS, SAID), b"number"),
    "readers of one program": (unix("good.sock"), b"number"),
    "http": (tcp(HTTP), b"200 OK", REQUEST),
    "http, log": (tcp(HTTP), b"number", REQUEST.replace(b"metrics", b"log/good")),
}


def greet(names, when):
    for name in names:
        if not serves(*NEWCOMERS[name]):
            fail(f"{when}: {name}: a new client is not served, or gets secrets")


def descriptors():
    return len(os.listdir(f"/proc/{PID}/fd"))


def becomes(what, true):
    try:
        waiting.soon(true, what, PATIENCE)
    except TimeoutError:
        fail(f"timeout: {what}")


def resident():
    with open(f"/proc/{PID}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


# --- Tests


def is_closed(s):
    s.setblocking(False)
    try:
        while s.recv(1 << 16):
            pass
        return True
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def too_many_go(idle):
    return sum(is_closed(s) for s in idle) >= MANY - FULL_HOUSE


def begin_to_speak(name):
    """Ports where clients must send something. Pending clients are cheap, and there may be thousands."""
    connect, good = PORTS[name]
    s = connect()
    if name == "http" or name.startswith("programs") and not name.startswith("programs, no"):
        send(s, good[:1])
    return s


def fill_up(name):
    """Hundreds of stalled clients, and then normal ones."""
    begin = time.monotonic()
    idle = [begin_to_speak(name) for _ in range(MANY)]

    def is_full():
        """Clients of the previous test may just have left."""
        idle.append(begin_to_speak(name))
        return not serves(*NEWCOMERS[name]) or time.monotonic() - begin > STUCK

    if name.startswith("programs, no") or name.startswith("readers, no") or name == "http":
        greet(NEWCOMERS, f"{name}: {MANY} are there")
    elif name.startswith("programs"):
        becomes(f"{name}: some strangers make room", lambda: too_many_go(idle))
        one = Program(PORTS[name][0], b"another")
        becomes("another program is served", lambda: serves(unix("another.sock"), b"number"))
        one.over.set()
        one.join()
    else:
        becomes(f"{name}: some are turned away", lambda: too_many_go(idle))
        becomes(f"{name}: one more than there may be is turned away", is_full)
    for s in idle:
        s.close()


def come_and_go(name):
    for _ in range(1000):
        PORTS[name][0]().close()


def wait_in_vain():
    """Readers before the first program."""
    before = descriptors()
    for name in ("readers, unix", "readers, tcp"):
        attack(name, flood)
        idle = [PORTS[name][0]() for _ in range(MANY)]
        becomes(f"{name}: some are turned away", lambda: too_many_go(idle))
        for s in idle:
            s.close()
        becomes(f"{name}: {before} descriptors, from {descriptors()}", lambda: descriptors() <= before)


def main():
    wait_in_vain()
    program = Program(unix("in"), b"/usr/bin/good")
    becomes("the program is carried", lambda: os.path.exists(os.path.join(DIRECTORY, "good.sock")))
    reader = Reader(os.path.join(DIRECTORY, "log"))
    greet(NEWCOMERS, "at first")
    before, memory = descriptors(), resident()
    attacks = threading.Thread(target=attack_everything)
    attacks.start()
    while attacks.is_alive():
        greet(NEWCOMERS, "during attacks")
        time.sleep(0.5)
    attacks.join()
    if resident() > memory + 150_000:
        fail(f"{memory} kB became {resident()} kB")
    for name in PORTS:
        becomes(f"{name}: {before} descriptors, from {descriptors()}", lambda: descriptors() <= before)
        fill_up(name)
        becomes(f"{name}: {before} descriptors, from {descriptors()}", lambda: descriptors() <= before)
        greet(NEWCOMERS, f"{name}: after {MANY} were there")
        come_and_go(name)
    becomes(f"at last: {before} descriptors, from {descriptors()}", lambda: descriptors() <= before)
    greet(NEWCOMERS, "at last")
    program.over.set()
    program.join()
    reader.join()
    print(program.said)
    return 1 if faults else 0


sys.exit(main())

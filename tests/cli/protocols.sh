#!/usr/bin/env bash
# Data of other ports and other protocols, as from a web page or a scanner, is sent to every port of a
# relay, with and without a token: nothing of it is executed or relayed.
. tests/support/lib.bash
. tests/support/live.bash
needs python3

token=a-token-of-enough-letters
echo "$token" >"$work/token"
cat >"$work/program.py" <<'END'
"""A program that serves a log without an end, and prints what it is sent."""
import socket, struct, sys, threading
def etype(number, size, name):
    return b"etb\0" + struct.pack(">HHI", number, size, len(name)) + name + struct.pack(">I", 0) + b"ete\0"
log = (b"hdrbhetb" + etype(18, 14, b"Block marker") + etype(19, 0xFFFF, b"User message")
       + etype(30, 0xFFFF, b"Program arguments") + etype(32, 8, b"OS process") + b"hetehdredatb")
events = (struct.pack(">HQH", 30, 1, 9) + bytes(4) + b"main\0" + struct.pack(">HQII", 32, 1, 0, 77))
log += struct.pack(">HQIQH", 18, 1, 24 + len(events), 1, 0xFFFF) + events
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen(8)
def serve(s):
    s.sendall(log)
    while piece := s.recv(4096):
        print("obeys", piece, flush=True)
while True:
    threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()
END
python3 "$work/program.py" "$work/main" >"$work/obeyed" &

relays() { # NAME OPTION…
    launch_relay "$@" --from "main=unix:$work/main" --from "listen:unix:$work/$1.in" \
        --from listen:tcp:127.0.0.1:0 --listen "unix:$work/$1.out" --listen tcp:127.0.0.1:0 --metrics 127.0.0.1:0
}
begins() { # NAME
    reports_port "$1" 3 && file_has "$work/$1.err" 'connected as main'
}
soon test -S "$work/main"
relays open
relays closed --token-file "$work/token"
soon begins open
soon begins closed

cat >"$work/protocols.py" <<'END'
import os, re, socket, struct, sys, threading, time, waiting
work, token = sys.argv[1], sys.argv[2].encode() + b"\n"
exec(open(os.path.join(work, "program.py")).read().split("listening =")[0])  # the program's log
faults = []

def ports(relay):  # in the order in which the relay opens them: HTTP, readers, programs
    with open(f"{work}/{relay}.err") as said:
        return [int(port) for port in re.findall(", port ([0-9]+)", said.read())]

PORTS = {}
for relay in ("open", "closed"):
    http, readers, programs = ports(relay)
    PORTS |= {(relay, "http"): http, (relay, "readers"): readers, (relay, "programs"): programs,
              (relay, "readers, unix"): f"{work}/{relay}.out", (relay, "programs, unix"): f"{work}/{relay}.in"}

def command(name):
    return b"\xf0\x9e\x97\x8c\0" + bytes([len(name)]) + name + b"\1"

def log_of(name):
    events = struct.pack(">HQH", 30, 1, 5 + len(name)) + bytes(4) + name + b"\0" + struct.pack(">HQII", 32, 1, 0, 77)
    return log[: log.index(b"datb") + 4] + struct.pack(">HQIQH", 18, 1, 24 + len(events), 1, 0xFFFF) + events + b"\xff\xff"

def post(body):
    return b"POST /log/main HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

TLS = bytes.fromhex("16030100510100004d0303") + bytes(32) + bytes.fromhex("00000a130113021303c02bc02f0100001a")
FIRST = {  # the bytes before the log
    "nothing": b"",
    "token": token,
    "wrong token": b"x" + token,
    "GET": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST": None,
    "TLS": TLS + bytes(9),
    "SSH": b"SSH-2.0-OpenSSH_9.2p1\r\n",
    "proxy": b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n",
    "newline": b"\n",
    "zeros": bytes(64),
    "half a command": command(b"x")[:5],
    "half a header": b"hdrbhetbetb\0",
}

def is_wanted(relay, port, first, what):
    """Is that to be obeyed, or carried?"""
    if what not in port:
        return False
    if "unix" in port:  # web pages cannot connect there: a log after other bytes is found
        return first == "nothing" or what == "programs"
    return first == ("token" if relay == "closed" else "nothing")

def try_one(key, first, what, name):
    relay, port = key
    said = (command if what == "readers" else log_of)(name)
    front = FIRST[first]
    said = post(said) if front is None else front + said
    place = PORTS[key]
    s = socket.socket(socket.AF_UNIX if isinstance(place, str) else socket.AF_INET)
    s.connect(place if isinstance(place, str) else ("127.0.0.1", place))
    wanted = is_wanted(relay, port, first, what)
    try:
        s.sendall(said)
        s.settimeout(0.5)
        until = time.monotonic() + 40
        while not wanted and time.monotonic() < until:
            try:
                if not s.recv(1 << 16):
                    return
            except socket.timeout:
                pass
    except (BrokenPipeError, ConnectionResetError):
        return
    if wanted:
        open_ones.append(s)
    else:
        faults.append(f"{relay}, {port}: {first}, then {what}: the connection stays open")

open_ones, wanted, unwanted = [], set(), set()
for what in ("readers", "programs"):  # commands, then logs
    threads = []
    for i, key in enumerate(PORTS):
        for j, first in enumerate(FIRST):
            name = b"%s-%d-%d" % (what.encode(), i, j)
            (wanted if is_wanted(*key, first, what) else unwanted).add((name.decode(), key, first, what))
            threads.append(threading.Thread(target=try_one, args=(key, first, what, name)))
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def got():
    with open(f"{work}/obeyed") as obeyed, open(f"{work}/open.err") as one, open(f"{work}/closed.err") as other:
        return set(re.findall(r"(?:readers|programs)-[0-9]+-[0-9]+(?=\\|\n)", obeyed.read() + one.read() + other.read()))

waiting.soon(lambda: {name for name, *_ in wanted} <= got(), "not all is obeyed or carried")
for name, *which in wanted:
    if name not in got(): faults.append(f"{which}: not obeyed or carried")
for name, *which in unwanted:
    if name in got(): faults.append(f"{which}: obeyed or carried")
print(len(wanted), "of", len(wanted) + len(unwanted), "were to be obeyed or carried", file=sys.stderr)
sys.exit("\n".join(faults) if faults else 0)
END
python3 "$work/protocols.py" "$work" "$token" ||
    fail "see above; $(cut -c-200 "$work/open.err" | sort | uniq -c | sort -rn | head -30)"

# Before the first program, a reader that sends invalid commands is disconnected.
launch_relay none --from "listen:unix:$work/none.in" --listen "unix:$work/none.out"
soon test -S "$work/none.out"
python3 - "$work/none.out" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(30)
s.connect(sys.argv[1])
s.sendall(b"GET / HTTP/1.1\r\n\r\n\xf0\x9e\x97\x8c\0\1x\1")
try:
    if s.recv(10): sys.exit("it got something")
except ConnectionResetError:
    pass
END

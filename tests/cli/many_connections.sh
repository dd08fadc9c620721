#!/usr/bin/env bash
# Very many connections that send nothing, or only a part, do not keep out clients that take a while to
# send their data.
. tests/support/lib.bash
. tests/support/live.bash
needs python3

token=a-token-of-enough-letters
echo "$token" >"$work/token"
relays() { # NAME OPTION…
    # A quarter of the descriptors is for pending clients: 500 instead of 4,096.
    launch "$1" prlimit --nofile=2000 "$HECTIC" relay --from listen:tcp:127.0.0.1:0 --from "listen:unix:$work/$1.in" \
        --listen tcp:127.0.0.1:0 --metrics 127.0.0.1:0 "${@:2}"
}
relays open
relays closed --token-file "$work/token"
port_of open 3
port_of closed 3

cat >"$work/crowds.py" <<'END'
import re, socket, struct, sys, waiting
work, token = sys.argv[1], sys.argv[2].encode() + b"\n"
GUESTS, BEGUN, PATIENCE = 500, 256, 60  # limit of clients; pending clients that have sent a part; s
faults = []

def etype(number, size, name):
    return b"etb\0" + struct.pack(">HHI", number, size, len(name)) + name + struct.pack(">I", 0) + b"ete\0"

HEADER = (b"hdrbhetb" + etype(18, 14, b"Block marker") + etype(30, 0xFFFF, b"Program arguments")
          + etype(32, 8, b"OS process") + b"hetehdredatb")

def log(name):
    events = struct.pack(">HQH", 30, 1, 5 + len(name)) + bytes(4) + name + b"\0" + struct.pack(">HQII", 32, 1, 0, 77)
    return HEADER + struct.pack(">HQIQH", 18, 1, 24 + len(events), 1, 0xFFFF) + events

def ports(relay):  # in the order in which the relay opens them
    with open(f"{work}/{relay}.err") as said:
        return map(int, re.findall(", port ([0-9]+)", said.read()))

def connect(port, address, said=b""):
    s = socket.socket()
    s.settimeout(PATIENCE)
    s.bind((address, 0))
    s.connect(("127.0.0.1", port))
    if said: s.sendall(said)
    return s

def crowd(port, address, count, said):
    return [connect(port, address, said) for _ in range(count)]

def is_answered(s, wanted):
    try:
        return s.recv(100).startswith(wanted)
    except OSError:
        return False

def index(port):
    s = connect(port, "127.0.0.1", b"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n" % token[:-1])
    page = b""
    while piece := s.recv(1 << 16): page += piece
    return page

def is_carried(port, name):
    try:
        return waiting.soon(lambda: b"/log/%s\n" % name in index(port), f"{name} is not carried", PATIENCE)
    except TimeoutError:
        return False

def try_one(what, port, first, rest, goes_in, many, begun):
    """One begins; others come, the most of them from another address; it says the rest."""
    for count, address, said, of in ((GUESTS + 200, "127.0.0.2", b"", "who say nothing"),
                                     (GUESTS - 100, "127.0.0.1", b"", "of its own address who say nothing"),
                                     (BEGUN + 50, "127.0.0.2", begun, "who begin and do not go on")):
        if of not in many: continue
        s = connect(port, "127.0.0.1", first)
        others = crowd(port, address, count, said)
        try:
            s.sendall(rest)
            good = goes_in(s)
        except OSError:
            good = False
        if not good: faults.append(f"{what}: {count} {of} keep one out")
        for other in others + [s]: other.close()

SILENT = ["who say nothing", "of its own address who say nothing"]
ALL = SILENT + ["who begin and do not go on"]
(http, readers, programs), (http_closed, readers_closed, programs_closed) = ports("open"), ports("closed")
keeper = socket.socket(socket.AF_UNIX)  # a program that serves its log
keeper.connect(f"{work}/closed.in")
keeper.sendall(log(b"keeper"))
is_carried(http_closed, b"keeper")
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
served = lambda s: is_answered(s, b"hdrb")
counter = 0

def carries(port):
    global counter
    counter += 1
    name = b"p%d" % counter
    return log(name), lambda s: is_carried(port, name)

try_one("readers with a token", readers_closed, b"", token, served, SILENT, b"")
try_one("readers in the middle of the token", readers_closed, token[:9], token[9:], served, ALL, token[:3])
for which in SILENT:  # one log each, because each is another program
    text, goes_in = carries(http_closed)
    try_one("programs with a token", programs_closed, b"", token + text, goes_in, [which], b"")
    text, goes_in = carries(http)
    try_one("programs without a token", programs, b"", text, goes_in, [which], b"")
text, goes_in = carries(http)
try_one("programs in the middle of the header", programs, text[:60], text[60:], goes_in, ALL[2:], text[:20])
try_one("HTTP", http, b"", REQUEST, lambda s: is_answered(s, b"HTTP/1.1 200"), SILENT, b"")
try_one("HTTP in the middle of the request", http, REQUEST[:9], REQUEST[9:],
        lambda s: is_answered(s, b"HTTP/1.1 200"), ALL[2:], b"G")
sys.exit("\n".join(faults) if faults else 0)
END
python3 "$work/crowds.py" "$work" "$token" ||
    fail "see above; $(cut -c-200 "$work/open.err" "$work/closed.err" | sort | uniq -c | sort -rn | head -20)"
grep -q 'client disconnected: no token received, and too many clients$' "$work/closed.err" ||
    fail "it is not reported: $(tail -n 3 "$work/closed.err")"

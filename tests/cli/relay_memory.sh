#!/usr/bin/env bash
# A relay's memory with a large live state and many stalled readers: it has the state once, and
# decreases when readers disconnect.
. tests/support/lib.bash
. tests/support/live.bash
needs python3
! is_sanitized || skip "a sanitizer has memory of its own"

cat >"$work/memory.py" <<'END'
import os, socket, struct, sys, time, waiting
work, pid = sys.argv[1], int(sys.argv[2])
READERS, MB, PIECE = 30, 1 << 20, 1 << 16

def etype(number, size, name):
    return b"etb\0" + struct.pack(">HHI", number, size, len(name)) + name + struct.pack(">I", 0) + b"ete\0"

HEADER = (b"hdrbhetb" + etype(18, 14, b"Block marker") + etype(19, 0xFFFF, b"User message")
          + etype(30, 0xFFFF, b"Program arguments") + etype(32, 8, b"OS process")
          + etype(0, 4, b"Create thread") + etype(161, 0xFFFF, b"Cost centre") + b"hetehdredatb")
clock = 1

def block(events):
    global clock
    clock += 1
    return struct.pack(">HQIQH", 18, clock, 24 + len(events), clock, 0) + events

def event(number, payload):
    return struct.pack(">HQH", number, clock, len(payload)) + payload

def connect(name):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(os.path.join(work, name))
    return s

def resident():
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) << 10

def settled():
    """The memory, when it has been the same for half a second."""
    before, now = 0, resident()
    while abs(now - before) > MB // 4:
        time.sleep(0.5)
        before, now = now, resident()
    return now

def send(s, number, payload, count):
    """Pieces of a size that a runtime writes at once."""
    events = b""
    for i in range(count):
        events += event(number, payload(i))
        if len(events) > PIECE or i == count - 1:
            s.sendall(block(events))
            events = b""

def measure(name, centres, threads):
    program = connect("in")
    program.sendall(HEADER + block(event(30, bytes(4) + name.encode() + b"\0") + struct.pack(">HQII", 32, clock, 0, 77)))
    send(program, 161, lambda i: struct.pack(">I", i) + 3 * (b"%064d\0" % i) + b"\0", centres)
    for first in range(0, threads, 4096):
        program.sendall(block(b"".join(struct.pack(">HQI", 0, clock, i) for i in range(first, first + 4096))))
    send(program, 19, lambda i: b"x" * 60000, 20 * MB // 60000)  # so that earlier data leaves the queue
    waiting.soon(lambda: os.path.exists(os.path.join(work, name + ".sock")), "it is not carried")
    alone = settled()
    readers = [connect(name + ".sock") for _ in range(READERS)]
    for s in readers:
        assert s.recv(4) == b"hdrb"
    joined = settled()
    send(program, 19, lambda i: b"x" * 60000, 40 * MB // 60000)  # overtakes the stalled readers
    overtaken = settled()
    for s in readers:
        s.close()
    left = settled()
    print(f"{name}: MB alone {alone // MB}, with {READERS} readers {joined // MB}, overtaken {overtaken // MB}, "
          f"without {left // MB}", file=sys.stderr)
    if max(joined, overtaken) - alone > READERS * MB:
        sys.exit("readers have copies")
    if left - alone > 12 * MB:
        sys.exit("memory does not fall when readers leave")
    program.close()
    waiting.soon(lambda: not os.path.exists(os.path.join(work, name + ".sock")), "it is carried for ever")
    return alone

little = measure("little", 0, 0)
centres = measure("centres", 150000, 0)
if centres - little < 20 * MB:
    sys.exit("the state has not been learned")
threads = measure("threads", 0, 1 << 20)  # all of them live
limit = 64 * MB
if threads - little > limit + 32 * MB:
    sys.exit("the state is not bounded")
END

launch_relay relay --from "listen:unix:$work/in" --listen "unix:$work/%n.sock" --state-limit 64Mi
soon test -S "$work/in"
python3 "$work/memory.py" "$work" "$relay" || fail "see above; the relay said: $(tail "$work/relay.err")"
grep -q "threads: the live state exceeds 67108864 bytes" "$work/relay.err" ||
    fail "the limit is not reported: $(cat "$work/relay.err")"
finish "$relay"

#!/usr/bin/env bash
# A relay's work is linear in the number of programs of one name, their metrics and their readers.
. tests/support/lib.bash
. tests/support/live.bash
needs python3
! is_sanitized || skip "so many threads are not for a sanitizer"

cat >"$work/many.py" <<'END'
import http.client, os, resource, signal, socket, struct, sys, time, waiting
work, pid, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
FEW, MANY, ROUNDS, PATIENCE = 1000, 4000, 3, 300
TIMES = 2.5  # growth beyond linear, for memory that no longer fits in a cache
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
if most < 3 * MANY: sys.exit(77)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

def etype(number, size, name):
    return b"etb\0" + struct.pack(">HHI", number, size, len(name)) + name + struct.pack(">I", 0) + b"ete\0"

events = struct.pack(">HQH", 30, 1, 5 + 4) + bytes(4) + b"same\0" + struct.pack(">HQII", 32, 1, 0, 77)
LOG = (b"hdrbhetb" + etype(18, 14, b"Block marker") + etype(30, 0xFFFF, b"Program arguments")
       + etype(32, 8, b"OS process") + b"hetehdredatb" + struct.pack(">HQIQH", 18, 1, 24 + len(events), 1, 0xFFFF) + events)

def work_done():
    """Of the relay, in seconds of a processor, so that other processes do not count."""
    with open(f"/proc/{pid}/stat") as stat:
        return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

def connect(name):
    return waiting.connect(os.path.join(work, name), PATIENCE)

def becomes(true):
    waiting.soon(true, "it never came to that", PATIENCE)

def is_over():
    try:
        with open(f"/proc/{pid}/stat") as stat: return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True

def page(path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path)
    return connection.getresponse().read()

def sockets():
    return sum(name.startswith("same") for name in os.listdir(work))

def measure(count):
    """What each step costs."""
    spent, before = {}, work_done()
    def step(name):
        nonlocal before
        now = work_done()
        spent[name], before = now - before, now
    programs = []
    for _ in range(count):
        s = connect("in")
        s.sendall(LOG)
        programs.append(s)
    becomes(lambda: sockets() == count)
    step("programs connect")
    for _ in range(count // 8):
        reader = connect("out")
        reader.shutdown(socket.SHUT_WR)  # no commands, which the relay would wait for
        assert reader.recv(4) == b"hdrb"
        reader.close()
    step("readers connect")
    text = page("/metrics")
    assert text.count(b"hectic_readers{") == count, text[:300]
    index = page("/")
    assert index.count(b"/log/same") == count
    step("metrics")
    for s in programs: s.close()
    becomes(lambda: sockets() == 0)
    step("programs end")
    return spent

measure(FEW // 8)  # one-time work
few, many = {}, {}

def add_round():
    """The least of all rounds: other processes make a round more expensive, never cheaper."""
    for least, count in ((few, FEW), (many, MANY)):
        for name, spent in measure(count).items(): least[name] = min(spent, least.get(name, spent))

def grows(name):
    return many[name] > TIMES * MANY / FEW * max(few[name], 0.1)

for _ in range(ROUNDS):
    add_round()
    if not any(map(grows, few)): break

def leave_asleep(count):
    """Programs, each with a reader that sleeps while more comes than its socket holds."""
    text = struct.pack(">HQH", 30, 2, 50000) + bytes(50000)
    piece = struct.pack(">HQIQH", 18, 2, 24 + len(text), 2, 0xFFFF) + text
    programs = [connect("in") for _ in range(count)]
    for s in programs: s.sendall(LOG)
    becomes(lambda: sockets() == count)
    readers = [connect(name) for name in os.listdir(work) if name.startswith("same")]
    for s in readers:
        s.shutdown(socket.SHUT_WR)
        s.recv(4)
    for s in programs:
        for _ in range(60): s.sendall(piece)
    return programs + readers
print(f"seconds of a processor for {FEW} and {MANY} programs:", file=sys.stderr)
faults = 0
for name in few:
    print(f"    {name}: {few[name]:.2f}, {many[name]:.2f}", file=sys.stderr)
    faults += grows(name)

# At its end it waits 2 s for stalled readers, for all of them together.
asleep = leave_asleep(40)
begin = time.monotonic()
os.kill(pid, signal.SIGTERM)
becomes(is_over)
lasted = time.monotonic() - begin
print(f"it ended in {lasted:.1f} s", file=sys.stderr)
faults += lasted > 12
sys.exit(1 if faults else 0)
END

launch_relay relay --from "listen:unix:$work/in" --listen "unix:$work/%n.sock" --listen "unix:$work/out" \
    --metrics 127.0.0.1:0
port_of relay
code=0
python3 "$work/many.py" "$work" "$relay" "$port" || code=$?
[[ $code != 77 ]] || skip "needs more descriptors"
[[ $code == 0 ]] || fail "see above; the relay said: $(tail -n 3 "$work/relay.err")"
ends "$relay"

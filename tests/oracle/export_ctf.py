"""export_ctf.py HECTIC WORK LOG…: babeltrace2 finds in what hectic export --format ctf writes of logs the events of
hectic show --json, with their times, caps and fields, in the order of each stream. CTF_INTERVAL: options of both."""
import collections, json, os, re, shutil, subprocess, sys

import bt2

hectic, work, logs = sys.argv[1], sys.argv[2], sys.argv[3:]
interval = os.environ.get("CTF_INTERVAL", "").split()
UNNAMED = re.compile(r"unknown (status|breakdown) \d+|tag \d+")  # numbers without a name

Event = collections.namedtuple("Event", "time cap name fields")


def run(*arguments):
    """What it prints; None: the log cannot be read."""
    done = subprocess.run([hectic, *arguments], capture_output=True)
    assert done.returncode in (0, 1, 2) and b"Sanitizer" not in done.stderr, (arguments, done.returncode, done.stderr)
    return done.stdout.decode("utf-8", "strict") if done.returncode < 2 else None


# --- What babeltrace2 reads ---------------------------------------------------------------------


names = {}  # of numbers of an enumeration: it takes long to find them


def names_of(field, key):
    """`labels` of bt2 2.0.4 fails for a number without a name."""
    number = int(field)
    if (key, number) not in names:
        labels = [n.label for n in field.cls.values() if any(r.lower <= number <= r.upper for r in n.ranges)]
        names[key, number] = labels
    return number, names[key, number]


def value_of(field, key):
    """A field as JSON would have it; of an enumeration, its number and the names of that."""
    if isinstance(field, bt2._EnumerationFieldConst):
        return names_of(field, key)
    if isinstance(field, bt2._IntegerFieldConst):
        return int(field)
    if isinstance(field, bt2._StringFieldConst):
        # Of an empty one, babeltrace2 2.0.4 has the length, but the text of an earlier event.
        return str(field)[: len(field)]
    return [value_of(one, key) for one in field]


def read_trace(folder, streams):
    """Adds the events of each cap, in order. Returns what the trace says about its program."""
    environment, is_absolute, open_packets = {}, False, {}
    names.clear()
    for message in bt2.TraceCollectionMessageIterator(folder):
        if type(message) is bt2._StreamBeginningMessageConst:
            environment = {k: str(v) for k, v in message.stream.trace.environment.items()}
        if type(message) is bt2._PacketBeginningMessageConst:
            open_packets[message.packet.stream.id, message.packet.stream.cls.id] = message.default_clock_snapshot.value
        if type(message) is bt2._PacketEndMessageConst:
            last = open_packets.pop((message.packet.stream.id, message.packet.stream.cls.id))
            assert last == message.default_clock_snapshot.value, "the end of a packet is not its last event"
        if type(message) is not bt2._EventMessageConst:
            continue
        event, clock = message.event, message.default_clock_snapshot
        has_cap = event.stream.cls.id == 0
        cap = int(event.packet.context_field["cpu_id"]) if has_cap else None
        assert has_cap == (event.packet.context_field is not None)
        key = event.stream.id, event.stream.cls.id
        begin = open_packets[key]
        assert begin <= clock.value, "an event is before its packet"
        open_packets[key] = clock.value
        payload, name = event.payload_field, event.name
        fields = {n: value_of(payload[n], (folder, name, n)) for n in payload if n[0] != "_"}
        streams[cap].append(Event(clock.value, cap, name, fields))
        if name == "WALL_CLOCK_TIME" and clock.clock_class.origin_is_unix_epoch and not is_absolute:
            is_absolute = True
            wall = fields["seconds"] * 10**9 + fields["nanoseconds"]
            assert clock.ns_from_origin == wall, ("the time of the day", clock.ns_from_origin, wall)
    return environment


def number_of(name):
    return int(name.rpartition("-")[2])


# --- What hectic show --json prints ---------------------------------------------------------------


def is_same(name, wanted, found, event):
    if isinstance(found, tuple):
        number, names = found
        text = event[name + "_name"]
        return number == wanted and (text in names if names else UNNAMED.fullmatch(text))
    if wanted is True:
        return name == "malformed" and isinstance(found, list)
    if isinstance(found, list) and isinstance(wanted, str):
        return bytes(found).hex() == wanted
    if isinstance(wanted, str):
        return wanted.replace("\0", "\\x00") == found
    if isinstance(wanted, list):
        return [w.replace("\0", "\\x00") if isinstance(w, str) else w for w in wanted] == found
    return wanted == found


def differs(event, found):
    """What is different, if anything is."""
    wanted = {k: v for k, v in event.items() if k not in ("time", "cap", "event", "replayed")}
    if found.name == "unknown":
        if "payload" not in wanted or "description" not in wanted:
            return "it is unknown"
    else:
        del wanted["type"]
        if found.name != event["event"]:
            return f"the name {found.name}"
    for name in [n for n, value in found.fields.items() if isinstance(value, tuple)]:
        wanted.pop(name + "_name")
    if event["time"] != found.time:
        return f"the time {found.time}"
    if set(wanted) != set(found.fields):
        return f"the fields {set(wanted) ^ set(found.fields)}"
    for name, value in wanted.items():
        if not is_same(name, value, found.fields[name], event):
            return f"{name}: {found.fields[name]!r}"
    return None


def only(events, name):
    """The event of that name; None: there are none, or several."""
    found = [event for event in events if event["event"] == name and "malformed" not in event]
    return found[0] if len(found) == 1 else None


def check_environment(environment, events, several):
    """Of a log of one section."""
    processes = {v for k, v in environment.items() if re.fullmatch(r"process_\d+_pid", k)}
    pids = {str(e["pid"]) for e in events if e["event"] == "OSPROCESS_PID" and "pid" in e}
    if several:
        assert processes == pids, (processes, pids)
        return
    assert not processes
    arguments, runtime, pid = (only(events, n) for n in ("PROGRAM_ARGS", "RTS_IDENTIFIER", "OSPROCESS_PID"))
    if arguments:
        assert environment["program"] == arguments["args"][0], environment
        assert environment.get("arguments", "") == " ".join(arguments["args"][1:]), environment
    if runtime:
        assert environment["runtime"] == runtime["rts"], environment
    if pid:
        assert environment["pid"] == str(pid["pid"]), environment


compared = collections.Counter()
for log in logs:
    folder = os.path.join(work, "compared.ctf")
    shutil.rmtree(folder, ignore_errors=True)
    is_read = run("export", "--quiet", "--format", "ctf", *interval, log, folder) is not None
    shown = run("show", "--json", *interval, log)
    assert is_read == (shown is not None), log
    if not is_read:
        continue
    events = [event for event in map(json.loads, shown.splitlines()) if event["time"] < 1 << 62]
    reader = subprocess.run(["babeltrace2", folder, "--component", "sink.utils.counter"], capture_output=True, text=True)
    if not events:
        assert not [n for d in os.walk(folder) for n in d[2] if n != "metadata"], log
        continue
    assert reader.returncode == 0 and not reader.stderr, (log, reader.stderr)
    counts = re.findall(r"^\s*(\d+) Event messages?", reader.stdout, re.M)  # so far
    assert int(counts[-1]) == len(events), (log, counts, len(events))
    streams = collections.defaultdict(list)
    sections = sorted((n for n in os.listdir(folder) if n.startswith("section-")), key=number_of)
    environments = [read_trace(os.path.join(folder, section), streams) for section in sections or [""]]
    wanted = collections.defaultdict(list)
    for event in events:
        wanted[event["cap"]].append(event)
    assert {cap: len(s) for cap, s in streams.items()} == {cap: len(s) for cap, s in wanted.items()}, log
    for cap, stream in wanted.items():
        for event, found in zip(stream, streams[cap]):
            difference = differs(event, found)
            assert not difference, (log, event, difference)
            compared[found.name] += 1
    if not sections and not interval:
        check_environment(*environments, events, "merged" in log)
print(f"{sum(compared.values())} events of {len(compared)} types in {len(logs)} logs")

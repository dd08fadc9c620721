"""export_trace.py HECTIC WORK LOG…: reads the traces that hectic export writes of logs, with readers of
its own, and compares what they have with the tables of the same logs."""
import collections, json, os, re, struct, subprocess, sys

sys.path.insert(0, "tests/support")
from wire import fields

hectic, work, logs = sys.argv[1], sys.argv[2], sys.argv[3:]
interval = os.environ.get("TRACE_INTERVAL", "").split()

# --- Both formats become this -------------------------------------------------------------------

Slice = collections.namedtuple("Slice", "track start end name category args")
Instant = collections.namedtuple("Instant", "track time name category args stack")

class Trace:
    def __init__(self):
        self.names, self.parents, self.pids = {}, {}, {}  # of tracks
        self.slices, self.instants, self.counters = [], [], []
        self.flows = [], []  # (flow, track, time): out, in

    def pid(self, track):
        while track not in self.pids:
            track = self.parents[track]
        return self.pids[track]

# --- Perfetto -----------------------------------------------------------------------------------

def text(values):
    return values[0].decode("utf-8") if values else None  # strict

def read_perfetto(path):
    trace, interned, counters = Trace(), {}, {}
    events, ends = [], {}  # in the order of the file
    with open(path, "rb") as file:
        packets = fields(file.read())[1]
    for number, packet in enumerate(map(fields, packets)):
        flags = packet[13][0]
        assert packet[10] == [1] and flags & 2
        assert flags & 1 or number > 0
        if flags & 1:
            current = {}
        for data in map(fields, packet[12]):
            for kind, entries in data.items():
                for entry in map(fields, entries):
                    key = kind, entry[1][0]
                    assert key not in interned, ("defined twice", key)
                    value = text(entry[2]) if kind < 6 else entry[2]
                    interned[key] = current[key] = value
        for track in map(fields, packet[60]):
            uuid, parent = track[1][0], track[5][0] if track[5] else None
            assert parent is None or parent in trace.names, "the parent comes later"
            assert uuid not in trace.names or trace.parents[uuid] == parent
            trace.names[uuid], trace.parents[uuid] = text(track[2]), parent
            for process in map(fields, track[3]):
                trace.pids[uuid] = process[1][0], text(process[6])
            if track[8]:
                counters[uuid] = trace.names[uuid]
        for event in map(fields, packet[11]):
            track = event[11][0]
            assert track in trace.names, "an event before its track"
            name = current[2, event[10][0]] if event[10] else text(event[23])
            category = current[1, event[3][0]] if event[3] else None
            args = {}
            for arg in map(fields, event[4]):
                value = text(arg[6]) if arg[6] else struct.unpack("<d", arg[5][0])[0] if arg[5] else arg[3][0]
                args[current[3, arg[1][0]]] = value
            stack = None
            if event[56]:
                stack = [current[5, current[6, frame][0]] for frame in current[7, event[56][0]]]
            time = packet[8][0]
            events.append((time, event[9][0], track, name, category, args, stack, event))
            for field, flows in ((47, trace.flows[0]), (48, trace.flows[1])):
                flows += [(struct.unpack("<Q", flow)[0], track, time) for flow in event[field]]
    # What a reader makes of it: sorts by time, and closes the innermost slice.
    written = {}  # the end of each beginning, in the file: the next event
    for at, event in enumerate(events):
        if event[1] == 1:
            assert events[at + 1][1] == 2 and events[at + 1][2] == event[2]
            written[at] = events[at + 1][0]
    open_slices = collections.defaultdict(list)
    for at, (time, kind, track, name, category, args, stack, event) in sorted(
            enumerate(events), key=lambda item: item[1][0]):
        if kind == 1:
            assert all(written[outer[1]] >= written[at] for outer in open_slices[track]), "slices overlap"
            open_slices[track].append((time, at, name, category, args))
        elif kind == 2:
            start, begin, *rest = open_slices[track].pop()
            assert written[begin] == time, ("another slice was closed", trace.names[track], rest, time)
            trace.slices.append(Slice(track, start, time, *rest))
        elif kind == 3:
            trace.instants.append(Instant(track, time, name, category, args, stack))
        else:
            trace.counters.append((counters[track], track, time, event[30][0]))
    assert not any(open_slices.values())
    return trace

# --- JSON ---------------------------------------------------------------------------------------

def ns(number):
    whole, part = number.split(".")
    assert len(part) == 3
    return int(whole) * 1000 + int(part)

def read_chrome(path):
    trace = Trace()
    with open(path, encoding="utf-8") as file:
        whole = json.load(file, parse_float=str)
    names, stacks = {}, []
    for event in whole["traceEvents"]:
        track = event["pid"], event["tid"]
        args = event.get("args", {})
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                names[track] = args["name"]
            continue
        time = ns(event["ts"])
        trace.names.setdefault(track, None)
        trace.pids[track] = track[0], None
        args = {key: float(value) if key == "work_balance" else value for key, value in args.items()}
        if event["ph"] == "X":
            end = time + ns(event["dur"])
            trace.slices.append(Slice(track, time, end, event["name"], event["cat"], args))
        elif event["ph"] == "i":
            stack = args.pop("stack", None)
            trace.instants.append(Instant(track, time, event["name"], event["cat"], args, stack))
        elif event["ph"] == "C":
            trace.counters.append((event["name"], track, time, list(args.values())[0]))
        else:
            trace.flows["sf".index(event["ph"])].append((event["id"], track, time))
    trace.names.update(names)
    assert not [s for s in trace.slices + trace.instants if trace.names[s.track] is None]
    by_track = collections.defaultdict(list)
    for s in trace.slices:
        by_track[s.track].append((s.start, -s.end))
    for slices in by_track.values():
        open_ends = []
        for start, end in sorted(slices):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or -end <= open_ends[-1], "slices overlap"
            open_ends.append(-end)
    return trace

# --- What tables have ---------------------------------------------------------------------------

def rows(verb, *options, log):
    run = subprocess.run([hectic, *verb.split(), "--json", *options, log], capture_output=True)
    if not run.stdout:
        return []
    table = json.loads(run.stdout)
    return table[verb.split()[0]]

def sql(query, log):
    run = subprocess.run([hectic, "sql", "--json", log, query], capture_output=True, check=False)
    return json.loads(run.stdout)["rows"] if run.stdout else []

def thread_of(name):
    return int(re.match(r"thread (\d+)", name)[1])

def check_threads(trace, log):
    found = collections.Counter()
    for s in trace.slices:
        if s.category == "thread":
            found[thread_of(trace.names[s.track]), s.name] += s.end - s.start
    wanted = collections.Counter()
    for row in rows("threads", *interval, log=log):
        for key, value in row.items():
            if key.endswith("_ns") and key not in ("born_ns", "ended_ns", "lifetime_ns", "unknown_ns"):
                wanted[row["thread"], key[:-3]] += value
    assert +found == +wanted, (+found - wanted, wanted - found)
    running = sum(s.end - s.start for s in trace.slices if s.category == "thread" and s.name == "running")
    on_caps = sum(s.end - s.start for s in trace.slices if s.category == "run")
    assert on_caps == running, (on_caps, running)

def check_collections(trace, log):
    known = ("cap", "reason", "copied_bytes", "live_bytes", "heap_after_bytes", "work_balance")
    def digits(value):  # the table rounds
        return value if value is None or isinstance(value, str) else float(f"{value:.6g}")
    found = sorted((s.start, s.end - s.start, str([(key, digits(s.args.get(key))) for key in known]))
                   for s in trace.slices if s.category == "gc" and s.name.startswith("GC"))
    wanted = sorted((row["start_ns"], row["pause_ns"], str([(key, digits(row[key])) for key in known]))
                    for row in rows("gc", *interval, log=log))
    assert found == wanted, (found[:5], wanted[:5])

def check_stops(trace, log):
    found = sorted((s.name, s.start, s.end) for s in trace.slices
                   if s.category == "gc" and not s.name.startswith("GC"))
    wanted = sorted((row["state"], row["start_ns"], row["start_ns"] + row["duration_ns"])
                    for row in sql("select state, start_ns, duration_ns from gc_caps", log))
    assert found == wanted, (found[:5], wanted[:5])

def check_spans(trace, log):
    found = sorted((s.name, s.start, s.end, s.args.get("subscript", 0)) for s in trace.slices
                   if s.category == "span" and "end" not in s.args)
    wanted = sorted((row["label"], row["start_ns"], row["end_ns"], row["subscript"])
                    for row in rows("spans --each", log=log))
    if any("\\x" in s[0] for s in found):  # the table has replaced what is not UTF-8
        found, wanted = [s[1:] for s in found], [s[1:] for s in wanted]
    assert sorted(found) == sorted(wanted), (found[:5], wanted[:5])

def check_messages(trace, log):
    is_span = re.compile(r"(START|STOP) ")
    found = collections.Counter((i.category, i.time) for i in trace.instants
                                if i.category in ("message", "marker", "runtime"))
    wanted = collections.Counter(
        (row["kind"], row["time_ns"]) for row in sql("select kind, time_ns, text from messages", log)
        if row["kind"] != "message" or not is_span.match(row["text"]))
    assert found == wanted, (found - wanted, wanted - found)

def check_counters(trace, log):
    kinds = {"heap size": "heap", "blocks in use": "blocks", "live data": "live"}
    found = sorted((kinds[name], time, value) for name, track, time, value in trace.counters if name in kinds)
    wanted = sorted((row["kind"], row["time_ns"], row["bytes"])
                    for row in sql("select kind, time_ns, bytes from sizes where kind != 'allocated'", log))
    assert found == wanted, (found[:5], wanted[:5])
    pool = sorted((time, value) for name, track, time, value in trace.counters if "in the pool" in name)
    made = sorted((row["time_ns"], min(row["remaining"], 2**63 - 1))
                  for row in sql("select time_ns, remaining from ev_SPARK_COUNTERS join runs using (section) "
                               "where cap is not null and time_ns <= covered_to_ns", log))
    assert pool == made, (pool[:5], made[:5])

def check_samples(trace, log):
    found = collections.Counter((i.time, len(i.stack)) for i in trace.instants if i.category == "sample")
    wanted = collections.Counter(row["time_ns"] for row in sql("select time_ns from time_samples", log))
    assert collections.Counter(time for time, frames in found.elements()) == wanted
    return sum(found.values())

def check_bands(trace, log):
    """At the end of each sample, the bands are those of the sample."""
    wanted = collections.defaultdict(dict)
    for row in sql("select time_ns, band, profile, bytes from heap_samples where time_ns is not null", log):
        wanted[row["time_ns"]][row["profile"], row["band"]] = row["bytes"]
    now, found = {}, {}
    values = [c for c in trace.counters if c[0] not in ("heap size", "blocks in use", "live data")
              and not c[0].startswith("cap ")]
    for name, track, time, value in sorted(values, key=lambda c: c[2]):
        now[track, name] = value
        found[time] = sorted(size for size in now.values() if size > 0)
    for time, bands in found.items():
        assert bands == sorted(wanted[time].values()), (time, bands, wanted[time])

def check_flows(trace, log):
    out, to = trace.flows
    assert len(out) == len(to) == len(set(flow for flow, track, time in out))
    assert sorted((flow, time) for flow, track, time in out) == sorted((flow, time) for flow, track, time in to)
    # Of states that are not known, there are no slices at which an arrow could end.
    states = sql("select section, process, thread, state, start_ns, end_ns, waker from thread_states", log)
    known = {(row["section"], row["process"], row["thread"], row["start_ns"])
             for row in states if row["state"] != "unknown"}
    wanted = collections.Counter(
        (row["end_ns"], row["thread"], row["waker"]) for row in states if row["waker"] is not None
        and (row["section"], row["process"], row["thread"], row["end_ns"]) in known)
    sources = {flow: trace.names[track] for flow, track, time in out}
    found = collections.Counter((time, thread_of(trace.names[track]), thread_of(sources[flow]))
                                for flow, track, time in to)
    assert found == wanted, (found - wanted, wanted - found)

def check(trace, log):
    check_threads(trace, log)
    check_collections(trace, log)
    if interval:
        return 0
    check_stops(trace, log)
    check_spans(trace, log)
    check_messages(trace, log)
    check_counters(trace, log)
    check_bands(trace, log)
    check_flows(trace, log)
    return check_samples(trace, log)

def export(kind, log, suffix, *options):
    out = os.path.join(work, "trace" + suffix)
    run = subprocess.run([hectic, "export", "--force", "--format", kind, *interval, *options, log, out], capture_output=True)
    assert run.returncode in (0, 1) and b"Sanitizer" not in run.stderr, (log, run)
    return out, run

def main():
    for log in logs:
        if os.path.getsize(log) == 0:
            continue
        try:
            path, run = export("perfetto", log, ".pftrace")
            perfetto = read_perfetto(path)
            samples = check(perfetto, log)
            path, run = export("chrome", log, ".trace.json")
            chrome = read_chrome(path)
            check(chrome, log)
            assert len(perfetto.slices) == len(chrome.slices)
            print(f"{log}: {len(perfetto.slices)} slices, {len(perfetto.instants)} instants, "
                  f"{len(perfetto.counters)} values, {len(perfetto.flows[0])} flows, {samples} samples")
        except BaseException:
            print("FAILED:", log, file=sys.stderr)
            raise

if __name__ == "__main__":
    main()

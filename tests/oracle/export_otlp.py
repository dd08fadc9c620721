"""export_otlp.py HECTIC WORK LOG…: what hectic export --format otlp writes of logs is what their tables have. The
bodies that a server gets are decoded by the numbers of the public protocol."""
import collections, json, math, os, struct, subprocess, sys

sys.path.insert(0, "tests/support")
import otlp_receiver
from otlp_receiver import Receiver
from wire import fields

hectic, work, logs = sys.argv[1], sys.argv[2], sys.argv[3:]


def rows(query, log):
    run = subprocess.run([hectic, "sql", "--json", log, query], capture_output=True, check=False)
    return json.loads(run.stdout)["rows"] if run.stdout else []


def plain(values):
    return {pair["key"]: list(pair["value"].values())[0] for pair in values}


class Export:
    def __init__(self, text):
        self.spans, self.records, self.metrics, self.resources = [], [], collections.defaultdict(list), []
        for line in text.splitlines():
            request = json.loads(line)
            for kind, items in (("resourceSpans", "scopeSpans"), ("resourceLogs", "scopeLogs"), ("resourceMetrics", "scopeMetrics")):
                for resource in request.get(kind, []):
                    self.resources.append(plain(resource["resource"]["attributes"]))
                    for scope in resource[items]:
                        self.spans += scope.get("spans", [])
                        self.records += scope.get("logRecords", [])
                        for metric in scope.get("metrics", []):
                            data = metric.get("sum") or metric.get("gauge") or metric["exponentialHistogram"]
                            self.metrics[metric["name"]] += data["dataPoints"]


def export(log, *options):
    run = subprocess.run([hectic, "export", "--format", "otlp", *options, log, "-"], capture_output=True)
    assert run.returncode in (0, 1), run
    return Export(run.stdout.decode("utf-8"))


def start_of(log, section):
    """The wall clock at time 0."""
    found = [row["clock_start_ns"] for row in rows("select section, clock_start_ns from runs", log) if row["section"] == section]
    return found[0] or 0


def check_spans(found, log, zero):
    table = rows("select * from spans_each", log)
    wanted = collections.Counter((row["start_ns"], row["end_ns"], row["thread"], row["cap"], row["subscript"] or 0) for row in table)
    def number(span, key, other=None):
        value = plain(span.get("attributes", [])).get(key)
        return other if value is None else int(value)
    def time(span, which):
        return int(span.get(which + "TimeUnixNano", 0)) - zero
    spans = [(time(span, "start"), time(span, "end"), number(span, "thread.id"), number(span, "hectic.cap"),
              number(span, "hectic.subscript", 0)) for span in found.spans]
    assert collections.Counter(spans) == wanted, (collections.Counter(spans) - wanted, wanted - collections.Counter(spans))
    ids = {span["spanId"]: span for span in found.spans}
    assert len(ids) == len(found.spans) and all(len(i) == 16 for i in ids)
    gc = collections.Counter()
    for row in rows("select start_ns, end_ns, total_ns from span_states where state = 'gc'", log):
        gc[row["start_ns"], row["end_ns"]] += row["total_ns"]
    own = collections.Counter()
    for span in found.spans:
        own[time(span, "start"), time(span, "end")] += number(span, "hectic.gc_ns", 0)
    assert +own == +gc, (own - gc, gc - own)
    # A STOP that ends no span of its own thread seems to end one of another thread: whether it does is known later.
    own_ends = {(row["end_ns"], row["end_thread"], row["label"]) for row in table if not row["across_threads"]}
    others = [(row["time_ns"], row["thread"], row["text"]) for row in rows("select time_ns, thread, text from messages", log)
              if row["text"].startswith("STOP ")]
    others = [(when, thread, text) for when, thread, text in others if (when, thread, text.split()[-1]) not in own_ends]
    def seems_ended(span, until):
        return any(time(span, "start") <= when <= until and thread != number(span, "thread.id") and text.endswith(span["name"])
                   for when, thread, text in others)
    # The parent is the span of the thread that was started last and is open, where times tell.
    by_owner = collections.defaultdict(list)
    for span in found.spans:
        by_owner[number(span, "thread.id"), number(span, "hectic.cap") if number(span, "thread.id") is None else 0].append(span)
    for owner, own in by_owner.items():
        starts = collections.Counter(time(span, "start") for span in own)
        for span in own:
            start = time(span, "start")
            parent = span.get("parentSpanId")
            if parent and parent not in ids:
                continue  # it is not stopped
            if parent and number(ids[parent], "hectic.end_thread") is not None:
                continue  # that another thread has stopped it may be known later
            open_ones = [other for other in own if time(other, "start") < start < time(other, "end")]
            latest = max(open_ones, key=lambda other: time(other, "start"), default=None)
            if starts[start] > 1 or any(time(other, "end") == start for other in own):
                continue
            if latest and starts[time(latest, "start")] > 1:
                continue
            if any(seems_ended(other, start) for other in open_ones):
                continue
            assert (latest and latest["spanId"]) == parent, (span, latest)
            if parent:
                assert span["traceId"] == latest["traceId"]
    return len(spans)


def check_records(found, log, zero):
    kinds = {"marker": "marker", "runtime": "runtime", None: "message"}
    own = collections.Counter((int(r.get("timeUnixNano", 0)) - zero, kinds[r.get("eventName")]) for r in found.records)
    wanted = collections.Counter(
        (row["time_ns"], row["kind"]) for row in rows("select time_ns, kind, text from messages", log)
        if row["kind"] != "message" or row["text"][:5] not in ("START", "STOP ") or row["text"][5:6] not in (" ", ""))
    wanted = collections.Counter({key: count for key, count in wanted.items()})
    assert sum((own - wanted).values()) == 0, (own - wanted, wanted - own)
    return own, wanted


def check_metrics(found, log):
    stat = rows("select * from stat", log)
    points = found.metrics
    if points.get("ghc_allocated_bytes") and stat[0]["memory_allocated_bytes"] is not None:
        assert int(points["ghc_allocated_bytes"][0]["asInt"]) == stat[0]["memory_allocated_bytes"], stat
    pauses = rows("select count(*) as n, sum(pause_ns) as ns from gc", log)[0]
    counted = sum(int(p.get("count", 0)) for p in points.get("hectic_gc_pause_seconds", []))
    assert counted <= pauses["n"]
    durations = collections.defaultdict(list)
    for row in rows("select label, duration_ns from spans_each", log):
        durations[row["label"][:255]].append(row["duration_ns"])
    histograms = {plain(p["attributes"])["label"]: p for p in points.get("hectic_span_seconds", [])}
    assert len(histograms) == len(points.get("hectic_span_seconds", []))
    if any("\\" in label for label in histograms):
        return
    assert set(histograms) == set(durations)
    for label, point in histograms.items():
        times = durations[label]
        assert int(point["count"]) == len(times)
        assert abs(point.get("sum", 0) - sum(times) / 1e9) < 1e-9 * (1 + len(times))
        buckets = point.get("positive", {})
        at = int(buckets.get("offset", 0))
        counts = collections.Counter({at + i: int(n) for i, n in enumerate(buckets.get("bucketCounts", []))})
        assert point["scale"] == 3
        slow = collections.Counter(math.ceil(math.log2(ns / 1e9) * 8) - 1 for ns in times if ns > 0)
        assert +counts == +slow, (label, counts, slow)
        assert int(point.get("zeroCount", 0)) == sum(ns == 0 for ns in times)


def check_parent(log):
    """A span of a distributed trace, and one within it."""
    inner, outer = sorted(export(log).spans, key=lambda span: int(span.get("endTimeUnixNano", 0)))
    assert outer["traceId"] == inner["traceId"] == "0af7651916cd43dd8448eb211c80319c", (outer, inner)
    assert outer["parentSpanId"] == "b7ad6b7169203331" and inner["parentSpanId"] == outer["spanId"]
    assert not export(log).records


def check_handed_over(log):
    """A span that another thread has stopped contains no more spans and messages of its own thread."""
    found = export(log)
    ids = {span["spanId"]: span for span in found.spans}
    def owner(item, key):
        return ids[item[key]]["name"] if item.get(key) else None
    pairs = collections.Counter((span["name"], owner(span, "parentSpanId")) for span in found.spans)
    assert pairs == {("outer", None): 3000, ("job", "outer"): 3000, ("job", "job"): 3000, ("after one", "job"): 3000,
                     ("after both", "outer"): 3000}, pairs
    said = collections.Counter((record["body"]["stringValue"], owner(record, "spanId")) for record in found.records)
    assert said == {("said after one", "job"): 3000, ("said after both", "outer"): 3000, ("said outside", None): 3000}, said
    for span in found.spans:
        start = int(span["startTimeUnixNano"])
        assert span["name"] == "outer" or int(ids[span["parentSpanId"]]["endTimeUnixNano"]) > start, span


def check_merged(log):
    """Each process of a merged log is an instance of its own, and has the spans of its own log."""
    found = export(log)
    instances = {about["process.executable.name"]: about["service.instance.id"] for about in found.resources}
    pairs = {(about["process.executable.name"], about["service.instance.id"]) for about in found.resources}
    assert len(pairs) == len(set(instances.values())) == 2 and set(instances) == {"messages", "spans"}, pairs
    def spans(logs):
        return collections.Counter((span["name"], int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]))
                                   for one in logs for span in one.spans)
    assert spans([found]) == spans(export(f"tests/logs/{name}.eventlog") for name in instances)


def check(log):
    found = export(log)
    zero = start_of(log, 1)
    if len(rows("select section from runs", log)) > 1:  # each has a clock of its own
        assert len(found.spans) == rows("select count(*) as n from spans_each", log)[0]["n"]
        return
    spans = check_spans(found, log, zero)
    check_records(found, log, zero)
    check_metrics(found, log)
    print(f"{log}: {spans} spans, {len(found.records)} records, {len(found.metrics)} metrics")


# --- A server -----------------------------------------------------------------------------------


def span_names(taken):
    names = []
    for path, kind, key, body, _ in taken:
        assert kind == "application/x-protobuf" and key == "my secret", (kind, key)
        for resource in map(fields, fields(body)[1]):
            attributes = {a[1][0]: fields(a[2][0]) for a in map(fields, fields(resource[1][0])[1])}
            assert attributes[b"service.name"][1] == [b"a service"] and attributes[b"team"][1] == [b"x"]
            for scope in map(fields, resource[2]):
                assert fields(scope[1][0])[1] == [b"hectic"]
                if path == "/v1/traces":
                    for span in map(fields, scope[2]):
                        assert len(span[1][0]) == 16 and len(span[2][0]) == 8
                        start, end = (struct.unpack("<Q", span[i][0])[0] for i in (7, 8))
                        names.append((span[5][0].decode(), start, end))
    return sorted(names)


def send(log, answers, compression="gzip"):
    url, stop = otlp_receiver.start()
    Receiver.answers, Receiver.taken, Receiver.asked = answers, [], 0
    environment = dict(os.environ, OTEL_SERVICE_NAME="a service", OTEL_RESOURCE_ATTRIBUTES="env=test,team=x",
                       OTEL_EXPORTER_OTLP_HEADERS="X-Key=my%20secret, X-Other=1", OTEL_EXPORTER_OTLP_COMPRESSION=compression,
                       OTEL_EXPORTER_OTLP_TIMEOUT="1000")
    run = subprocess.run([hectic, "export", "--format", "otlp", "--url", url + "/", log],
                         capture_output=True, env=environment)
    stop()
    return run


def check_server(log):
    wanted = sorted((span["name"], int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])) for span in export(log).spans)
    for answers, code in (([], 0), ([503, "reset", "hang", 429, 200, 502], 0), (["partial"], 1)):
        run = send(log, list(answers))
        assert run.returncode == code, (answers, run)
        assert span_names(Receiver.taken) == wanted, answers
        assert {path for path, *_ in Receiver.taken} == {"/v1/traces", "/v1/logs", "/v1/metrics"}
        assert Receiver.asked == len(Receiver.taken) + sum(a in (503, 502, 429, "reset", "hang") for a in answers)
        assert {packed for *_, packed in Receiver.taken} == {"gzip"}
    send(log, [], "none")
    assert span_names(Receiver.taken) == wanted and {packed for *_, packed in Receiver.taken} == {None}
    run = send(log, [400])
    assert run.returncode == 2 and b"HTTP status 400" in run.stderr and Receiver.asked == 1, run
    print(log, "sent:", len(wanted), "spans")


def check_authorities(log, certificate):
    """A certificate of no known authority is refused at once, unless the user trusts it; one for another host is always."""
    url, stop = otlp_receiver.start(certificate=certificate)
    hint = b"name a file with its certificate in SSL_CERT_FILE"
    otlp, general = "OTEL_EXPORTER_OTLP_CERTIFICATE", "SSL_CERT_FILE"
    other = f"{work}/other.pem"
    for variables, code, said in (({}, 2, hint), ({general: certificate}, 0, b""), ({otlp: certificate, general: other}, 0, b""),
                                  ({otlp: other, general: certificate}, 2, hint), ({otlp: f"{work}/none.pem"}, 2, b"none.pem")):
        Receiver.answers, Receiver.taken = [], []
        run = subprocess.run([hectic, "export", "--quiet", "--format", "otlp", "--url", url, log], capture_output=True,
                             env={**os.environ, **variables})
        assert run.returncode == code and said in run.stderr and run.stderr.count(b"\n") == (code > 0), (variables, run)
        assert bool(Receiver.taken) == (code == 0), variables
    run = subprocess.run([hectic, "export", "--quiet", "--format", "otlp", "--url", url.replace("127.0.0.1", "localhost"), log],
                         capture_output=True, env={**os.environ, general: certificate})
    assert run.returncode == 2 and b"host name" in run.stderr and hint not in run.stderr, run
    stop()


for log in logs:
    try:
        if os.path.basename(log) == "parent.eventlog":
            check_parent(log)
        elif os.path.basename(log) == "handed-over.eventlog":
            check_handed_over(log)
        elif os.path.basename(log) == "merged.eventlog":
            check_merged(log)
        elif os.path.getsize(log) > 0:
            check(log)
    except BaseException:
        print("FAILED:", log, file=sys.stderr)
        raise
check_server("tests/logs/spans.eventlog")
if os.path.exists(f"{work}/own.pem"):
    check_authorities("tests/logs/spans.eventlog", f"{work}/own.pem")

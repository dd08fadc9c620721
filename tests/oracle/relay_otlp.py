"""See relay_otlp.sh, whose folder is the first argument."""
import collections
import glob
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading

sys.path.insert(0, "tests/support")
import eventlog
import otlp_receiver
import relays
import waiting
from has_canary import has_canary
from otlp_receiver import Receiver
from wire import fields

WORK, IS_LESS = sys.argv[1], len(sys.argv) > 2
HECTIC = os.environ["HECTIC"]
ENVIRONMENT = dict(os.environ, OTEL_RESOURCE_ATTRIBUTES="env=test", OTEL_METRIC_EXPORT_INTERVAL="300", OTEL_EXPORTER_OTLP_TIMEOUT="1000")


class Relay(relays.Relay):
    def __init__(self, name, url, *options, **variables):
        super().__init__(f"{WORK}/{name}", "otlp", "waiting_items", ["--otlp", url, "--host", "a host", *options], {**ENVIRONMENT, **variables})

    def takes(self, log):
        """Sends it a log, and waits until the relay has it."""
        before = self.ended()
        with socket.socket(socket.AF_UNIX) as program:
            program.connect(f"{self.folder}/socket")
            program.sendall(open(log, "rb").read())
        waiting.soon(lambda: self.ended() > before, f"{log}: not taken: {self.said()}")


def number(found):
    """What is 0 is not there."""
    return struct.unpack("<Q", found[0])[0] if found else 0


def value(data):
    """Of an AnyValue."""
    found = fields(data)
    return found[1][0].decode() if found[1] else found[3][0] if found[3] else ""


def attributes(pairs):
    return {fields(pair)[1][0].decode(): value(fields(pair)[2][0]) if fields(pair)[2] else "" for pair in pairs}


class Taken:
    """What the receiver has taken, by program: spans and records (how often), and the latest points of metrics."""

    def __init__(self):
        self.spans, self.records, self.resources = collections.Counter(), collections.Counter(), []
        self.metrics = {}
        for path, _, _, body, packed in Receiver.taken:
            assert packed == "gzip"
            for resource in map(fields, fields(body)[1]):
                about = attributes(fields(resource[1][0])[1])
                self.resources.append(about)
                for scope in map(fields, resource[2]):
                    for item in map(fields, scope[2]):
                        {"/v1/traces": self.span, "/v1/logs": self.record, "/v1/metrics": self.metric}[path](item)

    def span(self, item):
        self.spans[item[2][0].hex(), item[1][0].hex(), item[4][0].hex() if item[4] else None, item[5][0].decode(), number(item[7]),
                   number(item[8]), str(sorted(attributes(item[9]).items()))] += 1

    def record(self, item):
        self.records[number(item[1]), value(item[5][0]), item[9][0].hex() if item[9] else None,
                     item[10][0].hex() if item[10] else None, str(sorted(attributes(item[6]).items()))] += 1

    def metric(self, item):
        data = fields((item[5] or item[7] or item[10])[0])
        for point in map(fields, data[1]):
            labels = tuple(sorted(attributes(point[7] if not item[10] else point[1]).items()))
            time = number(point[3])
            numbers = tuple(tuple(point[i]) for i in ((4, 6) if not item[10] else (4, 5, 7)))
            key = item[1][0].decode(), labels
            if key not in self.metrics or time >= self.metrics[key][0]:
                self.metrics[key] = time, numbers

    def move(self, ns):
        self.records = collections.Counter({(time + ns, *others): n for (time, *others), n in self.records.items()})
        self.spans = collections.Counter({(*ids, start + ns, end + ns, others): n for (*ids, start, end, others), n in self.spans.items()})


def sent(*logs):
    """What an export of them sends."""
    url, stop = otlp_receiver.start()
    kept, Receiver.taken = Receiver.taken, []
    for log in logs:
        run = subprocess.run([HECTIC, "export", "--quiet", "--format", "otlp", "--url", url, log], env=ENVIRONMENT, capture_output=True)
        assert run.returncode in (0, 1), run
    stop()
    found, Receiver.taken = Taken(), kept
    return found


def recordings(relay):
    return sorted(glob.glob(f"{relay.folder}/logs/*.eventlog*"))


def differ(one, other):
    return list((one - other).items())[:3], list((other - one).items())[:3]


def first_time(taken):
    return min([time for time, *_ in taken.records] + [span[4] for span in taken.spans], default=10**18)


def check_taken(relay):
    taken, wanted = Taken(), sent(*recordings(relay))
    if first_time(wanted) < 10**15:  # without the time of day, it is by when the log was received
        taken.move(-first_time(taken)), wanted.move(-first_time(wanted))
    assert taken.spans == wanted.spans, differ(taken.spans, wanted.spans)
    assert taken.records == wanted.records, differ(taken.records, wanted.records)
    assert all(about["env"] == "test" and about["host.name"] == "a host" for about in taken.resources)
    return taken, wanted


def receive(answers=()):
    Receiver.answers, Receiver.taken, Receiver.asked = list(answers), [], 0


def check_logs(logs):
    """Each by itself, since metrics of several programs would be mixed."""
    for log in logs:
        receive()
        url, stop = otlp_receiver.start()
        relay = Relay("one-" + os.path.basename(log), url)
        relay.takes(log)
        relay.sends_all()
        taken, wanted = check_taken(relay)
        for key, (_, numbers) in wanted.metrics.items():
            assert key in taken.metrics and taken.metrics[key][1] == numbers, (log, key, taken.metrics.get(key), numbers)
        assert relay.metric("lost_items_total") == 0
        relay.end()
        stop()
        print(f"{log}: {sum(taken.spans.values())} spans, {sum(taken.records.values())} records, {len(taken.metrics)} metrics")


def check_busy_receiver(log):
    receive([503, "reset", "hang", 429, "long", 502, "partial"])
    url, stop = otlp_receiver.start()
    relay = Relay("busy", url)
    for _ in range(3):
        relay.takes(log)
    relay.sends_all()
    check_taken(relay)
    assert relay.metric("lost_items_total") == 2, relay.metric("lost_items_total")  # "partial" says so
    Receiver.answers = [400]
    taken = relay.metric("items_total")
    relay.takes(log)
    waiting.soon(lambda: relay.metric("lost_items_total") > 2, "a request that was refused")
    relay.sends_all()
    counted = relay.metric("lost_items_total")
    assert relay.metric("items_total") > taken
    relay.end(lost=True)
    assert re.search(r": 2 items are refused, and lost: /v1/[a-z]+: a part is refused: a bit\n", relay.said()), relay.said()
    assert re.search(r"items are refused, and lost: /v1/[a-z]+: HTTP status 400: no <\\x01>!\n", relay.said()), relay.said()
    assert lost(relay) == counted, relay.said()
    stop()


def check_restarts(log):
    """The receiver is away when the relay begins; the relay ends, and another one sends what waits."""
    receive()
    port = relays.free_port()
    relay = Relay("restarts", f"http://127.0.0.1:{port}")
    relay.takes(log)
    waiting.soon(lambda: "items wait in" in relay.said(), "a receiver that is away is reported")
    waiting.soon(lambda: relay.metric("spool_bytes") > 0, "the spool is used")
    relay.end()
    assert "remain for the next relay" in relay.said(), relay.said()
    relay.start()
    relay.takes(log)
    _, stop = otlp_receiver.start(port)
    relay.sends_all()
    stop()
    relay.takes(log)
    _, stop = otlp_receiver.start(port)
    relay.sends_all()
    assert relay.metric("lost_items_total") == 0 and "takes items again" in relay.said(), relay.said()
    check_taken(relay)
    relay.end()
    stop()


def count(taken):
    return sum(taken.spans.values()) + sum(taken.records.values())


def lost(relay):
    return int(re.search(r"items lost since the relay began: (\d+)\n", relay.said()).group(1))


def remaining(relay):
    found = re.search(r"(\d+) items remain for the next relay", relay.said())
    return int(found.group(1)) if found else 0


def check_full_spool(log):
    receive()
    relay = Relay("full", f"http://127.0.0.1:{relays.free_port()}", "--spool-max", "1000")
    relay.takes(log)
    waiting.soon(lambda: relay.metric("waiting_items") > 0, "items")
    relay.end(lost=True)
    assert re.search(r"items are lost: the spool .* is full", relay.said()), relay.said()
    assert lost(relay) + remaining(relay) >= count(sent(*recordings(relay))), relay.said()  # and metrics
    receive()
    relay = Relay("no-spool", f"http://127.0.0.1:{relays.free_port()}")
    shutil.rmtree(relay.spool)
    relay.takes(log)
    waiting.soon(lambda: relay.metric("waiting_items") > 0, "items")
    relay.end(lost=True)
    assert re.search(r"items are lost: .*/no-spool/.*: No such file or directory\n", relay.said()), relay.said()
    assert lost(relay) >= count(sent(*recordings(relay))) > 0 and relay.said().count("cannot be spooled") == 1, relay.said()


def check_refused_path(log):
    """A receiver without logs gets the rest, also while the relay ends; the message has its answer."""
    for answer, text in ((400, "/v1/traces: HTTP status 400: no <\\x01>!"),
                         (307, "/v1/traces: HTTP status 307; use the address that it redirects to: http://localhost:9/elsewhere")):
        receive([answer])
        url, stop = otlp_receiver.start()
        relay = Relay(f"refusing-{answer}", url)
        relay.takes(log)
        relay.says(text)
        relay.sends_all()
        relay.end(lost=True)
        stop()
    receive()
    Receiver.refused, Receiver.held = "/v1/logs", threading.Event()
    url, stop = otlp_receiver.start()
    relay = Relay("no-logs", url, OTEL_EXPORTER_OTLP_TIMEOUT="30000")
    relay.takes(log)
    waiting.soon(lambda: Receiver.asked > 0, "a request")
    relay.process.send_signal(signal.SIGTERM)
    waiting.soon(lambda: not relay.answers(), "the relay ends")
    Receiver.held.set()
    relay.end(lost=True)
    assert "/v1/logs: HTTP status 404: 404 page not found\n" in relay.said() and "remain for" not in relay.said(), relay.said()
    Receiver.refused, Receiver.held = "", None
    stop()
    taken, wanted = Taken(), sent(*recordings(relay))
    assert taken.spans == wanted.spans and not taken.records and taken.metrics, relay.said()


def check_environment(log):
    """Values have codes as %20; what is malformed is reported; what is given replaces only the name that would be derived."""
    variables = {"OTEL_RESOURCE_ATTRIBUTES": "service.name=a%20%C3%A4, b = c ,broken,host.name=x,=y,d=%4", "OTEL_METRIC_EXPORT_INTERVAL": "0",
                 "OTEL_EXPORTER_OTLP_TIMEOUT": "abc", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=v%20w,a b=c"}
    receive()
    url, stop = otlp_receiver.start()
    relay = Relay("environment", url, **variables)
    relay.takes(log)
    relay.sends_all()
    relay.end()
    stop()
    for about in Taken().resources:
        assert about["service.name"] == "a ä" and about["b"] == "c" and about["host.name"] == "a host", about
        assert not {"broken", "", "d"} & set(about), about
    assert {key for _, _, key, *_ in Receiver.taken} == {"v w"}
    for name in variables:
        assert re.search(rf"{name}(:| is ignored)", relay.said()), (name, relay.said())


def check_redacted(logs):
    """Items and metrics have no text of the program; items are otherwise those of the recording, but for the time of the day."""
    canary = b"Zq7Rw2Xv9Lk4Jh6T"
    secret = subprocess.check_output(["python3", "tests/support/canary_log.py", canary])
    with open(f"{WORK}/secret.eventlog", "wb") as file:
        file.write(secret)
    for log in logs + [file.name]:
        receive()
        url, stop = otlp_receiver.start()
        relay = Relay("redacted-" + os.path.basename(log), url, "--redact", "--drop", "types")
        relay.takes(log)
        relay.sends_all()
        page = relay.page().encode()
        relay.end()
        stop()
        taken, wanted = Taken(), sent(*recordings(relay))
        assert first_time(taken) > 10**18 + 10**17, "the time of the day"
        taken.move(-first_time(taken)), wanted.move(-first_time(wanted))
        assert taken.spans == wanted.spans, differ(taken.spans, wanted.spans)
        assert taken.records == wanted.records, differ(taken.records, wanted.records)
        assert taken.records and taken.metrics
        for body in [page] + [request[3] for request in Receiver.taken]:
            assert not has_canary(canary, body), (log, body)

    # While the program runs: its id is another, and what it lost stays known.
    relay = Relay("redacted-running", f"http://127.0.0.1:{relays.free_port()}", "--redact", "--drop", "messages")
    gap = b"hectic: 123 events were dropped here"
    log = eventlog.write([(1, eventlog.NONE, 30, struct.pack(">I", 0) + b"program\0"), (1, eventlog.NONE, 32, struct.pack(">II", 0, 987654)),
                          (2, 0, 16, gap), (3, 0, 16, canary)], {32: 8})
    with socket.socket(socket.AF_UNIX) as program:
        program.connect(f"{relay.folder}/socket")
        program.sendall(log[:-2])  # without the end marker
        waiting.soon(lambda: re.search(r"^hectic_events_dropped_total\{.*pid=\"1\"\} 123$", relay.page(), re.M), "a gap")
        assert "987654" not in relay.page()
    waiting.soon(lambda: relay.ended() > 0 or "ended" in relay.said(), relay.said())
    relay.kill()


def check_rate(events, rate):
    receive()
    url, stop = otlp_receiver.start()
    relay = Relay("rate", url)
    relays.finish(relays.paced(relay, events, rate))
    waiting.soon(lambda: relay.ended() == 1, relay.said())
    relay.sends_all()
    taken, _ = check_taken(relay)
    assert relay.metric("lost_items_total") == 0 and sum(taken.records.values()) + sum(taken.spans.values()) > 0
    print(f"{events} events, {rate} a second: {sum(taken.spans.values())} spans, {sum(taken.records.values())} records")
    relay.end()
    stop()


LOGS = ["tests/logs/spans.eventlog", "tests/logs/messages.eventlog", "tests/logs/demo.eventlog", "tests/logs/killed.eventlog",
        f"{WORK}/slow-flushes.eventlog", f"{WORK}/parent.eventlog", f"{WORK}/handed-over.eventlog", f"{WORK}/overlapping.eventlog", f"{WORK}/odd-texts.eventlog", f"{WORK}/without-threads.eventlog"]
check_logs(LOGS[:3] if IS_LESS else LOGS)
check_busy_receiver("tests/logs/spans.eventlog")
check_restarts("tests/logs/spans.eventlog")
check_full_spool("tests/logs/messages.eventlog")
check_refused_path("tests/logs/spans.eventlog")
check_environment("tests/logs/spans.eventlog")
check_redacted(["tests/logs/spans.eventlog", "tests/logs/messages.eventlog"])
check_rate(*((4_000, 100_000) if IS_LESS else (300_000, 100_000)))

"""made_traces.py FOLDER: writes logs that are hard to draw."""
import random, struct, sys

import eventlog
from eventlog import NONE

SIZES = {0: 4, 1: 4, 2: 10, 8: 6, 45: 2}
RUN, STOP, MESSAGE, MARKER, LABEL = 1, 2, 19, 58, 44


def message(time, cap, text):
    return time, cap, MESSAGE, text if isinstance(text, bytes) else text.encode()


def run(time, cap, thread):
    return time, cap, RUN, struct.pack(">I", thread)


def stop(time, cap, thread, status=2):
    return time, cap, STOP, struct.pack(">IHI", thread, status, 0)


def overlapping(count):
    """Each span ends while all later ones are open."""
    starts = [message(10 * i, 0, f"START {i} a") for i in range(count)]
    return [run(0, 0, 1)] + starts + [message(10 * (count + i), 0, f"STOP {i} a") for i in range(count)]


def nested_at_once():
    """Spans that begin or end at the same time."""
    events = [run(0, 0, 1)]
    for text in ("START a", "START b", "START c"):
        events.append(message(5, 0, text))
    events += [message(5, 0, "STOP c"), message(9, 0, "STOP b"), message(9, 0, "START d")]
    events += [message(9, 0, "STOP d"), message(9, 0, "STOP a"), message(9, 0, "START e"), message(12, 0, "STOP e")]
    return events


def random_spans(seed, threads):
    """Spans of threads that take turns, of which some are ended by others."""
    rng, events, time = random.Random(seed), [], 0
    for _ in range(3000):
        thread = rng.randrange(1, threads + 1)
        events.append(run(time, 0, thread))
        for _ in range(rng.randrange(6)):
            time += rng.choice((0, 0, 1, 7))
            events.append(message(time, 0, f"{rng.choice(('START', 'STOP'))} {rng.randrange(5)} {rng.choice('xyz')}"))
        events.append(stop(time, 0, thread))
        time += rng.choice((0, 1))
    return events


def odd_texts():
    texts = [b'"quoted"', b"back\\slash", b"latin \xe4\xf6", b"cut \xe2\x82", b"\x00nul", b"tab\tline\n", "naïve ☃ 🎈".encode(), b""]
    events = [run(0, 0, 1)]
    for i, text in enumerate(texts):
        time = 100 * i
        label = text.replace(b"\x00", b"")
        events += [
            (time, 0, LABEL, struct.pack(">I", 1) + text),
            message(time + 1, 0, b"START " + label + b"!"),
            message(time + 2, 0, b"about " + label),
            (time + 3, 0, MARKER, b"at " + label),
            message(time + 4, 0, b"STOP " + label + b"!"),
        ]
    return events + [stop(999, 0, 1)]


def long_labels():
    """The beginnings of two are the same."""
    labels = ["x" * 300 + last for last in "abb"]
    return [run(0, 0, 1)] + [message(10 * i + j, 0, f"{word} {label}") for i, label in enumerate(labels)
                             for j, word in enumerate(("START", "STOP"))]


def without_threads():
    """Spans of caps, and of none."""
    return [event for i in range(50) for cap in (0, 1, NONE)
            for event in (message(9 * i, cap, f"START {i % 3} q"), message(9 * i + 20, cap, f"STOP {i % 3} q"))]


def of_a_trace():
    texts = ["START a", "traceparent 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "START b", "STOP b", "STOP a"]
    return [run(0, 0, 1)] + [message(10 + i, 0, text) for i, text in enumerate(texts)]


def handed_over(count):
    """A thread that works on, while others stop its spans: two of these are open at a time."""
    events = []
    for i in range(count):
        time = 100 * i
        events += [run(time, 0, 1)] + [message(time + 1, 0, text) for text in ("START outer", "START job", "START job")]
        events += [run(time + 1, 1, 2 + i), message(time + 10, 1, "STOP job"), message(time + 20, 0, "START after one"),
                   message(time + 21, 0, "STOP after one"), message(time + 22, 0, "said after one"), message(time + 30, 1, "STOP job"),
                   stop(time + 31, 1, 2 + i), message(time + 40, 0, "START after both"), message(time + 41, 0, "STOP after both"),
                   message(time + 42, 0, "said after both"), message(time + 50, 0, "STOP outer"), message(time + 51, 0, "said outside"),
                   stop(time + 60, 0, 1)]
    return events


def slow_flushes():
    """Buffers of two caps, flushed after seconds, in the order of the log: first all of cap 0, for a part of that time one that
    was full. Its thread stops spans of the other cap's."""
    def flush(begin, end):
        steps = range(begin, end, 4_000_000)
        full = [event for i in steps for event in (run(i + 500, 0, 1), message(i + 600, 0, "STOP job"), stop(i + 700, 0, 1))]
        other = [event for i in steps for event in (run(i, 1, 2), message(i + 100, 1, "START job"), message(i + 200, 1, "started"),
                                                    stop(i + 300, 1, 2))]
        return full + [message(end - 2, NONE, "flushed")] + [message(end, 0, "flushed")] + other + [message(end, 1, "flushed")]
    second = 1_000_000_000
    return [(0, NONE, 45, b"\0\0"), (1, NONE, 45, b"\0\1")] + flush(1000, second) + flush(second + 1000, 5 * second) + \
        [message(5 * second, NONE, "flushed")]


unsorted = {"slow-flushes": slow_flushes()}
logs = {
    "long-labels": long_labels(),
    "handed-over": handed_over(3000),
    "parent": of_a_trace(),
    "overlapping": overlapping(2000),
    "at-once": nested_at_once(),
    "random-1": random_spans(1, 2),
    "random-2": random_spans(2, 8),
    "odd-texts": odd_texts(),
    "without-threads": without_threads(),
}
logs = {name: sorted(events, key=lambda event: event[0]) for name, events in logs.items()}
for name, events in (unsorted | logs).items():
    with open(f"{sys.argv[1]}/{name}.eventlog", "wb") as file:
        file.write(eventlog.write(events, SIZES))

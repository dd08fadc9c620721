"""made_events.py FOLDER: writes logs whose payloads are random: too short, too long, with any bytes."""
import random, struct, sys

import eventlog
from eventlog import NONE, VARIABLE


def random_payload(draw, most):
    size = draw.randrange(most)
    letters = draw.choice([b"ab\\\0", b"a\xc3\xa9\xe4\n\"", bytes(range(256)), b"\0\0\0\1"])
    return bytes(draw.choice(letters) for _ in range(size))


def any_events(seed, count):
    """Of all numbers that are known, and some that are not."""
    draw, events = random.Random(seed), []
    for i in range(count):
        number = draw.choice([n for n in range(260) if n != 18] + [1000, 65000])
        events.append((10 * i, draw.choice([0, 1, 7, NONE]), number, random_payload(draw, 80)))
    return eventlog.write(events, {})


def sized_events(seed, count):
    """The same, with sizes that the header declares."""
    draw = random.Random(seed)
    sizes = {n: draw.randrange(40) for n in range(60) if n != 18}
    events = []
    for i in range(count):
        number = draw.choice(list(sizes))
        payload = bytes(draw.randrange(256) for _ in range(sizes[number]))
        events.append((10 * i, draw.choice([0, 3, NONE]), number, payload))
    return eventlog.write(events, sizes)


def large_events():
    """Payloads of 65,535 bytes, which become longer."""
    texts = [b"\\" * 65535, b"\0" * 65535, b"\xff" * 65535, b"a" * 65535]
    return eventlog.write([(i, i % 2, 19, text) for i, text in enumerate(texts * 3)], {})


def many_caps(caps, count):
    events = [(i, i * 7 % caps, 1, struct.pack(">I", i)) for i in range(count)]
    return eventlog.write(events, {1: 4})


def stops():
    """Of GHC 7.8.2, whose numbers of reasons to stop are others: it has markers, and not what later ones declare."""
    events = [(i, 0, 2, struct.pack(">IHI", 1, i, 0)) for i in range(30)]
    return eventlog.write(events + [(30, 0, 58, b"a")], {2: 10})


def sections():
    """The first one has no time of the day, and its clock is at a later time; the second one has no events."""
    wall = struct.pack(">IQI", 0, 1700000000, 5)
    first = eventlog.write([(10**9, 0, 1, struct.pack(">I", 1))], {1: 4})
    third = eventlog.write([(5, NONE, 43, wall), (7, 0, 1, struct.pack(">I", 2))], {1: 4, 43: 16})
    return first + eventlog.write([], {}) + third


if __name__ == "__main__":
    made = {
        "any": any_events(1, 4000),
        "sized": sized_events(2, 2000),
        "large-texts": large_events(),
        "caps": many_caps(200, 2000),
        "many-caps": many_caps(5000, 10000),
        "stops": stops(),
        "unlike-sections": sections(),
        "no-events": eventlog.write([], {}),
    }
    for name, log in made.items():
        with open(f"{sys.argv[1]}/{name}.eventlog", "wb") as file:
            file.write(log)

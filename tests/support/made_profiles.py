"""Makes a log of profiles by hand: NAME OUT."""

import struct
import sys

STRING, COST_CENTRE = 164, 163


def event(kind, time, payload):
    return struct.pack(">HQH", kind, time, len(payload)) + payload


def fixed(kind, time, payload):
    return struct.pack(">HQ", kind, time) + payload


def text(value):
    return (value if isinstance(value, bytes) else value.encode()) + b"\0"


def log(*events):
    """A section. Negative sizes are variable."""
    sizes = {19: -1, 30: -1, 43: 16, 58: -1, 160: -1, 161: -1, 162: 8, 163: -1, 164: -1, 165: 8,
             167: -1, 168: 8, 169: -1, 181: -1}
    types = b"".join(
        b"etb\0" + struct.pack(">HhI", kind, size, 4) + b"Type" + struct.pack(">I", 0) + b"ete\0"
        for kind, size in sizes.items())
    return b"hdrbhetb" + types + b"hetehdre" + b"datb" + b"".join(events) + b"\xff\xff"


def heap_begin(breakdown, number=0, biography=""):
    selectors = b"".join(text(s) for s in ("", "", "", "", "", "", biography))
    return event(160, 0, struct.pack(">BQI", number, 1000000, breakdown) + selectors)


def sample(time, *bands, number=0, end=True):
    """Bands: (bytes, label), or (bytes, [cost centres, innermost first])."""
    result = fixed(162, time, struct.pack(">Q", 0))
    for size, label in bands:
        head = struct.pack(">BQ", number, size)
        if isinstance(label, list):
            stack = struct.pack(f">B{len(label)}I", len(label), *label)
            result += event(COST_CENTRE, time, head + stack)
        else:
            result += event(STRING, time, head + text(label))
    return result + (fixed(165, time, struct.pack(">Q", 0)) if end else b"")


def cost_centre(number, label, module="Main", place="Main.hs:1:2-3", is_caf=False):
    return event(161, 0, struct.pack(">I", number) + text(label) + text(module) + text(place) +
                 bytes([is_caf]))


def tick(time, stack, cap=0, number=1):
    return event(167, time, struct.pack(">IQB", cap, number, len(stack)) +
                 struct.pack(f">{len(stack)}I", *stack))


def ticks_begin(interval):
    return fixed(168, 0, struct.pack(">Q", interval))


def arguments(*given):
    return event(30, 0, struct.pack(">I", 0) + b"\0".join(a.encode() for a in given))


def marker(time, name):
    return event(58, time, name.encode())


def call_stack(time, stack, cap=0, thread=1):
    """A message of ghc-stack-profiler, innermost first."""
    frames = b"".join(struct.pack(">BQ", 1, frame) for frame in stack)
    return event(181, time, b"\xff\xca" + struct.pack(">IQH", cap, thread, len(stack)) + frames)


def info_table(address, label, module, place):
    texts = b"".join(text(t) for t in ("table", "0", "Type", label, module, place))
    return event(169, 0, struct.pack(">Q", address) + texts)


TYPE, STACKS, BIOGRAPHY = 4, 1, 7
HOSTILE = ["a b", "", '"quoted"', "JOB", "BEGIN_SAMPLE", "MARK", "tab\tinside", "line\nbreak",
           "\x1b[31mred", b"\xff\xfe", "semi;colon", "gr\u00f6\u00dfe", "x" * 60000, "\u00a0", "12", "1.5"]

LOGS = {
    "labels": lambda: log(
        arguments("./prog", 'say "hi"', "line\nbreak"), heap_begin(TYPE),
        sample(10, *((7 * (i + 1), label) for i, label in enumerate(HOSTILE))),
        sample(20, (5, "plain"))),
    "several": lambda: log(
        heap_begin(TYPE, 0), heap_begin(2, 1),
        sample(1000000000, (1, "type"), number=0), sample(2000000000, (2, "Module"), number=1)),
    "restarted": lambda: (
        log(heap_begin(TYPE), sample(10, (1, "first")), ticks_begin(1000), cost_centre(1, "one"),
            tick(5, [1])) +
        log(heap_begin(TYPE), sample(10, (2, "second")), ticks_begin(2000), cost_centre(1, "two"),
            tick(5, [1]), tick(6, [1]))),
    "back": lambda: log(heap_begin(TYPE), sample(30, (1, "a")), sample(20, (2, "a")),
                        sample(40, (3, "a"), (2**64 - 1, "b"), (2**63, "c")), sample(50, (4, "a"), end=False)),
    "no-times": lambda: log(heap_begin(STACKS, biography="drag,void"), cost_centre(1, "f"),
                            marker(1, "m"), sample(90, (1, [1])), sample(91, (2, [1]))),
    "stacks": lambda: log(
        arguments("./stacks"), ticks_begin(0), cost_centre(1, "semi;colon\nbreak"),
        tick(10, [1]), tick(20, []), tick(30, [2, 1], cap=1), tick(30, [2, 1], cap=70000),
        tick(40, list(range(1000, 1255))),
        cost_centre(2, "late", "Late", "src/Late.hs:(7,1)-(9,2)"),
        cost_centre(3, "GC", "GC", "<built-in>"), tick(50, [3])),
    "call-stacks": lambda: log(
        call_stack(1000, [11, 22]), call_stack(2000, [11, 22]), call_stack(4000, [22]),
        info_table(11, "inner", "Main", "Main.hs:3:4-5"), info_table(22, "outer", "Main", "Main.hs:1:1-2")),
    "both": lambda: log(
        ticks_begin(1000000), cost_centre(1, "f"), tick(1000000, [1]), tick(2000000, [1]),
        heap_begin(TYPE), sample(1500000, (10, "a")), sample(2500000, (20, "a"), (6, "b")), sample(3500000, (9, "a"))),
    "empty": lambda: log(heap_begin(TYPE), ticks_begin(1000)),
    "markers": lambda: log(marker(5, "early"), heap_begin(TYPE), sample(10, (1, "a")), marker(15, "later"), sample(20, (1, "a"))),
    "slices": lambda: log(
        ticks_begin(10), cost_centre(1, "a"), cost_centre(2, "b"), cost_centre(3, "c"),
        *(tick(100 + 10 * i, stack) for i, stack in enumerate(
            [[1], [2, 1], [1], [3, 2, 1], [3], [], [2, 1], [2, 1]]))),
}

with open(sys.argv[2], "wb") as file:
    file.write(LOGS[sys.argv[1]]())

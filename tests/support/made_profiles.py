"""Makes a log of profiles by hand: NAME OUT; or all of them: --all DIRECTORY."""

import os
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
    sizes = {0: 4, 1: 4, 2: 10, 18: 14, 19: -1, 30: -1, 43: 16, 45: 2, 58: -1, 160: -1, 161: -1, 162: 8, 163: -1, 164: -1, 165: 8, 166: 16,
             167: -1, 168: 8, 169: -1, 181: -1, 210: -1, 211: 32}
    types = b"".join(
        b"etb\0" + struct.pack(">HhI", kind, size, 4) + b"Type" + struct.pack(">I", 0) + b"ete\0"
        for kind, size in sizes.items())
    return b"hdrbhetb" + types + b"hetehdre" + b"datb" + b"".join(events) + b"\xff\xff"


def heap_begin(breakdown, number=0, biography=""):
    selectors = b"".join(text(s) for s in ("", "", "", "", "", "", biography))
    return event(160, 0, struct.pack(">BQI", number, 1000000, breakdown) + selectors)


def begin(time):
    return fixed(162, time, struct.pack(">Q", 0))


def end_of_sample(time):
    return fixed(165, time, struct.pack(">Q", 0))


def bands_of(time, *bands, number=0):
    """Bands: (bytes, label), or (bytes, [cost centres, innermost first])."""
    result = b""
    for size, label in bands:
        head = struct.pack(">BQ", number, size)
        if isinstance(label, list):
            stack = struct.pack(f">B{len(label)}I", len(label), *label)
            result += event(COST_CENTRE, time, head + stack)
        else:
            result += event(STRING, time, head + text(label))
    return result


def sample(time, *bands, number=0, end=True):
    return begin(time) + bands_of(time, *bands, number=number) + (end_of_sample(time) if end else b"")


def biography(time, *bands):
    """All such samples are written at the end of the run."""
    return fixed(166, 900, struct.pack(">QQ", 900, time)) + bands_of(900, *bands) + end_of_sample(900)


def counter(number, name, kinds="i"):
    return event(210, 0, struct.pack(">QH", number, 1) + text(kinds) + text(name))


def counted(time, number, entries, allocs, allocd):
    return fixed(211, time, struct.pack(">QQQQ", number, entries, allocs, allocd))


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
    texts = b"".join(text(t) for t in ("table", "0", label, label, module, place))
    return event(169, 0, struct.pack(">Q", address) + texts)


STACKS, TYPE, RETAINERS, BIOGRAPHIES, CLOSURE_TYPE, TABLES, ERAS = 1, 4, 5, 6, 7, 8, 9
MOST = 2**64 - 1
HOSTILE = ["a b", "", '"quoted"', "JOB", "BEGIN_SAMPLE", "MARK", "tab\tinside", "line\nbreak",
           "\x1b[31mred", b"\xff\xfe", "semi;colon", "gr\u00f6\u00dfe", "x" * 60000, "\u00a0", "12", "1.5", "\u00e9" * 200]
# What a frame's three texts have room for.
SHORT = [label[:5000] for label in HOSTILE] + [
    b"\xed\xa0\x80", b"\xc2\x9b31m", "\r\x08\x7f", "\x1b]0;title\x07", "\u202eright", "\u6f22\u5b57" * 30,
    "\\", "\\x1b", "%s%n", "(12)f,g", "0x4020", "a\u0301\u200b", "null", "MAIN", "(others)", "=1+1"]


def several(events, times):
    return b"".join(events(time) for time in times)

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
    "no-definitions": lambda: log(
        sample(10, (5, [7, 8]), (3, "x")), tick(5, [7]), tick(6, [8, 7]), counted(9, 77, 1, 2, 3)),
    "late-definitions": lambda: log(
        sample(10, (5, [1, 2])), sample(20, (6, [1, 2])), tick(30, [1, 2]), counted(30, 1, 1, 2, 3),
        heap_begin(STACKS), cost_centre(1, "inner"), cost_centre(2, "outer"), counter(1, "f"), ticks_begin(1000),
        tick(50, [1, 2])),
    "unknown-breakdown": lambda: log(
        heap_begin(4000000000), sample(10, (5, "x"), (6, "0x44"), (7, [1])), sample(20, (4, "x"))),
    "deep": lambda: log(
        heap_begin(STACKS), ticks_begin(1000), *(cost_centre(i, f"f{i}") for i in range(1, 300)),
        sample(10, (MOST, list(range(1, 256))), (5, list(range(40, 295))), (9, [3] * 255)),
        several(lambda i: tick(20 + i, list(range(i, 255 + i))), range(1, 40)), tick(70, [3] * 255)),
    "short": lambda: log(
        heap_begin(STACKS), ticks_begin(1000), begin(10), event(163, 10, struct.pack(">BQB", 0, 5, 255) + bytes(20)),
        event(164, 10, bytes(5)), event(164, 10, bytes(9)), end_of_sample(10), event(167, 10, b"\0"),
        sample(20, (7, [1])), event(167, 10, struct.pack(">IQB", 0, 1, 255) + bytes(8)), event(160, 10, bytes(5)), event(161, 0, bytes(5)),
        event(169, 0, bytes(8)), event(181, 0, b"\xff\xca"), event(210, 0, b"x")),
    "eras": lambda: log(
        heap_begin(ERAS), several(lambda t: sample(t, *((t + e % 7, str(e)) for e in (10, 9, 100, 1, 0, MOST))),
                                  (10, 20, 30))),
    "biographies": lambda: log(
        heap_begin(BIOGRAPHIES), several(lambda t: biography(t, (t, "DRAG"), (3, "VOID"), (9, "none")),
                                         (50, 40, 10, 30, 30, MOST, 0, 20))),
    "begins": lambda: log(
        heap_begin(TYPE), begin(10), sample(20, (4, "x"), end=False), sample(30, (5, "y")), sample(40, (6, "y"), end=False)),
    "ends": lambda: log(
        heap_begin(TYPE), end_of_sample(5), bands_of(7, (3, "outside")), end_of_sample(9), sample(10, (4, "x")),
        end_of_sample(11), bands_of(13, (9, "outside"))),
    "redefined": lambda: log(
        heap_begin(TYPE), sample(10, (5, "x")), heap_begin(2), sample(20, (6, "Module")), heap_begin(TYPE),
        sample(30, (7, "x")), cost_centre(1, "before"), tick(40, [1]), cost_centre(1, "after"), tick(50, [1])),
    "many-profiles": lambda: log(
        several(lambda i: heap_begin(CLOSURE_TYPE, i % 256, "x" * (i // 256)), range(400)),
        several(lambda i: sample(10 + i, (i + 1, "x"), number=i % 256), range(400))),
    "large": lambda: log(
        event(160, 0, struct.pack(">BQI", 0, MOST, TYPE)),
        several(lambda t: sample(t, (MOST, "a"), (MOST - 5, "b"), (2**63, "c"), (1, "d")),
                (0, 1, 2**62, 2**63, MOST - 1, MOST)),
        ticks_begin(MOST), several(lambda t: tick(t, [1]), (0, MOST - 1, MOST)),
        several(lambda t: counted(t, 1, MOST, MOST, MOST), (0, MOST))),
    "zero": lambda: log(
        heap_begin(TYPE), several(lambda t: sample(t, (0, "x"), (0, "y")), range(10, 300, 10)),
        ticks_begin(0), cost_centre(1, "f"), several(lambda t: tick(0, [1]), range(10)), counted(0, 1, 0, 0, 0)),
    "no-bands": lambda: log(heap_begin(TYPE), several(sample, range(10, 300, 10))),
    "equal-times": lambda: log(
        heap_begin(TYPE), several(lambda i: sample(100, (i, "x"), (5, "y")), range(30)),
        ticks_begin(1000), several(lambda i: tick(100, [1]), range(30)),
        several(lambda i: counted(100, 1, 1, 2, 3), range(30))),
    "zigzag": lambda: log(
        heap_begin(TYPE), ticks_begin(10), cost_centre(1, "f"),
        several(lambda t: sample(t, (t, "x"), (5, "y")) + tick(t, [1]) + counted(t, 1, 1, 2, 3),
                (i * 37 % 1000 for i in range(300)))),
    "kinds": lambda: log(
        ticks_begin(1000000),
        *(cost_centre(i, n, n, "<built-in>") for i, n in enumerate(
            ["SYSTEM", "GC", "OVERHEAD_of", "DONT_CARE", "PINNED", "IDLE"])),
        cost_centre(9, "GC", "GC", "GC.hs:1:1"),
        several(lambda i: tick(i * 1000000, [(0, 1, 2, 3, 4, 5, 9)[i % 7]], number=i), range(70))),
    "caps": lambda: log(
        ticks_begin(1000000), cost_centre(1, "f"),
        several(lambda i: tick(1000000 * (i // 4), [1], (0, 65535, 65536, 2**32 - 1)[i % 4], i // 4), range(40))),
    "hostile-stacks": lambda: log(
        ticks_begin(1000000), heap_begin(STACKS),
        *(cost_centre(i, SHORT[i], SHORT[i - 3], SHORT[i - 5]) for i in range(len(SHORT))),
        several(lambda t: sample(t * 1000000, *((i * t, [i, i * 7 % 32]) for i in range(len(SHORT)))), range(10, 60, 10)),
        several(lambda i: tick(i * 1000000, [i % 32, i * 7 % 32]), range(100))),
    "hostile-tables": lambda: log(
        heap_begin(TABLES), *(info_table(i, SHORT[i], SHORT[i - 3], SHORT[i - 5]) for i in range(len(SHORT))),
        several(lambda t: sample(t, *((i + t, hex(i)) for i in range(len(SHORT) + 3))), range(10, 200, 10)),
        several(lambda i: call_stack(300 + i, [i, i * 3 % 40]), range(50))),
    "hostile-retainers": lambda: log(
        event(160, 0, struct.pack(">BQI", 0, 1000, RETAINERS) + b"".join(map(text, (
            "a\tb", "\x1b[2J", b"\xff", "x", "", "y" * 3000, "")))),
        several(lambda t: sample(t, *((t, label) for label in SHORT)), range(10, 200, 10))),
    "hostile-counters": lambda: log(
        *(counter(i, SHORT[i], SHORT[i - 2]) for i in range(len(SHORT))),
        several(lambda t: b"".join(counted(t, i, i, i * t, MOST) for i in range(len(SHORT) + 2)), range(5))),
    "empty": lambda: log(heap_begin(TYPE), ticks_begin(1000)),
    "markers": lambda: log(marker(5, "early"), heap_begin(TYPE), sample(10, (1, "a")), marker(15, "later"), sample(20, (1, "a"))),
    "slices": lambda: log(
        ticks_begin(10), cost_centre(1, "a"), cost_centre(2, "b"), cost_centre(3, "c"),
        *(tick(100 + 10 * i, stack) for i, stack in enumerate(
            [[1], [2, 1], [1], [3, 2, 1], [3], [], [2, 1], [2, 1]]))),
}

if __name__ == "__main__":
    for name in LOGS if sys.argv[1] == "--all" else [sys.argv[1]]:
        path = sys.argv[2] if name == sys.argv[1] else os.path.join(sys.argv[2], name)
        with open(path, "wb") as file:
            file.write(LOGS[name]())

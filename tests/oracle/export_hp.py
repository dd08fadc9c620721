"""Compares two .hp files of one run, of GHC and of the log: FILE FILE FLAG...
--retime FILE FILE prints ours with GHC's times. --order ORDER ORDER FILE compares two orders of bands.

Stacks and sets of retainers have numbers before their labels, which differ between both files; those
of sets differ from sample to sample. MANY, a set that has become too large, is only in GHC's file."""

import re
import sys


def read(path):
    """The first four lines, and the samples: (time, {label: bytes})."""
    samples = []
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    for line in lines:
        if line.startswith(b"BEGIN_SAMPLE "):
            samples.append((float(line.split()[1]), {}))
        elif b"\t" in line:
            label, size = line.rsplit(b"\t", 1)
            label = re.sub(rb"^\(\d+\)", b"", label).replace(b" ", b"_")
            bands = samples[-1][1]
            bands[label] = bands.get(label, 0) + int(size)
    return lines[:4], samples


def compare(theirs, ours, *flags):
    head, expected = read(theirs)
    own_head, found = read(ours)
    numbered = any(flag.startswith("-hb") for flag in flags[1:])
    # Without profiling, GHC writes the program's name only.
    assert own_head[0].startswith(head[0][:-1] if "plain" in theirs else head[0]), own_head
    assert own_head[1].startswith(b'DATE "') and own_head[1] != b'DATE "unknown"', own_head
    assert own_head[2:] == [b'SAMPLE_UNIT "samples"' if numbered else head[2], head[3]], own_head
    if numbered:  # which are not framed by empty ones
        expected = expected[1:-1]
    for _, bands in expected:
        bands.pop(b"MANY", None)
    assert len(expected) == len(found), f"{len(found)} samples, not {len(expected)}"
    times = [time for time, _ in found]
    assert times == sorted(times) and len(set(times[1:-1])) == len(times[1:-1]), times
    for number, ((_, bands), (_, own)) in enumerate(zip(expected, found)):
        for label in sorted(bands.keys() | own.keys()):
            assert bands.get(label) == own.get(label), (
                f"sample {number}: {label!r}: {own.get(label)}, not {bands.get(label)}")
    if len(expected) < 3:
        print("few samples:", len(expected), *flags)


def retime(theirs, ours):
    """Prints our file with the times of GHC's: their bands have the same areas."""
    with open(theirs, "rb") as file:
        times = [line for line in file.read().split(b"\n") if b"_SAMPLE " in line]
    with open(ours, "rb") as file:
        for line in file.read().splitlines():
            sys.stdout.buffer.write((times.pop(0) if b"_SAMPLE " in line else line) + b"\n")


def areas(profile):
    """Of each band of an .hp file, without the numbers of stacks."""
    found, (before, last) = {}, (0.0, {})
    for time, bands in read(profile)[1]:
        for label in last.keys() | bands.keys():
            area = (time - before) * (last.get(label, 0) + bands.get(label, 0)) / 2
            found[label] = found.get(label, 0) + area
        before, last = time, bands
    return found


def compare_orders(theirs, ours, profile):
    """Of the bands that hp2ps draws in both: it omits those of less than 1 %. Bands of the same area have no
    order."""
    orders = []
    for path in theirs, ours:
        with open(path, "rb") as file:
            orders.append([line for line in file.read().splitlines() if line != b"MANY"])
    common = [[band for band in order if band in orders[1 - i]] for i, order in enumerate(orders)]
    assert common[0] or not orders[0], orders
    area = areas(profile)
    for one, other in zip(*common):
        assert one == other or abs(area[one] - area[other]) <= 1e-9 * area[one], (one, other, common)


if sys.argv[1] == "--retime":
    retime(*sys.argv[2:])
elif sys.argv[1] == "--order":
    compare_orders(*sys.argv[2:])
else:
    compare(*sys.argv[1:])

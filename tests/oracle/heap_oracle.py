"""Compares the samples of pairs of .hp files: LIST has a line "NUMBER PROGRAM FLAG..." for each run, of
which NUMBER.hp beside it is GHC's file, and NUMBER.log has the samples of the log.

GHC writes an empty sample first and last. It prints the number of a cost-centre stack or a set of
retainers before its label: the log does not have the former, and the latter differs from sample to
sample. A set of retainers that has become too large is MANY, which only GHC's file has.

With --merged FILE FILE...: the first file has the samples of all others, in any order."""

import collections
import os
import re
import sys


def samples_of(path):
    samples = []
    with open(path, "rb") as file:
        for line in file.read().split(b"\n"):
            if line.startswith(b"BEGIN_SAMPLE "):
                samples.append({})
            elif b"\t" in line:
                label, size = line.rsplit(b"\t", 1)
                samples[-1][label] = samples[-1].get(label, 0) + int(size)
    return samples


def joined(sample, is_retainer):
    """Labels without numbers; those that are equal then are summed."""
    result = {}
    for label, size in sample.items():
        if is_retainer and label == b"MANY":
            continue
        label = re.sub(rb"^\(\d+\)", b"", label)
        result[label] = result.get(label, 0) + size
    return result


def difference(expected, found, flags):
    is_retainer = "-hr" in flags
    has_numbers = is_retainer or "-hc" in flags
    expected, found = samples_of(expected), samples_of(found)
    if expected[0] or expected[-1]:
        return "the first and the last sample of the .hp file are not empty", 0
    expected = expected[1:-1]
    if has_numbers:
        expected = [joined(sample, is_retainer) for sample in expected]
    if len(expected) != len(found):
        return f"{len(found)} samples, not {len(expected)}", 0
    for number, (one, other) in enumerate(zip(expected, found)):
        for label in sorted(one.keys() | other.keys()):
            if one.get(label) != other.get(label):
                wrong = f"sample {number}: {label!r} is {other.get(label)}, not {one.get(label)}"
                return wrong, 0
    return None, len(found)


def main(path):
    with open(path, encoding="utf-8") as runs:
        runs = [line.split() for line in runs]
    counts, differ = [], False
    for number, *run in runs:
        base = f"{os.path.dirname(path)}/{number}"
        wrong, samples = difference(base + ".hp", base + ".log", run[1:])
        counts.append(samples)
        if wrong:
            differ = True
            print(*run, wrong)
        elif samples < 2:
            print(*run, samples, "samples")
    print(f"compared {sum(counts)} samples of {len(runs)} runs")
    return differ or sum(counts) < 500


def compare_merged(merged, *parts):
    def count(paths):
        samples = (sample for path in paths for sample in samples_of(path))
        return collections.Counter(tuple(sorted(sample.items())) for sample in samples)

    found, expected = count([merged]), count(parts)
    missing, more = expected - found, found - expected
    if missing or more or not found:
        return f"{merged}: {sum(missing.values())} samples are missing, {sum(more.values())} wrong"
    return None


if sys.argv[1] == "--merged":
    sys.exit(compare_merged(*sys.argv[2:]))
sys.exit(main(*sys.argv[1:]))

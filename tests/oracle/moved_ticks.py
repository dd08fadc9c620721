"""Compares ticks of a log with those of GHC's report of the same run.

At a tick, GHC reads the present stack twice: once for the report, and once for the log
(handleProfTick). If the program enters another cost centre in between, the two differ by this tick. So
the sums have to be equal; if only some ticks have moved, the exit code is 2."""

import sys

moved = []  # of the comparisons in which ticks have moved: the arguments of fail


def most_moved(ticks):
    """Of moved ticks, each counted twice, in a program whose cost centres change within nanoseconds."""
    return 8 + ticks * 0.5


def fail(what, ours, theirs, code=1):
    print(f"{what}: hectic has {ours}, GHC's report has {theirs}")
    sys.exit(code)


def equal(what, ours, theirs):
    if ours != theirs:
        fail(what, ours, theirs)


def equal_but_moved(what, ours, theirs, most):
    differ = [key for key in set(ours) | set(theirs) if ours.get(key, 0) != theirs.get(key, 0)]
    if differ:
        count = sum(abs(ours.get(key, 0) - theirs.get(key, 0)) for key in differ)
        key = min(differ)
        of_one = f"{what}: {key}: {count} ticks differ", ours.get(key, 0), theirs.get(key, 0)
        if count > most:
            fail(*of_one)
        moved.append(of_one)


def end():
    if moved:
        fail(*moved[0], code=2)

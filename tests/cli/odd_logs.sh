#!/usr/bin/env bash
# Logs that are sound but unusual: each event is shown in its place.
. tests/support/lib.bash

lines_are() { # LINE…: the events of the output
    grep . "$work/out" >"$work/lines" || true
    printf '%s\n' "$@" | cmp - "$work/lines" || fail "printed: $(cat "$work/lines")"
}

# Times that decrease, within a block and between blocks.
{
    log_header 18 14 1 4
    block 50 28 90 0
    run_thread 90 1
    run_thread 60 2
    block 10 28 70 1
    run_thread 70 3
    run_thread 10 4
    be 2 65535
} >"$work/back"
gives 0 show --no-header --event RUN_THREAD "$work/back"
lines_are "10: cap 1: running thread 4" "60: cap 0: running thread 2" \
    "70: cap 1: running thread 3" "90: cap 0: running thread 1"
gives 0 inc --event RUN_THREAD "$work/back"
lines_are "90: cap 0: running thread 1" "60: cap 0: running thread 2" \
    "70: cap 1: running thread 3" "10: cap 1: running thread 4"

# A payload that is longer than the file.
{
    log_header 1 4 19 65535
    run_thread 5 1
    be 2 19
    be 8 6
    be 2 60000
    printf short
} >"$work/long-payload"
for verb in "show --no-header" inc; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 $verb --verbose "$work/long-payload"
    lines_are "5: running thread 1"
    says "skipped 17 bytes of an unfinished event"
done

# A message in a slot of fixed size without a terminator, and an event shorter than its type's
# smallest shape.
{
    log_header 19 3 1 2
    be 2 19
    be 8 5
    printf abc
    be 2 1
    be 8 6
    be 2 7
} >"$work/slots"
for verb in "show --no-header" inc "show --json"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 $verb "$work/slots"
    [[ $(grep -c . "$work/out") == 2 ]] || fail "$verb does not show both events"
done

# Events of the maximum number of caps.
{
    log_header 18 14 1 4
    for ((cap = 0; cap < 65535; cap += 13)); do
        block "$cap" 14 "$cap" "$cap"
        run_thread "$cap" 1
    done
    block 65534 14 65534 65534
    run_thread 65534 1
    be 2 65535
} >"$work/caps"
for verb in "show --no-header" inc "show caps --no-header" "show threads --no-header"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 $verb "$work/caps"
    grep -q "65533: cap 65533: running thread 1" "$work/out" || [[ $verb == "show threads"* ]] ||
        grep -q "65534: cap 65534: running thread 1" "$work/out" || fail "$verb: the last is missing"
done
gives 0 show --no-header --cap 65534 --event RUN_THREAD "$work/caps"
lines_are "65534: cap 65534: running thread 1"

# What a log that was cut lacks may be lost: no option is named that would record it.
head -c 3500 "$logs/time-profile.eventlog" >"$work/cut"
for verb in prof heap "heap --nonmoving" ticky tasks spans "export --format folded -o -"; do
    # shellcheck disable=SC2086 # words are meant
    gives 1 $verb "$work/cut"
    says "; it was cut, and may have lost them"
done
gives 0 info "$work/cut"
grep -q "^Log .* events in 1 block$" "$work/out" || fail "blocks: $(<"$work/out")"
# The times of a log are those that options take.
gives 1 gc --from 1h "$logs/demo.eventlog"
says "the interval is outside the log, which lasts from 0."

#!/usr/bin/env bash
# Logs cut at random places are judged up to the time until which all of their caps are in them.
. tests/support/lib.bash
needs python3
oracle=$PWD/tests/oracle/coverage.py
"$HECTIC" gen --caps 3 --size 3M --seed 19 -o "$work/three.eventlog"
"$HECTIC" gen --caps 8 --size 2M --seed 20 -o "$work/eight.eventlog"
python3 "$oracle" "$HECTIC" "$work"/{three,eight}.eventlog $logs/{demo,threads,sparks,spans,heap-nonmoving}.eventlog

# A log with no block of a cap: its numbers are unknown, and it is not said what was not recorded.
head -c 5000 $logs/threads.eventlog >"$work/cut.eventlog"
gives 0 info "$work/cut.eventlog"
grep -q "There is no verdict: the log was cut" "$work/out" || fail "a verdict: $(cat "$work/out")"
gives 0 stat --json "$work/cut.eventlog"
[[ $(jq -c '[.time.gc_ns, .time.mutator_ns, .time.exit_ns]' "$work/out") == "[null,null,null]" ]] ||
    fail "times: $(cat "$work/out")"
size=$(grep -abo datb $logs/threads.eventlog | head -1 | cut -d: -f1)
head -c $((size + 4)) $logs/threads.eventlog >"$work/header.eventlog"
gives 0 info "$work/header.eventlog"
grep -q "What is not recorded is unknown" "$work/out" || fail "$(cat "$work/out")"
! grep -q "RTS -ls" "$work/out" || fail "it advises flags: $(cat "$work/out")"

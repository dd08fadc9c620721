#!/usr/bin/env bash
# Logs cut at random places are judged up to the time until which all of their caps are in them.
. tests/support/lib.bash
needs python3
oracle=$PWD/tests/oracle/coverage.py
"$HECTIC" gen --caps 3 --size 3M --seed 19 -o "$work/three.eventlog"
"$HECTIC" gen --caps 8 --size 2M --seed 20 -o "$work/eight.eventlog"
python3 "$oracle" "$HECTIC" "$HECTIC_BUILD/view_answers" "$work"/{three,eight}.eventlog $logs/{demo,threads,sparks,spans,heap-nonmoving}.eventlog

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

# A repaired log is cut short as before, and counts the same.
for size in 0.3 0.6 0.9; do
    for log in "$work"/{three,eight}.eventlog $logs/threads.eventlog; do
        head -c "$(awk -v size="$(wc -c <"$log")" "BEGIN { print int($size * size) }")" "$log" >"$work/cut.eventlog"
        gives 0 check --repair --force "$work/cut.eventlog" "$work/repaired.eventlog"
        for verb in stat threads gc; do
            for of in cut repaired; do
                code=0
                "$HECTIC" $verb --json "$work/$of.eventlog" >"$work/$of.json" 2>"$work/$of.err" || code=$?
                echo "exit code $code" >>"$work/$of.json"
            done
            cmp "$work/cut.json" "$work/repaired.json" || fail "$verb counts otherwise after a repair of $size of $log"
        done
    done
done

# A merged log covers what all its logs cover; one that has ended has no more events.
"$HECTIC" gen --caps 2 --size 30k --seed 21 -o "$work/short.eventlog"
head -c 2M "$work/three.eventlog" >"$work/cut.eventlog"
until_of() {
    "$HECTIC" info --json "$1" | jq -c .covered_to_ns
}
"$HECTIC" merge --force --align none -o "$work/merged.eventlog" "$work/short.eventlog" "$work/cut.eventlog"
merged=$(until_of "$work/merged.eventlog") short=$(until_of "$work/short.eventlog") cut=$(until_of "$work/cut.eventlog")
((short < merged && merged <= cut && merged > cut * 9 / 10)) || fail "covered: $merged of $cut (the other: $short)"

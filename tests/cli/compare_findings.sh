#!/usr/bin/env bash
# compare: findings of the verdict that came and went; one that is unknown on a side has done neither.
. tests/support/lib.bash
needs python3
HECTIC=$(realpath "$HECTIC") logs=$PWD/$logs
cd "$work"

# findings NAME VALUE…: a baseline of as many runs; N/A: it is not known.
findings() {
    local name=$1 value
    shift
    {
        for value; do
            printf 'run\t1\t-\ta.eventlog\nns\t5000000\ttime.total_ns\n'
            [[ $value == N/A ]] || printf 'count\t%s\tfinding("gc_time").count\n' "$value"
        done
    } | baseline >"$name.hectic"
}
changed() { # OLD NEW WANTED: the members "findings", as id change new_found/new_runs old_found/old_runs
    gives 0 compare --json "$1" "$2"
    python3 - >found <<'END'
import json
for row in json.load(open("out"))["findings"]:
    print("{id} {change} {new_found}/{new_runs} {old_found}/{old_runs}".format(**row))
END
    [[ $(<found) == "$3" ]] || fail "$1 and $2: $(<found), not $3"
}
findings none 0 0 0 0 0 0 0 0
findings all 1 1 1 1 1 1 1 1
findings half 0 1 0 1
findings some 0 0 1 1 1 N/A N/A
findings unknown N/A N/A

changed none.hectic all.hectic "gc_time came 8/8 0/8"
changed all.hectic none.hectic "gc_time went 0/8 8/8"
changed none.hectic some.hectic "gc_time came 3/5 0/8"
for pair in "none none" "all all" "none half" "half all" "unknown all" "all unknown"; do
    changed "${pair% *}.hectic" "${pair#* }.hectic" ""
done
gives 0 compare none.hectic all.hectic
prints "Findings that came: gc_time (in 8 of 8 new runs, 0 of 8 old)."
gives 0 compare --markdown all.hectic none.hectic
prints "- Findings that went: gc_time (in 0 of 8 new runs, 8 of 8 old)."
gives 0 compare unknown.hectic all.hectic
! grep -q Findings out || fail "what is unknown has come: $(<out)"

# Of logs, and of their baselines: heap-compacting has one finding, threads another one.
one=$logs/heap-compacting.eventlog
gives 0 compare --save one.hectic "$one"
for old in "$one" one.hectic; do
    changed "$old" "$logs/threads.eventlog" $'allocation_area went 0/1 1/1\nidle came 1/1 0/1'
done
# The verdict of a log that is too short, or was cut too early, is unknown.
for log in tiny killed; do
    changed "$logs/$log.eventlog" "$logs/demo.eventlog" ""
    changed "$logs/demo.eventlog" "$logs/$log.eventlog" ""
done

# As conditions.
gives 0 require 'finding("idle").count == 0' 'finding("allocation_area").count = 1' "$one"
gives 3 require 'finding("idle").count == 0' "$logs/threads.eventlog"
gives 2 require 'finding("idle").count == 0' "$logs/tiny.eventlog"
gives 2 require 'finding("thunks").count == 0' "$logs/demo.eventlog"
prints 'unknown    finding("thunks").count == 0: N/A (the rule needs a whole log that has what it measures)'
gives 64 compare --require 'finding("thunk").count == 0' none.hectic all.hectic
says "did you mean thunks?"
gives 3 compare --require 'finding("gc_time").count == 0' none.hectic all.hectic
gives 0 compare --require 'finding("gc_time").count == 0' all.hectic none.hectic

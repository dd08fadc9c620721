#!/usr/bin/env bash
# gc: the collections of a log, with their pauses and sizes.
. tests/support/verb.bash
log=$logs/heap-generations.eventlog
behaves gc "$log"
agrees gc "$log" "$logs"/{threads,demo,heap-compacting,sparks-sampled}.eventlog
limits gc pause_ns "$log"
limits gc copied_bytes "$log"

# hectic stat has their number; halves of the time add up.
number() { # OPTION…
    "$HECTIC" gc --csv "$@" "$log" | tail -n +2 | wc -l
}
collections=$("$HECTIC" stat --jsonl "$log" | python3 -c 'import json, sys
print(sum(generation["collections"] for generation in json.load(sys.stdin)["gc"]["generations"]))')
[[ $(number) == "$collections" && $collections -gt 100 ]] || fail "$(number) collections, not $collections"
from=$("$HECTIC" gc --csv --sort -start "$log" | sed -n 50p | cut -d, -f2)
[[ $(number --to "${from}ns") -gt 0 && $(($(number --to "${from}ns") + $(number --from "${from}ns"))) == $(number) ]] ||
    fail "halves do not add up"

# A log without collections is not an error of the log, and says so.
gives 1 gc "$logs/tiny-nothing.eventlog"
says "the log has no events of"

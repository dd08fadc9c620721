#!/usr/bin/env bash
# A late reader gets the live state, and does not count it as events.
. tests/support/lib.bash

# part FILE TIME: what a reader gets that connects at that time.
part() {
    "$HECTIC" cut --force --from "$2" -o "$work/part" "$1"
}

# agrees VERB FILE TIME PATTERN: except for matching lines, the output for the part is that for the interval.
agrees() {
    "$HECTIC" "$1" --json --from "$3" "$2" | tr ',' '\n' | sed -E "/$4/d" >"$work/wanted"
    "$HECTIC" "$1" --json --from "$3" "$work/part" | tr ',' '\n' | sed -E "/$4/d" >"$work/found"
    [[ -s $work/wanted ]] || fail "no output"
    diff "$work/wanted" "$work/found" || fail "$1 --from $3 $2"
}

for log in "demo 2249814ns" "messages 1ms" "spans 1459586ns"; do
    read -r name time <<<"$log"
    part "$logs/$name.eventlog" "$time"
    for verb in stat threads tasks; do
        agrees $verb "$logs/$name.eventlog" "$time" '"(created|born)_ns"'
    done
done

# Counters of sparks continue from their values.
part "$logs/sparks.eventlog" 1851378ns
agrees sparks "$logs/sparks.eventlog" 1851378ns '"(pool_max|wait_ns|lost|converted|stolen|mean_ns|max_ns|.*_ns)"'

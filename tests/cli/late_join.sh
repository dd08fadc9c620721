#!/usr/bin/env bash
# Who reads from the middle on is told what holds there, and counts none of it as having happened.
. tests/support/lib.bash

# part FILE TIME: what a reader gets who comes at that time.
part() {
    "$HECTIC" cut --from "$2" -o "$work/part" "$1"
}

# agrees VERB FILE TIME PATTERN: but for lines that match, the part is told of as that interval is.
agrees() {
    "$HECTIC" "$1" --json --from "$3" "$2" | tr ',' '\n' | sed -E "/$4/d" >"$work/wanted"
    "$HECTIC" "$1" --json --from "$3" "$work/part" | tr ',' '\n' | sed -E "/$4/d" >"$work/found"
    [[ -s $work/wanted ]] || fail "nothing is told"
    diff "$work/wanted" "$work/found" || fail "$1 --from $3 $2"
}

for log in "demo 2249814" "messages 1000000" "spans 1459586"; do
    read -r name time <<<"$log"
    part "$logs/$name.eventlog" "$time"
    for verb in stat threads tasks; do
        agrees $verb "$logs/$name.eventlog" "$time" '"(created|born)_ns"'
    done
done

# Counters of sparks go on from what they were.
part "$logs/sparks.eventlog" 1851378
agrees sparks "$logs/sparks.eventlog" 1851378 '"(pool_max|wait_ns|lost|converted|stolen|mean_ns|max_ns|.*_ns)"'

#!/usr/bin/env bash
# show threads and show caps of a log that does not fit in memory: no line is lost or out of order.
. tests/support/lib.bash

# One long section: the events of a log repeated after one header.
log=$logs/demo.eventlog
header=$(($(grep -abo datb "$log" | head -1 | cut -d: -f1) + 4))
tail -c +$((header + 1)) "$log" | head -c -2 >"$work/events"
{
    head -c "$header" "$log"
    for _ in $(seq 300); do cat "$work/events"; done
    printf '\377\377'
} >"$work/long"

"$HECTIC" show --no-header "$work/long" | grep . >"$work/all"
mkdir "$work/temporary"
TMPDIR=$work/temporary "$HECTIC" show caps --no-header "$work/long" >"$work/caps"
[[ -z $(ls -A "$work/temporary") ]] || fail "a temporary file is left behind"

{
    grep -v '^[0-9]*: cap ' "$work/all"
    sed -n 's/^[0-9]*: cap \([0-9]*\): .*/\1/p' "$work/all" | sort -nu | while read -r cap; do
        grep "^[0-9]*: cap $cap: " "$work/all"
    done
} | sed 's/^/  /' >"$work/expected"
grep '^  ' "$work/caps" | cmp - "$work/expected" || fail "lines are lost or out of order"
[[ $(grep -v '^  ' "$work/caps" | grep . | sort -u | wc -l) == \
$(grep -v '^  ' "$work/caps" | grep -c .) ]] || fail "a cap has two headings"

[[ $(TMPDIR=$work/nowhere "$HECTIC" show caps "$work/long" 2>&1 >/dev/null) == *"TMPDIR"* ]] ||
    fail "no message about the missing temporary directory"

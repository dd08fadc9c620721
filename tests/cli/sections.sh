#!/usr/bin/env bash
# All verbs number the sections of a restarted log from 1. In an interval they omit sections without
# events.
. tests/support/lib.bash

answers=(threads spans sparks tasks gc "stat --every 1ms" "profile threads" "simulate threads")

# sections ARGUMENT…: the sections in the rows of a table.
sections() {
    "$HECTIC" "$@" --csv 2>/dev/null | tr -d '\r' | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "section") column = i; next }
        { print column ? $column : "none" }' | sort -u | tr '\n' ' '
}

cat "$logs/sparks.eventlog" "$logs/sparks.eventlog" >"$work/two"
for answer in "${answers[@]}"; do
    # shellcheck disable=SC2086 # words are meant
    [[ $answer == spans || $(sections $answer "$work/two") == "1 2 " ]] ||
        fail "$answer: sections $(sections $answer "$work/two")"
    # shellcheck disable=SC2086
    [[ $answer == spans || $(sections $answer "$logs/sparks.eventlog") == "1 " ]] ||
        fail "$answer: section $(sections $answer "$logs/sparks.eventlog")"
    # Text has the column only if there are several sections.
    # shellcheck disable=SC2086
    "$HECTIC" $answer "$logs/tiny.eventlog" >"$work/out" 2>/dev/null || true
    ! grep -q Section "$work/out" || fail "$answer: a column for a single section"
done
cat "$logs/spans.eventlog" "$logs/spans.eventlog" >"$work/spoken"
[[ $(sections spans "$work/spoken") == "1 2 " ]] || fail "spans: $(sections spans "$work/spoken")"
gives 0 stat --jsonl "$work/two"
[[ $(grep -o '^{"section":[0-9]*' "$work/out" | tr '\n' ' ') == '{"section":1 {"section":2 ' ]] ||
    fail "stat --jsonl: sections"
gives 0 stat --jsonl "$logs/sparks.eventlog"
grep -q '^{"section":1,' "$work/out" || fail "stat --jsonl: one section"

# The results for a section are those of a log that consists of it.
for answer in sparks tasks gc "threads" "stat --every 1ms"; do
    # shellcheck disable=SC2086
    "$HECTIC" $answer --csv "$logs/sparks.eventlog" | tail -n +2 >"$work/once"
    # shellcheck disable=SC2086
    "$HECTIC" $answer --csv "$work/two" >"$work/twice"
    grep '^1,' "$work/twice" | cmp - "$work/once" || fail "$answer: section 1"
    grep '^2,' "$work/twice" | sed 's/^2,/1,/' | cmp - "$work/once" || fail "$answer: section 2"
done

# Sections at different times.
section() { # TIME
    log_header 18 14 1 4 2 10 9 0 10 0 19 65535
    block "$1" 100 $(($1 + 60)) 0
    run_thread "$1" 7
    for _ in START STOP; do
        be 2 19 && be 8 $(($1 + 20)) && be 2 7 && printf '%-7s' "START x"
        set -- $(($1 + 10))
    done
    be 2 9 && be 8 $(($1 + 30))
    be 2 10 && be 8 $(($1 + 40))
    be 2 2 && be 8 $(($1 + 40)) && be 4 7 && be 2 3 && be 4 0
    printf '\xff\xff'
}
{
    section 1000
    section 9000000
} >"$work/apart"
for answer in threads spans gc "stat --every 1ms" "stat --window x" stat; do
    for interval in "--to 1ms" "--from 1ms"; do
        wanted=$([[ $interval == "--to 1ms" ]] && echo "1 " || echo "2 ")
        # shellcheck disable=SC2086
        [[ $(sections $answer $interval "$work/apart") == "$wanted" ]] ||
            fail "$answer $interval: sections $(sections $answer $interval "$work/apart")"
    done
    # shellcheck disable=SC2086
    "$HECTIC" $answer --from 2ms --to 3ms --csv "$work/apart" >"$work/out" 2>/dev/null || true
    [[ $(wc -l <"$work/out") == 1 ]] || fail "$answer: rows between the sections"
done
gives 0 stat --to 1ms "$work/apart"
prints "Section 1"
! grep -q "Section 2" "$work/out" || fail "stat: a section outside the interval"
gives 0 stat --jsonl --from 1ms "$work/apart"
[[ $(wc -l <"$work/out") == 1 ]] || fail "stat --jsonl: a section outside the interval"

#!/usr/bin/env bash
# --header and --no-header. Without them, show prints the table of event types only into a pipe or a
# file, and only without filters.
. tests/support/lib.bash
log=$logs/tiny.eventlog

gives 0 show --no-header "$log"
events <"$logs/tiny.show" | cmp - "$work/out" || fail "show --no-header"
gives 0 show --header "$log"
same "$work/out" "$logs/tiny.show"
"$HECTIC" inc "$log" >"$work/inc"
gives 0 inc --header "$log"
prints "Event Types:"
sed '1,/^Events:$/d' "$work/out" | cmp - "$work/inc" || fail "inc --header"

gives 0 show "$log"
same "$work/out" "$logs/tiny.show"
gives 0 show -o "$work/file" "$log"
same "$work/file" "$logs/tiny.show"
for filter in "--limit 1000" "--from 1ns" "--cap 0" "--event scheduler"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 show $filter "$log"
    ! grep -q "^Event" "$work/out" || fail "a table with $filter"
    [[ -s $work/out ]] || fail "no events with $filter"
    # shellcheck disable=SC2086
    gives 0 show --header $filter "$log"
    prints "Event Types:"
done
gives 0 show --color always "$log"
! grep -q "^Event" "$work/out" || fail "a table with colors"
command -v script >/dev/null || exit 0
script -qec "'$HECTIC' show '$log'" /dev/null </dev/null >"$work/out"
! grep -q "^Event" "$work/out" || fail "a table on a terminal"
grep -q "creating thread" "$work/out" || fail "no events on a terminal"
script -qec "'$HECTIC' show --header '$log'" /dev/null </dev/null >"$work/out"
grep -q "^Event Types:" "$work/out" || fail "no table on a terminal with --header"

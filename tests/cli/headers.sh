#!/usr/bin/env bash
# --header and --no-header.
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

#!/usr/bin/env bash
# show: all events in order of time; options choose among them. (Each line is that of ghc-events: golden.sh.)
. tests/support/verb.bash
log=$logs/demo.eventlog
behaves show "$log"
agrees show "$log" "$logs"/{threads,messages,heap-profile-c,every-event}.eventlog

lines() { # OPTION…: of the log
    "$HECTIC" show --json "$@" "$log"
}
lines >"$work/all"
part() { # AWK-CONDITION OPTION…: the lines for which it holds, by NR, time and text
    awk -F"[:,]" "{ time = \$2 } $1" "$work/all" >"$work/wanted"
    [[ -s $work/wanted ]] || fail "$1: nothing"
    lines "${@:2}" >"$work/found"
    same "$work/found" "$work/wanted"
}
part 'time >= 2000000' --from 2ms
part 'time < 2000000' --to 2ms
part 'time >= 2000000 && time < 3000000' --from 2ms --to 3ms
part '/"cap":1,/' --cap 1
part '/"cap":null,/' --cap none
part '/"event":"GC_START"/' --event GC_START
part '/"event":"TASK_(CREATE|MIGRATE|DELETE)"/' --event task
part 'NR <= 17' --limit 17
part '/"event":"RUN_THREAD"/ && time < 3000000' --event RUN_THREAD --to 3ms
"$HECTIC" show --no-header "$log" | grep -c ': running thread 6$' >"$work/wanted"
"$HECTIC" show --no-header --thread 6 --event RUN_THREAD "$log" | grep -c ': running thread 6$' >"$work/found"
same "$work/found" "$work/wanted"
"$HECTIC" show --no-header "$log" | grep 'blocked on an MVar' >"$work/wanted"
"$HECTIC" show --no-header --match 'blocked on an MVar' "$log" | grep . >"$work/found"
same "$work/found" "$work/wanted"

# By caps, each line is there once.
"$HECTIC" show caps --no-header "$log" | sed -n 's/^  //p' | sort >"$work/found"
"$HECTIC" show --no-header "$log" | grep . | sort >"$work/wanted"
same "$work/found" "$work/wanted"

gives 64 show --event NONSENSE "$log"
says "NONSENSE"
gives 64 show --match '(' "$log"
gives 64 show --cap x "$log"
gives 64 show --from 3ms --to 2ms "$log"
gives 64 show nonsense "$log"

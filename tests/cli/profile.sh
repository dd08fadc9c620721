#!/usr/bin/env bash
# profile: the time that each thread spent in each state is the sum of the states of simulate.
. tests/support/verb.bash
log=$logs/threads.eventlog
behaves profile "$log" "$logs/threads-one-cap.eventlog"
agrees profile "$log" "$logs"/{threads-one-cap,demo,spans,sparks}.eventlog
limits profile running_ns "$log"

# A thread runs as long as hectic threads says.
"$HECTIC" profile --csv "$log" | awk -F, 'NR > 1 { print $1, $7, $8 }' | sort >"$work/found"
"$HECTIC" threads --csv "$log" | awk -F, 'NR > 1 { print $2, $8, $20 }' | sort >"$work/wanted"
same "$work/found" "$work/wanted"
gives 0 profile --csv sparks "$logs/sparks.eventlog"
[[ $(tail -n +2 "$work/out" | wc -l) == $("$HECTIC" show --event CREATE_SPARK_THREAD "$logs/sparks.eventlog" | grep -c 'creating spark thread') ]] ||
    fail "other threads that evaluate sparks"

#!/usr/bin/env bash
# hectic stat of live sources: it prints the report when the log ends.
. tests/support/lib.bash
log=$logs/demo.eventlog
"$HECTIC" stat "$log" >"$work/wanted"

mkfifo "$work/fifo"
cat "$log" >"$work/fifo" &
gives 0 stat "fifo:$work/fifo"
says "waiting for a program to write"
same "$work/out" "$work/wanted"
wait

# stdin may pause within the log.
size=$(wc -c <"$log") half=$((size / 2))
{
    head -c $half "$log"
    soon is_drained 1
    tail -c +$((half + 1)) "$log"
} | "$HECTIC" stat - >"$work/out" 2>/dev/null
same "$work/out" "$work/wanted"

gives 2 stat - </dev/null
says "the input is empty"
gives 2 stat - <README.md
says "not an eventlog"
gives 64 stat --live "$log"
gives 64 stat tcp:nowhere

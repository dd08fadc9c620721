#!/usr/bin/env bash
# hectic stat of programs that run: the report at the end of their log, and with --live meanwhile.
. tests/cli/lib.bash
log=$logs/demo.eventlog
"$HECTIC" stat "$log" >"$work/wanted"

mkfifo "$work/fifo"
cat "$log" >"$work/fifo" &
gives 0 stat "fifo:$work/fifo"
says "waiting for a program to write"
same "$work/out" "$work/wanted"
wait

gives 0 stat -q --live "$log"
same "$work/out" "$work/wanted"
[[ ! -s $work/err ]] || fail "--quiet: $(cat "$work/err")"

# A report of what has come, and one of all.
half=$(($(wc -c <"$log") / 2))
{
    head -c $half "$log"
    sleep 1.3
    head -c $((half + 20)) "$log" | tail -c 20
    sleep 0.2
    tail -c +$((half + 21)) "$log"
} | "$HECTIC" stat --live - >"$work/out" 2>/dev/null
(($(grep -c "allocated in the heap" "$work/out") == 2)) || fail "reports: $(cat "$work/out")"
tail -n "$(wc -l <"$work/wanted")" "$work/out" >"$work/last"
same "$work/last" "$work/wanted"

# Through the same file written anew, up to its end marker.
head -c $half "$log" >"$work/growing"
"$HECTIC" stat --live "$work/growing" >"$work/out" 2>"$work/err" &
child=$!
sleep 0.5
tail -c +$((half + 1)) "$log" >>"$work/growing"
wait $child || fail "a growing file: exit code $?"
tail -n "$(wc -l <"$work/wanted")" "$work/out" >"$work/last"
same "$work/last" "$work/wanted"

gives 2 stat --live - </dev/null
says "standard input: it ended without a log"
gives 2 stat --live - <README.md
says "this is no eventlog"
gives 64 stat --live --every 1ms "$log"
says "only the whole can be told"
gives 64 stat tcp:nowhere

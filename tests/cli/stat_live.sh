#!/usr/bin/env bash
# hectic stat of programs that run: the report at the end of their log, and with --live meanwhile.
. tests/support/lib.bash
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

# A report of what has come, when something comes again after a second, and one of all.
size=$(wc -c <"$log") half=$((size / 2))
begin=$SECONDS
: >"$work/out"
# shellcheck disable=SC2094 # it waits for what comes out
{
    head -c $half "$log"
    for ((at = half; at < size - 100; at += 20)); do
        grep -q "allocated in the heap" "$work/out" && break
        sleep 0.2
        head -c $((at + 20)) "$log" | tail -c 20
    done
    tail -c +$((at + 1)) "$log"
} | "$HECTIC" stat --live - >"$work/out" 2>/dev/null
reports=$(grep -c "allocated in the heap" "$work/out")
((reports >= 2 && reports <= SECONDS - begin + 2)) || fail "reports: $(cat "$work/out")"
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
says "not an eventlog"
gives 64 stat --live --every 1ms "$log"
says "only the whole can be told"
gives 64 stat tcp:nowhere

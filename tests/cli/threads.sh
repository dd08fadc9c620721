#!/usr/bin/env bash
# threads: when each thread was created and ended, how often and how long it ran. (Text, intervals, and the
# times of waiting: tables.sh.)
. tests/support/verb.bash
log=$logs/threads.eventlog
behaves threads "$log"
agrees threads "$log" "$logs"/{threads-one-cap,demo,spans,sparks,restarted,tiny}.eventlog
limits threads running_ns "$log"
limits threads born_ns "$log"

# All states of a thread are its lifetime; the totals are those of the rows.
gives 0 threads --json "$log"
python3 - "$work/out" <<'END' || fail "the times do not add up"
import json, sys
answer = json.load(open(sys.argv[1]))
states = [total["state"] for total in answer["totals"]]
for row in answer["threads"]:
    assert sum(row[state + "_ns"] for state in states) == row["lifetime_ns"] == row["ended_ns"] - row["born_ns"], row
for total in answer["totals"]:
    assert total["total_ns"] == sum(row[total["state"] + "_ns"] for row in answer["threads"]), total
assert answer["runs"] == sum(row["runs"] for row in answer["threads"])
END

# Threads of two processes stay apart.
gives 0 merge --align none -o "$work/merged" "$log" "$logs/demo.eventlog"
for one in "$log" "$logs/demo.eventlog"; do "$HECTIC" threads --csv "$one" | tail -n +2; done | wc -l >"$work/wanted"
gives 0 threads --csv "$work/merged"
[[ $(tail -n +2 "$work/out" | wc -l) == "$(<"$work/wanted")" ]] || fail "other threads than in both logs"
gives 64 threads --os --sort running "$log"

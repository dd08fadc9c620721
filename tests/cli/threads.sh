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

# Logging that begins in the middle of a run: threads without a creation lived before it, all at a time; and what was
# allocated until the first value is not known to be of the log. After a gap, a thread may have been created in it.
ended() { # TIME THREAD
    be 2 2
    be 8 "$1"
    be 4 "$2"
    be 2 5
    be 4 0
}
allocated() { # TIME BYTES
    be 2 49
    be 8 "$1"
    be 4 0
    be 8 "$2"
}
late() { # of the events on stdin
    cat >"$work/events"
    log_header 18 14 0 4 1 4 2 10 16 65535 49 12
    block 1000000000 "$(wc -c <"$work/events")" 9000000000 0
    cat "$work/events"
    be 2 65535
}
for gap in "" "hectic: 7 damaged bytes were lost here"; do
    {
        allocated 1000000000 5000
        run_thread 1000000000 1
        if [[ $gap ]]; then
            be 2 16
            be 8 2000000000
            be 2 ${#gap}
            printf %s "$gap"
        fi
        ended 2000000000 1
        for thread in 2 3; do
            run_thread $((thread * 1000000000)) $thread
            ended $((thread * 1000000000 + 1)) $thread
        done
        allocated 9000000000 5700
    } | late >"$work/late"
    gives 0 threads "$work/late"
    prints "0 born, 3 ended, at most $([[ $gap ]] && echo 1 || echo 3) alive at a time"
    gives 0 stat "$work/late"
    grep -q '^ *700 bytes allocated in the heap$' "$work/out" || fail "allocated: $(head -1 "$work/out")"
done

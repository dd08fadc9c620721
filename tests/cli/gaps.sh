#!/usr/bin/env bash
# The verbs that count events report the gaps that are recorded in a log.
. tests/support/lib.bash

message() { # TIME TEXT
    be 2 16
    be 8 "$1"
    be 2 ${#2}
    printf %s "$2"
}

events() {
    run_thread 1000000000 1
    message 1500000000 "hectic: 5 events were dropped here"
    message 2000000000 "hectic: logging of gc, nonmoving is off from here"
    message 3000000000 "hectic: logging is off from here"
    message 3500000000 "hectic: logging is on from here; it was off since 3.000000000 s"
    message 4000000000 "hectic: logging of gc is on from here"
    message 5000000000 "hectic: logging of nonmoving is on from here"
    message 6000000000 "hectic: 1 events were dropped here"
    message 6200000000 "hectic: 40 damaged bytes were lost here"
    message 6500000000 "hectic: 7 events were dropped here, or so"
    message 6500000000 "hectic: 0 damaged bytes were lost here"
    message 6500000000 "hectic: logging in"
    run_thread 7000000000 1
}
log() { # of the events on stdin
    cat >"$work/events"
    log_header 18 14 1 4 16 65535
    block 1000000000 "$(wc -c <"$work/events")" 7000000000 0
    cat "$work/events"
    be 2 65535
}
events | log >"$work/log"

all="6 events dropped in 2 places; 40 damaged bytes lost in 1 place; logging, or some of it, was switched off 2 times, for 3.000000000 s"
json='"gaps":{"dropped_events":6,"dropped_places":2,"lost_bytes":40,"lost_places":1,"switched_off":2,"off_ns":3000000000}'
gives 0 check "$work/log"
prints "$work/log: sound, with gaps: 14 events in 1 block, $(wc -c <"$work/log") bytes"
prints "    Gaps: $all"
gives 0 info "$work/log"
prints "Gaps       $all"
gives 0 threads "$work/log"
prints "Gaps: $all"
gives 0 stat "$work/log"
prints "  Gaps: $all"
gives 0 stat --from 0 "$work/log"
prints "  Gaps: $all"
for verb in info threads stat "stat --from 0"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 $verb --json "$work/log"
    grep -qF "$json" "$work/out" || fail "$verb --json: $(cat "$work/out")"
done
for verb in threads stat "stat --every 1s"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 $verb --csv "$work/log"
    says "$all"
done

# In an interval.
for verb in threads stat; do
    gives 0 $verb --json --from 3s --to 6s "$work/log"
    grep -qF '"gaps":{"dropped_events":0,"dropped_places":0,"lost_bytes":0,"lost_places":0,"switched_off":1,"off_ns":2000000000}' \
        "$work/out" || fail "$verb of an interval: $(cat "$work/out")"
    gives 0 $verb --json --from 5s --to 6s "$work/log"
    grep -qF '"gaps":{"dropped_events":0,"dropped_places":0,"lost_bytes":0,"lost_places":0,"switched_off":0,"off_ns":0}' \
        "$work/out" || fail "$verb of an interval without gaps: $(cat "$work/out")"
done

# Logging that is off at the end of a section is off until its end.
{
    run_thread 1000000000 1
    message 2000000000 "hectic: logging is off from here"
    run_thread 5000000000 1
} | log >"$work/off"
# What caps and threads did meanwhile is unknown; the thread ran before.
gives 0 stat --jsonl "$work/off"
[[ $(jq -c '.caps[0] | [.present_ns, .running_ns, .unknown_ns]' "$work/out") == "[4000000000,1000000000,3000000000]" ]] ||
    fail "stat: $(jq -c .caps "$work/out")"
gives 0 threads --json "$work/off"
[[ $(jq -c '.threads[0] | [.running_ns, .unknown_ns]' "$work/out") == "[1000000000,3000000000]" ]] ||
    fail "threads: $(cat "$work/out")"
cat "$work/off" "$work/off" >"$work/twice"
text="logging, or some of it, was switched off 1 time, for 3.000000000 s"
for verb in info threads stat check; do
    gives 0 $verb "$work/off"
    grep -q "Gaps:* *$text\$" "$work/out" || fail "$verb: $(cat "$work/out")"
done
text="logging, or some of it, was switched off 2 times, for 6.000000000 s"
for verb in info threads check; do
    gives 0 $verb "$work/twice"
    grep -q "Gaps:* *$text\$" "$work/out" || fail "$verb of two sections: $(cat "$work/out")"
done

# Time in which logging was off and events were lost counts once.
{
    run_thread 1000000000 1
    message 1500000000 "hectic: logging is off from here"
    message 1500000000 "note"
    message 7500000000 "hectic: 40 damaged bytes were lost here"
    run_thread 8000000000 1
} | log >"$work/both"
gives 0 info --json "$work/both"
shares=$(jq -c '[.verdict[] | select(.id == "unrecorded") | .value <= 1]' "$work/out")
[[ $shares == "[true]" ]] || fail "the unrecorded time: $(jq -c .verdict "$work/out")"

# Time in which events were dropped is not idle, and no rate is computed from it.
needs python3
python3 tests/support/dropped_log.py "$work/dropped"
gives 0 stat --jsonl "$work/dropped"
[[ $(jq -c '[.time.unrecorded_ns, .gaps.off_ns, (.caps[] | .running_ns, .unknown_ns)]' "$work/out") == \
    "[4000000000,0,3000000000,4000000000,3000000000,4000000000]" ]] || fail "dropped: $(cat "$work/out")"
says_threads() { jq -c '.threads[] | [.running_ns, .runnable_ns, .unknown_ns]' "$work/out" | sort -u; }
gives 0 threads --json "$work/dropped"
[[ $(says_threads) == "[3000000000,2950000000,4000000000]" ]] || fail "threads: $(cat "$work/out")"
gives 0 info "$work/dropped"
grep -q 'caps ran threads 50.4% of the time' "$work/out" || fail "running: $(grep Threads "$work/out")"
gives 0 watch --json "$work/dropped"
[[ $(jq -c 'select(.duration_ns == 1000000000) | .allocated_bytes' "$work/out" | sort -u | tr '\n' ' ') == "20000 null " ]] ||
    fail "rates: $(cat "$work/out")"

# A log without gaps.
for verb in check info threads stat; do
    gives 0 $verb "$logs/threads.eventlog"
    ! grep -qi gap "$work/out" || fail "$verb: $(grep -i gap "$work/out")"
done

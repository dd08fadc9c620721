#!/usr/bin/env bash
# validate: sound logs are valid, and each event that is missing is found. (Texts, and other machines: machines.sh.)
. tests/support/verb.bash
log=$logs/threads.eventlog
behaves validate "$log" "$logs/threads-one-cap.eventlog"
agrees validate "$log" "$logs"/{threads-one-cap,demo,spans,sparks}.eventlog

# Without its creation, or a run, or a stop, a thread is in the wrong state at its next event.
create=0 run=1 stop=2
for which in $create $run $stop; do
    for number in 0 3 7; do
        python3 tests/support/verbs.py without "$which" $number "$logs/threads-one-cap.eventlog" >"$work/lacks"
        gives 1 validate threads "$work/lacks"
        grep -q '^threads: invalid: [1-9]' "$work/out" || fail "without event $number of type $which: $(cat "$work/out")"
        gives 1 validate --json threads "$work/lacks"
        python3 -c 'import json, sys
answer = json.load(open(sys.argv[1]))
faults = answer["machines"][0]["faults"]
assert not answer["valid"] and faults >= 1 and answer["machines"][0]["verdict"] == "invalid"
assert len(answer["faults"]) == answer["machines"][0]["listed"] == min(faults, 20)' "$work/out" || fail "--json: $(cat "$work/out")"
        gives 1 validate --limit 1 threads "$work/lacks"
        (($(grep -c '^threads: .*byte' "$work/out") == 1)) || fail "--limit 1: $(cat "$work/out")"
    done
done
gives 64 validate --csv "$log"

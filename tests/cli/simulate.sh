#!/usr/bin/env bash
# simulate: each change of state of a thread begins where the one before it ended. (Faults: machines.sh.)
. tests/support/verb.bash
log=$logs/threads.eventlog
behaves simulate "$log" "$logs/threads-one-cap.eventlog"
agrees simulate "$log" "$logs"/{threads-one-cap,demo,spans,sparks}.eventlog
limits simulate held_ns "$log"

# Of tasks and caps: what they hold adds up to what other verbs say.
gives 0 simulate --csv tasks "$log"
[[ $(grep -c ,TASK_CREATE, "$work/out") == $("$HECTIC" tasks --csv "$log" | tail -n +2 | wc -l) ]] || fail "other tasks"
gives 0 simulate --csv gc "$log"
held=$(awk -F, '$5 == "running a thread" { sum += $8 } END { print sum }' "$work/out")
ran=$("$HECTIC" threads --csv "$log" | awk -F, 'NR > 1 { sum += $8 } END { print sum }')
[[ $held == "$ran" ]] || fail "caps run threads for $held ns, which run for $ran ns"
gives 64 simulate nonsense "$log"
says 'unknown machine "nonsense"'

#!/usr/bin/env bash
# The output and exit codes of validate, simulate and profile.
. tests/support/lib.bash

# Logs of the runtime have no faults.
for log in "$logs"/{threads,threads-one-cap,threads-few-classes,sparks,demo,tiny,killed,restarted}.eventlog \
    "$logs"/heap-*.eventlog; do
    gives 0 validate gc "$log"
    gives 0 validate threadrun "$log"
done
for log in "$corpus"/*.eventlog; do
    [[ ! -s $log ]] || gives 0 validate gc "$log"
done
gives 0 validate all "$logs/threads.eventlog"
[[ $(grep -c ': valid (' "$work/out") == 6 ]] || fail "not six machines with events"
prints 'sparks: nothing to check: the log has no such events (+RTS -lf logs them)'
gives 0 validate gc "$logs/tiny-nothing.eventlog"
grep -q '^gc: nothing to check' "$work/out" || fail "a verdict without events"

# A log of one cap, in which thread 1 runs twice and thread 3 was not created.
create_thread() { be 2 0 && be 8 "$1" && be 4 "$2"; }
stop_thread() { be 2 2 && be 8 "$1" && be 4 "$2" && be 2 "$3" && be 4 0; }
{
    log_header 0 4 1 4 2 10 18 14
    block 5 $((5 * 14 + 20)) 100 0
    create_thread 10 1
    run_thread 20 1
    run_thread 30 1
    stop_thread 40 1 5
    run_thread 1000000050 3
    create_thread 1000000060 4
    be 2 65535
} >"$work/log"
gives 1 validate threads "$work/log"
position=$(($(log_header 0 4 1 4 2 10 18 14 | wc -c) + 24 + 28))
diff - "$work/out" <<EOF || fail "not these two faults"
threads: 0.000000030 s, byte $position: cap 0: running thread 1
    but thread 1 is running, on cap 0
    usual cause: the event that stopped it was lost, in a damaged or dropped block
threads: 1.000000050 s, byte $((position + 34)): cap 0: running thread 3
    but thread 3 is unknown
    usual cause: its creation was not logged: the log starts in the middle, or lost its beginning
threads: invalid: 2 faults (6 events)
EOF
gives 1 validate --limit 1 threads "$work/log"
[[ $(tail -n 1 "$work/out") == "threads: invalid: 2 faults (1 listed; --limit lists more) (6 events)" ]] ||
    fail "not one of two faults"

gives 1 simulate --csv threads "$work/log"
diff - <(tr -d '\r' <"$work/out") <<EOF || fail "not these changes"
time_ns,section,event,thread,from,to,cap,held_ns,fault
10,1,CREATE_THREAD,1,unknown,queued,,,
20,1,RUN_THREAD,1,queued,running,0,10,
30,1,RUN_THREAD,1,running,,0,,"thread 1 is running, on cap 0"
40,1,STOP_THREAD,1,running,finished,,20,
1000000050,1,RUN_THREAD,3,unknown,,,,thread 3 is unknown
1000000050,1,RUN_THREAD,3,unknown,running,0,,
1000000060,1,CREATE_THREAD,4,unknown,queued,,,
EOF
gives 1 profile --csv threads "$work/log"
says "2 faults make the times unreliable"
diff - <(tr -d '\r' <"$work/out") <<EOF || fail "not these times"
thread,section,state,since_ns,queued_ns,queued_count,running_ns,running_count,stopped_ns,stopped_count
1,1,finished,40,10,1,20,1,0,0
3,1,running,1000000050,0,0,0,0,0,0
4,1,queued,1000000060,0,0,0,0,0,0
EOF

# Without a machine, the default; without a log, a usage error.
for default in "validate all" "simulate threads" "profile threads"; do
    # shellcheck disable=SC2086 # words are meant
    {
        gives 1 $default --json "$work/log"
        mv "$work/out" "$work/wanted"
        gives 1 ${default% *} --json "$work/log"
        same "$work/wanted" "$work/out"
        "$HECTIC" ${default% *} --json - <"$logs/demo.eventlog" >"$work/out" || fail "$default: stdin"
        gives 64 $default
        says "hectic ${default% *}: missing operand: LOG"
        gives 2 ${default% *} "$work/none"
    }
done
gives 64 validate -n 5 "$work/log"

# Two runs in one log are checked separately.
cat "$logs/threads.eventlog" "$logs/threads.eventlog" >"$work/two"
gives 0 validate all "$work/two"
gives 0 profile --csv threads "$work/two"
[[ $(grep -c '^1,[12],finished' "$work/out") == 2 ]] || fail "thread 1 of both runs"

# Logs that are cut short, or damaged.
head -c 5000 "$logs/threads-one-cap.eventlog" >"$work/cut"
gives 0 validate all "$work/cut"
# Cap 0 has got further than cap 1, which created thread 2: that is a fault in a finished log only.
{
    log_header 0 4 1 4 2 10 18 14
    block 5 14 10 1
    create_thread 10 1
    block 5 14 60 0
    run_thread 60 2
} >"$work/cut"
{
    cat "$work/cut"
    be 2 65535
} >"$work/finished"
gives 1 validate threads "$work/finished"
gives 1 check --deep "$work/finished"
for arguments in "validate threads" "check --deep"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 $arguments "$work/cut"
    says 'the log has all caps until 0.000 s only, and some until 0.000 s; later events do not count'
done
{
    head -c 9000 "$logs/threads.eventlog"
    head -c 200 /dev/zero | tr '\0' '\177'
    tail -c +9201 "$logs/threads.eventlog"
} >"$work/damaged"
gives 1 validate all "$work/damaged"
gives 2 validate all "$work/none"
gives 64 validate nonsense "$logs/threads.eventlog"
says 'unknown machine "nonsense" (machines: all threads threadpool'
gives 64 profile gc "$logs/threads.eventlog"
gives 64 simulate all "$logs/threads.eventlog"

# --json is JSON.
if command -v python3 >/dev/null; then
    for arguments in "validate all" "simulate gc" "simulate tasks" "profile threads"; do
        for log in "$work/log" "$work/two" "$logs/every-event.eventlog"; do
            # shellcheck disable=SC2086 # words are meant
            { "$HECTIC" $arguments --json "$log" 2>"$work/err" || true; } | python3 -c 'import json, sys; json.load(sys.stdin)' ||
                fail "$arguments --json $log"
        done
    done
fi

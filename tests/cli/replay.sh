#!/usr/bin/env bash
# State that SYNC events replay replaces the known state. A second CREATE_THREAD is not a second thread.
. tests/support/lib.bash

header() {
    log_header 18 14 0 4 1 4 2 10 16 65535 45 2 1999 65535
}
message() { # TIME TEXT
    be 2 16
    be 8 "$1"
    be 2 ${#2}
    printf %s "$2"
}
create() { # TIME THREAD
    be 2 0
    be 8 "$1"
    be 4 "$2"
}
stop() { # TIME THREAD STATUS
    be 2 2
    be 8 "$1"
    be 4 "$2"
    be 2 "$3"
    be 4 0
}
replay() { # TIME NUMBER THREAD [STATUS]: on cap 0
    be 2 1999
    be 8 "$1"
    be 2 $((8 + 6 * ($# > 3)))
    be 2 "$2"
    be 2 0
    be 4 "$3"
    [[ $# -le 3 ]] || {
        be 2 "$4"
        be 4 0
    }
}
csv() { # ARGUMENT…: as gives 0, with lines that end with LF
    gives 0 "$@"
    sed -i 's/\r$//' "$work/out"
}
in_block() { # CAP: of the events on stdin
    cat >"$work/events"
    block 1000 "$(wc -c <"$work/events")" 9000 "$1"
    cat "$work/events"
}

# Thread 1 runs, 2 is runnable, 3 waits for an MVar. Events are dropped. Then 1 has finished, 2 runs,
# 3 is runnable, and 4 was created and waits.
{
    header
    {
        create 1000 1
        create 1000 2
        create 1000 3
        run_thread 1100 3
        stop 1200 3 7
        run_thread 2000 1
    } | in_block 0
    {
        message 2000 "hectic: 9 events were dropped here"
        replay 5000 0 3
        replay 5000 0 4
        replay 5000 1 4
        replay 5000 2 4 7
        replay 5000 0 2
        replay 5000 1 2
    } | in_block 65535
    {
        stop 6000 2 5
        run_thread 7000 3
        stop 8000 3 5
    } | in_block 0
    be 2 65535
} >"$work/log"
for machine in threads threadpool threadrun all; do
    gives 0 validate $machine "$work/log"
done
gives 0 validate threads "$work/log"
prints "threads: valid (9 events)"
csv simulate --csv threads "$work/log"
prints "5000,1,SYNC,1,running,finished,,,"
prints "5000,1,SYNC,2,queued,running,0,,"
prints "6000,1,STOP_THREAD,2,running,finished,,1000,"
csv profile --csv threads "$work/log"
cut -d, -f1,3,7 "$work/out" >"$work/running"
for line in 1,finished,0 2,finished,1000 3,finished,1100; do
    grep -qx "$line" "$work/running" || fail "profile: $line; $(cat "$work/out")"
done
csv threads --csv "$work/log"
cut -d, -f2,5,6,8,19 "$work/out" >"$work/rows" # thread, born, ended, running, unknown
for line in 1,1000,5000,0,3000 2,1000,6000,1000,3000 3,1000,8000,1100,3000 4,,,0,0; do
    grep -qx "$line" "$work/rows" || fail "threads: $line; $(cat "$work/rows")"
done

# A replay without gaps changes nothing: the same log with and without it.
one() {
    header
    {
        create 1000 1
        create 1000 2
        run_thread 1100 1
    } | in_block 0
    [[ -z $1 ]] || {
        replay 3000 0 2
        replay 3000 0 1
        replay 3000 1 1
    } | in_block 65535
    stop 4000 1 5 | in_block 0
    be 2 65535
}
one "" >"$work/without"
one replay >"$work/with"
for what in "validate all" "simulate --csv threads" "profile --csv threads" "threads --csv"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 $what "$work/without"
    cp "$work/out" "$work/wanted"
    # shellcheck disable=SC2086
    gives 0 $what "$work/with"
    same "$work/out" "$work/wanted"
done

# A second CREATE_THREAD: still one thread; for validate, as for ghc-events, a fault.
{
    header
    {
        create 1000 1
        run_thread 1100 1
        create 2000 1
        stop 4000 1 5
    } | in_block 0
    be 2 65535
} >"$work/again"
gives 1 validate threads "$work/again"
grep -q "announced again" "$work/out" || fail "no cause: $(cat "$work/out")"
prints "threads: invalid: 1 fault (4 events)"
csv simulate --csv threads "$work/again"
[[ $(wc -l <"$work/out") == 4 ]] || fail "simulate: $(cat "$work/out")"
csv profile --csv threads "$work/again"
grep -q "^1,1,finished,4000,.*2900,1" "$work/out" || fail "profile: $(cat "$work/out")"
gives 0 threads --json "$work/again"
grep -q '"count":1,"born":1,"ended":1' "$work/out" || fail "threads: $(cat "$work/out")"
gives 0 stat --jsonl "$work/again"
grep -q '"threads_created":1,' "$work/out" || fail "stat: $(cat "$work/out")"
if command -v ghc-events >/dev/null; then
    ghc-events validate threads "$work/again" >"$work/verdict" || true
    grep -q '^Invalid' "$work/verdict" || fail "ghc-events: $(cat "$work/verdict")"
fi

# The sizes of the heap, and what was allocated: a replay adds what is new to them, as stat counts it.
needs python3
python3 - "$work/log" <<'END'
import struct, sys
import eventlog
def heap(time, number, size, is_replayed=False):
    payload = struct.pack(">IQ", 0, size)
    if not is_replayed:
        return (time, 0, number, payload)
    return (time, eventlog.NONE, 1999, struct.pack(">HH", number, 0) + payload)
ALLOCATED, SIZE = 49, 50
events = [(0, eventlog.NONE, 45, struct.pack(">H", 0)), heap(100, ALLOCATED, 500), heap(100, SIZE, 4000)]
events += [heap(200, ALLOCATED, 500, True), heap(200, SIZE, 4000, True)]
events += [heap(300, ALLOCATED, 800, True), heap(300, SIZE, 9000, True), heap(400, ALLOCATED, 1000), heap(400, SIZE, 5000)]
with open(sys.argv[1], "wb") as file:
    file.write(eventlog.write(events, {45: 2, ALLOCATED: 12, SIZE: 12}))
END
csv sql --csv "$work/log" 'SELECT time_ns, cap, kind, bytes FROM sizes ORDER BY time_ns, kind'
cat >"$work/wanted" <<'END'
time_ns,cap,kind,bytes
100,0,allocated,500
100,0,heap,4000
300,0,allocated,300
300,0,heap,9000
400,0,allocated,200
400,0,heap,5000
END
same "$work/out" "$work/wanted"
python3 tests/support/dropped_log.py "$work/log"
csv sql --csv "$work/log" 'SELECT second, allocated_bytes FROM allocation_by_second WHERE second > 2'
printf '%s\n' second,allocated_bytes 3,20000 8,100000 9,20000 >"$work/wanted"
same "$work/out" "$work/wanted"

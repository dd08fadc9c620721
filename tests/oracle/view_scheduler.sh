#!/usr/bin/env bash
# A page's rows of threads, scheduler latency, wakeups and migrations are those that follow from the events.
. tests/support/lib.bash
needs python3
"$HECTIC" gen --events 60000 --caps 4 --threads 8 -q -o "$work/few.eventlog"
"$HECTIC" gen --alternate --events 40000 --caps 8 --threads 300 --buffer 64Ki --seed 3 -q -o "$work/many.eventlog"
"$HECTIC" gen --size 24M --caps 4 --threads 40 -q -o "$work/long.eventlog"
python3 tests/oracle/view_scheduler.py "$HECTIC" "$HECTIC_BUILD/view_answers" "$work/long.eventlog" \
    tests/logs/{threads,threads-one-cap,threads-few-classes,spans,sparks,messages,demo}.eventlog \
    "$work"/{few,many}.eventlog

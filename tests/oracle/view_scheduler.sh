#!/usr/bin/env bash
# A page's rows of threads, scheduler latency, wakeups and migrations are those that follow from the events.
. tests/support/lib.bash
needs python3
generate_log --events 60000 --caps 4 --threads 8 -o "$work/few.eventlog"
generate_log --alternate --events 40000 --caps 8 --threads 300 --buffer 64Ki --seed 3 -o "$work/many.eventlog"
generate_log --size 24M --caps 4 --threads 40 -o "$work/long.eventlog"
python3 tests/oracle/view_scheduler.py "$HECTIC" "$HECTIC_BUILD/view_answers" "$work/long.eventlog" \
    tests/logs/{threads,threads-one-cap,threads-few-classes,spans,sparks,messages,demo}.eventlog \
    "$work"/{few,many}.eventlog

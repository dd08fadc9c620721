#!/usr/bin/env bash
# A page's tables of threads, of any interval, are those of hectic threads.
. tests/support/lib.bash
needs python3
shopt -s nullglob
# Logs that were cut count up to the time until which all caps are in them.
"$HECTIC" gen --caps 3 --size 3M --seed 19 -q -o "$work/three"
for percent in 30 50 70 90; do
    for log in "$work/three" tests/logs/{demo,spans}.eventlog; do
        head -c $(($(wc -c <"$log") * percent / 100)) "$log" >"$work/cut-$percent-$(basename "$log" .eventlog).eventlog"
    done
done
"$HECTIC" gen --events 400000 --caps 4 --threads 8 -q -o "$work/few.eventlog"
"$HECTIC" gen --alternate --events 300000 --caps 8 --threads 3000 --buffer 64Ki --seed 7 -q -o "$work/many.eventlog"
"$HECTIC" cut --from 40% --to 90% "$work/few.eventlog" "$work/late.eventlog" 2>/dev/null ||
    "$HECTIC" cut --from 1ms "$work/few.eventlog" "$work/late.eventlog"
cat "$work/late.eventlog" tests/logs/threads.eventlog >"$work/restarted.eventlog"
python3 tests/oracle/view_threads.py "$HECTIC" "$HECTIC_BUILD/view_answers" tests/logs/*.eventlog \
    "$work"/*.eventlog "$corpus"/*.eventlog

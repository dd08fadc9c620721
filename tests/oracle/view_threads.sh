#!/usr/bin/env bash
# A page's tables of threads, of any interval, are those of hectic threads.
. tests/support/lib.bash
. tests/support/cut_logs.bash
needs python3
shopt -s nullglob
make_cut_logs
generate_log --events 400000 --caps 4 --threads 8 -o "$work/few.eventlog"
generate_log --alternate --events 300000 --caps 8 --threads 3000 --buffer 64Ki --seed 7 -o "$work/many.eventlog"
"$HECTIC" cut --from 40% --to 90% "$work/few.eventlog" "$work/late.eventlog" 2>/dev/null ||
    "$HECTIC" cut --from 1ms "$work/few.eventlog" "$work/late.eventlog"
cat "$work/late.eventlog" tests/logs/threads.eventlog >"$work/restarted.eventlog"
all=(tests/logs/*.eventlog "$work"/*.eventlog "$corpus"/*.eventlog)
thin all
python3 tests/oracle/view_threads.py "$HECTIC" "$HECTIC_BUILD/view_answers" "${all[@]}"

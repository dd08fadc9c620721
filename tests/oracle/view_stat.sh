#!/usr/bin/env bash
# A page's statistics of any interval are those of hectic stat, byte for byte.
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
python3 tests/oracle/view_stat.py "$HECTIC" "$HECTIC_BUILD/view_answers" tests/logs/*.eventlog \
    "$work"/cut-*.eventlog "$corpus"/*.eventlog

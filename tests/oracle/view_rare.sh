#!/usr/bin/env bash
# A page's collections, spans and sparks of any interval are those of the verbs.
. tests/support/lib.bash
. tests/support/cut_logs.bash
needs python3
shopt -s nullglob
make_cut_logs
generate_log --size 6M --caps 5 --threads 40 -o "$work/several-caps.eventlog"
generate_log --size 3M --caps 1 --seed 3 -o "$work/one-cap.eventlog"
all=(tests/logs/*.eventlog "$corpus"/*.eventlog "$work"/*.eventlog)
thin all
python3 tests/oracle/view_rare.py "$HECTIC" "$HECTIC_BUILD/view_answers" "${all[@]}"

#!/usr/bin/env bash
# A page's statistics of any interval are those of hectic stat, byte for byte.
. tests/support/lib.bash
. tests/support/cut_logs.bash
needs python3
shopt -s nullglob
make_cut_logs
# An interval that ends where events were dropped does not have what was replayed later.
python3 tests/support/dropped_log.py "$work/cut-dropped.eventlog"
python3 tests/oracle/view_stat.py "$HECTIC" "$HECTIC_BUILD/view_answers" tests/logs/*.eventlog \
    "$work"/cut-*.eventlog "$corpus"/*.eventlog

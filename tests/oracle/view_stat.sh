#!/usr/bin/env bash
# A page's statistics of any interval are those of hectic stat, byte for byte.
. tests/support/lib.bash
. tests/support/cut_logs.bash
needs python3
shopt -s nullglob
make_cut_logs
python3 tests/oracle/view_stat.py "$HECTIC" "$HECTIC_BUILD/view_answers" tests/logs/*.eventlog \
    "$work"/cut-*.eventlog "$corpus"/*.eventlog

#!/usr/bin/env bash
# What a page says about two logs without the command is what hectic compare says.
. tests/support/lib.bash
. tests/support/cut_logs.bash
needs python3
shopt -s nullglob
make_cut_logs
all=(tests/logs/*.eventlog "$work"/*.eventlog "$corpus"/*.eventlog)
thin all
python3 tests/oracle/view_compare.py "$HECTIC" "$HECTIC_BUILD/view_answers" "${all[@]}"

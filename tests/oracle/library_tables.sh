#!/usr/bin/env bash
# The tables that hectic/tables.h gives are those that the verbs print.
. tests/support/lib.bash
needs python3
shopt -s nullglob
generate_log --events 200000 --caps 4 -o "$work/made.eventlog"
"$HECTIC" merge --quiet -o "$work/merged.eventlog" $logs/{demo,threads}.eventlog
head -c 60000 $logs/demo.eventlog >"$work/cut.eventlog"
cat $logs/{demo,sparks}.eventlog >"$work/restarted.eventlog"
others=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin others
python3 tests/oracle/library_tables.py "$HECTIC" "$HECTIC_BUILD/table_rows" "$work"/*.eventlog "${others[@]}"

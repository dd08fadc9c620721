#!/usr/bin/env bash
# The tables of hectic sql are those of the verbs, and its events those of hectic show.
. tests/support/lib.bash
needs python3
shopt -s nullglob
generate_log --events 20000 --caps 4 -o "$work/made.eventlog" 2>/dev/null
"$HECTIC" merge --quiet -o "$work/merged.eventlog" $logs/{demo,threads}.eventlog
head -c 60000 $logs/demo.eventlog >"$work/cut.eventlog"
cat $logs/{demo,sparks}.eventlog >"$work/restarted.eventlog"
cat $logs/{demo,sparks,threads,sparks,demo}.eventlog >"$work/five.eventlog"
cat "$work"/{merged,cut,merged}.eventlog >"$work/restarted-merged.eventlog"
others=("$logs"/*.eventlog "$corpus"/*.eventlog)
is_short && others=("$logs"/{every-event,older-shapes,demo,messages}.eventlog)
python3 tests/oracle/sql_tables.py "$HECTIC" "$work"/*.eventlog "${others[@]}"

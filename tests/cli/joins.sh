#!/usr/bin/env bash
# The CSV tables of different verbs can be joined: equal things have equal names, and numbers are
# plain.
. tests/support/lib.bash
runs_often
needs python3
python3 -c 'import sqlite3' 2>/dev/null || skip "needs python3 with sqlite3"

some=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin some
for log in "${some[@]}" "$work/two"; do
    case $log in
    */every-event.eventlog | */older-shapes.eventlog) continue ;; # one event of each type: not consistent
    */2011-empty.eventlog) continue ;;
    *"*.eventlog") continue ;; # the collection is not there
    "$work/two") cat "$logs/sparks.eventlog" "$logs/spans.eventlog" >"$log" ;;
    esac
    python3 tests/support/joins.py "$HECTIC" "$log" || fail "$log: tables cannot be joined"
done

#!/usr/bin/env bash
# Random queries over the tables of logs, by the extension in another program, equal those over copies.
# `make prove` runs many more.
. tests/support/lib.bash
is_sanitized && skip "the sanitizer would have to be loaded into Python"
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension' 2>/dev/null &&
        python=$candidate && break
done
[[ $python ]] || skip "needs a Python whose sqlite3 loads extensions"
"$HECTIC" merge --quiet -o "$work/merged.eventlog" $logs/{demo,threads}.eventlog
cat $logs/{demo,sparks}.eventlog >"$work/restarted.eventlog"
head -c 60000 $logs/demo.eventlog >"$work/cut.eventlog"
"$python" tests/oracle/sql_random.py "$HECTIC_BUILD/hectic" "${QUERIES:-2000}" "${SEED:-$RANDOM}" "$work"/*.eventlog \
    $logs/{demo,threads,spans}.eventlog

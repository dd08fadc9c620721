#!/usr/bin/env bash
# A page's collections, spans and sparks of any interval are those of the verbs.
. tests/support/lib.bash
needs python3
shopt -s nullglob
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
"$HECTIC" gen --size 6M --caps 5 --threads 40 -o "$temporary/several-caps.eventlog"
"$HECTIC" gen --size 3M --caps 1 --seed 3 -o "$temporary/one-cap.eventlog"
python3 tests/oracle/view_rare.py "$HECTIC" "$HECTIC_BUILD/view_answers" tests/logs/*.eventlog \
    "$corpus"/*.eventlog "$temporary"/*.eventlog

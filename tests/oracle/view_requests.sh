#!/usr/bin/env bash
# The answers to a page's requests have the members that the table of requests says, of their types.
. tests/support/lib.bash
. tests/support/cut_logs.bash
needs python3
shopt -s nullglob
make_cut_logs
echo text >"$work/text"
"$HECTIC_BUILD/hostile_log" "$work/text" >"$work/cut-hostile.eventlog"
python3 tests/oracle/view_requests.py "$HECTIC_BUILD/view_answers" view/src/engine/requests.ts \
    tests/logs/*.eventlog "$work"/cut-*.eventlog "$corpus"/*.eventlog

#!/usr/bin/env bash
# A page's events and searches are the lines of hectic show.
. tests/support/lib.bash
needs python3
shopt -s nullglob
python3 tests/oracle/view_events.py "$HECTIC" "$HECTIC_BUILD/view_answers" tests/logs/*.eventlog

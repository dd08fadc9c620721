#!/usr/bin/env bash
# The profiles of a thread and of spans in a page are those that SQL finds.
. tests/support/lib.bash
needs python3
python3 tests/support/profiled_spans.py "$work"
python3 tests/oracle/view_prof_parts.py "$HECTIC" "$HECTIC_BUILD/view_answers" "$work"/*.eventlog \
    tests/logs/time-profile.eventlog

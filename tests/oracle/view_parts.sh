#!/usr/bin/env bash
# In a page, the processes of a merged log have the answers of their own logs.
. tests/support/lib.bash
needs python3
python3 tests/oracle/view_parts.py "$HECTIC" "$HECTIC_BUILD/view_answers" "$work" \
    tests/logs/{threads,demo,sparks,spans,messages,heap-nonmoving}.eventlog

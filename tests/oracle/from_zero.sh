#!/usr/bin/env bash
# stat --from 0s counts what stat counts, but for what docs/stat.md (Intervals) names.
. tests/support/lib.bash
needs python3
shopt -s nullglob
generate_log --events 300000 --caps 4 -o "$work/made.eventlog"
python3 tests/oracle/from_zero.py "$HECTIC" "$work/made.eventlog" $logs/{demo,threads,sparks,spans,heap-nonmoving}.eventlog \
    "$corpus"/*.eventlog

#!/usr/bin/env bash
# In a page, the processes of a merged log have the answers of their own logs.
. tests/support/lib.bash
needs python3
generate_log --alternate --size 1M --caps 3 --threads 20 -o "$work/first.eventlog"
generate_log --size 2M --caps 2 --threads 9 --seed 5 --buffer 8Ki -o "$work/second.eventlog"
python3 tests/oracle/view_parts.py "$HECTIC" "$HECTIC_BUILD/view_answers" "$work" \
    tests/logs/{threads,demo,sparks,spans,messages,heap-nonmoving}.eventlog \
    "$work"/{first,second}.eventlog

# A process that starts after several threads have read a part of the log as one of one process.
"$HECTIC" cut --from 30ms "$work/second.eventlog" "$work/late.eventlog"
"$HECTIC" merge --align none -o "$work/both.eventlog" "$work"/{first,late}.eventlog
overview=$(echo overview | "$HECTIC_BUILD/view_answers" "$work/both.eventlog")
[[ $overview == *'"section":2,"from_ns":30000000'* ]] || fail "the second process starts at another time: $overview"
HECTIC_LOGS=$work/both.eventlog "$HECTIC_BUILD/test_view_parallel"

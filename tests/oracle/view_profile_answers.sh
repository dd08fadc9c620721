#!/usr/bin/env bash
# A page's profiles are those of hectic prof, heap and ticky.
. tests/support/lib.bash
needs python3
shopt -s nullglob
# In every-event, times are not in order, which sums of a file's order depend on.
generate_log --size 2M --caps 3 --stacks 300 --mix time-profile=2,threads=3,gc=1 -o "$work/time.eventlog"
generate_log --size 1M --caps 2 --bands 40 --mix heap-profile=3,time-profile=1,gc=1 -o "$work/both.eventlog"
generate_log --size 2M --caps 5 --mix heap-profile=1,threads=4,gc=1,messages=1 -o "$work/heap.eventlog"
# A late reader's definitions of cost centres are replayed.
"$HECTIC" cut -q --from 1s -o "$work/cut" "$work/time.eventlog"
python3 tests/oracle/replayed.py "$work/cut" "$work/late.eventlog" 161
python3 tests/oracle/view_profile_answers.py "$HECTIC" "$HECTIC_BUILD/view_answers" "$work"/*.eventlog \
    tests/logs/demo.eventlog tests/logs/{time,heap}-*.eventlog "$corpus"/{ticky,bio,ghc-9}*.eventlog

#!/usr/bin/env bash
# Random queries of hectic sql over several logs equal those over the tables of hectic export --format sqlite. `make prove` runs
# many more.
. tests/support/lib.bash
needs python3
"$HECTIC" merge --quiet -o "$work/merged.eventlog" $logs/{demo,threads}.eventlog
cat $logs/{demo,sparks}.eventlog >"$work/restarted.eventlog"
head -c 60000 $logs/demo.eventlog >"$work/cut.eventlog"
set -- "$work"/*.eventlog $logs/{threads,spans,every-event,time-profile}.eventlog
"$HECTIC" export --quiet --private --format sqlite --force "$@" "$work/tables.db" \
    --table gc,threads,thread_states,spans_each,messages,events,ev_STOP_THREAD,ev_GC_STATS_GHC,tasks,stat_cap,runs || (($? < 2)) || fail "export"
queries=${QUERIES:-$(is_short && echo 200 || echo 1000)}
PYTHONPATH=$PYTHONPATH:tests/oracle python3 tests/oracle/sql_random_logs.py "$work/tables.db" "$queries" "${SEED:-$RANDOM}" "$@"

#!/usr/bin/env bash
# export --format clickhouse: two real servers are shards of a cluster; what they have is what hectic sql says, also after
# repeated exports, and if a server is killed meanwhile; queries of the portable subset of docs/fleet.md give the same rows.
. tests/support/lib.bash
needs python3
needs clickhouse-server
needs clickhouse-client
mkdir "$work/logs"
less=() size=20M
if is_sanitized; then export IS_SANITIZED=1; fi
if is_short; then less=(less) size=5M; fi
cp $logs/{demo,every-event,heap-profile-c,messages,sparks,spans,threads}.eventlog "$work/logs"
if ! is_short; then
    cp $logs/{heap-compacting,heap-generations,heap-nonmoving,killed,older-shapes,restarted,sparks-sampled}.eventlog "$work/logs"
    cp $logs/{threads-one-cap,time-profile,tiny,tiny-nothing}.eventlog "$work/logs"
fi
"$HECTIC" merge --quiet -o "$work/logs/merged.eventlog" $logs/{demo,threads}.eventlog
generate_log --size 200K --caps 3 -o "$work/logs/made.eventlog"
generate_log --size $size --caps 2 --seed 7 -o "$work/large.eventlog" 2>/dev/null
python3 tests/oracle/export_clickhouse.py "$work" "${less[@]}"

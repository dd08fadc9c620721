#!/usr/bin/env bash
# export --format clickhouse: two real servers are shards of a cluster; what they have is what hectic sql says, also after
# repeated exports, and if a server is killed meanwhile; queries of the portable subset of docs/fleet.md give the same rows.
. tests/support/lib.bash
needs python3
needs clickhouse-server
needs clickhouse-client
mkdir "$work/logs"
cp $logs/{demo,heap-compacting,heap-generations,heap-nonmoving,heap-profile-c,killed,messages,older-shapes,restarted,spans}.eventlog "$work/logs"
cp $logs/{sparks,sparks-sampled,threads,threads-one-cap,time-profile,tiny,tiny-nothing,every-event}.eventlog "$work/logs"
"$HECTIC" merge --quiet -o "$work/logs/merged.eventlog" $logs/{demo,threads}.eventlog
generate_log --size 200K --caps 3 -o "$work/logs/made.eventlog"
generate_log --size 20M --caps 2 --seed 7 -o "$work/large.eventlog" 2>/dev/null
less=()
if is_sanitized; then less=(less); fi
python3 tests/oracle/export_clickhouse.py "$work" "${less[@]}"

#!/usr/bin/env bash
# hectic export --format perfetto and chrome: readers that share no code with hectic find in them what the
# tables of the same log have; protoc finds no field that the public messages lack.
. tests/support/lib.bash
needs python3
shopt -s nullglob

# compares LOG…
compares() {
    python3 tests/oracle/export_trace.py "$HECTIC" "$work" "$@" || fail "see above"
}

generate_log --events 100000 --caps 8 -o "$work/made.eventlog"
"$HECTIC" merge --quiet -o "$work/merged.eventlog" $logs/{demo,threads}.eventlog
for size in 12000 21000; do
    head -c $size $logs/demo.eventlog >"$work/cut-$size.eventlog"
done
cat $logs/{demo,sparks}.eventlog >"$work/two-sections.eventlog"
python3 tests/support/made_traces.py "$work"
others=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin others
compares "$work"/*.eventlog "${others[@]}"
[[ -d $corpus ]] || echo "SKIPPED: the collection of logs (HECTIC_CORPUS)"

# Intervals: slices are clipped, as in the tables.
for interval in "--from 1ms --to 2ms" "--from 3560us" "--to 1300us" "--from 5s" "--from 1337795ns --to 1337796ns"; do
    TRACE_INTERVAL=$interval compares $logs/demo.eventlog
done

# --min-duration
gives 0 export --verbose --format perfetto --min-duration 100us $logs/demo.eventlog "$work/long.pftrace"
says "note: slices shorter than 100us, left out: "
gives 0 export --format perfetto $logs/demo.eventlog "$work/demo.pftrace"
(($(stat -c %s "$work/long.pftrace") < $(stat -c %s "$work/demo.pftrace"))) || fail "nothing was left out"

# By the suffix, and to standard output.
gives 0 export --format perfetto $logs/demo.eventlog -
same "$work/out" "$work/demo.pftrace"
gives 0 export --force $logs/demo.eventlog "$work/demo.pftrace"
same "$work/out" /dev/null
gives 0 export $logs/demo.eventlog "$work/demo.trace.json"
gives 64 export --format chrome --at end $logs/demo.eventlog "$work/none"
says "--at cannot be combined with --format chrome"
gives 64 export --format folded --min-duration 1ms $logs/demo.eventlog "$work/none"
says "--min-duration cannot be combined with --format folded"

command -v protoc >/dev/null || {
    echo "SKIPPED: decoding by protoc"
    exit 0
}
for log in $logs/{demo,every-event,spans,time-profile,heap-types,sparks}.eventlog; do
    "$HECTIC" export --quiet --force --format perfetto "$log" "$work/trace.pftrace"
    protoc --decode=Trace tests/support/perfetto.proto <"$work/trace.pftrace" >"$work/decoded"
    ! grep -nE '^ *[0-9]+[: ]' "$work/decoded" | head -3 | grep . || fail "$log: unknown fields"
done

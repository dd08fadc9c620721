#!/usr/bin/env bash
# A header that declares an event with less than its smallest shape has, or variable where it is
# not, makes all events of that type unreadable: check reports it, and others go on.
. tests/support/lib.bash

for size in 0 3 65535; do
    { # RUN_THREAD has 4 bytes
        log_header 18 14 1 "$size" 20 0
        if ((size < 65535)); then
            block 0 $((10 + size + 10)) 20 0
            be 2 1
            be 8 10
            head -c "$size" /dev/zero
        else
            block 0 $((12 + 10)) 20 0
            be 2 1
            be 8 10
            be 2 0
        fi
        be 2 20
        be 8 20
        be 2 65535
    } >"$work/log"
    gives 1 check "$work/log"
    grep -q "the header declares event type 1 with an invalid size" "$work/out" ||
        fail "size $size: $(<"$work/out")"
    for verb in inc show; do
        gives 0 $verb "$work/log"
        grep -q "GC idle" "$work/out" || fail "$verb: $(<"$work/out")"
    done
done
{ # more than the smallest is a shape of later versions
    log_header 18 14 1 6
    block 0 16 10 0
    be 2 1
    be 8 10
    be 4 1
    be 2 0
    be 2 65535
} >"$work/log"
gives 0 check "$work/log"
some=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin some
for log in "${some[@]}"; do
    [[ -e $log && $log != */older-shapes.eventlog ]] || continue # which has such types
    "$HECTIC" check "$log" >"$work/out" 2>&1 || true
    ! grep -q "with an invalid size" "$work/out" || fail "$log: $(<"$work/out")"
done

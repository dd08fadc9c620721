#!/usr/bin/env bash
# `hectic show` prints the public logs as ghc-events 0.21 does.
. tests/support/lib.bash
[[ -d $corpus ]] || skip "needs the collection of logs (HECTIC_CORPUS)"

for expected in "$corpus"/*.show; do
    log=${expected%.show}.eventlog
    [[ -s $log ]] || continue # the empty log prints nothing, and is an error
    gives 0 show "$log"
    same "$work/out" "$expected"
done

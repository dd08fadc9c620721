#!/usr/bin/env bash
# For random intervals, hectic stat agrees with sums over the text of ghc-events: sparks by their own
# events if the log has them, even if counters are late; existing OS threads; and memory, with
# fragmentation.
. tests/support/lib.bash
needs python3

compare() { # LOG SHOW: of random intervals
    python3 tests/oracle/intervals_oracle.py "$HECTIC" "$1" "$2" 25 || failed=1
}

failed=0
for name in sparks sparks-sampled spans threads demo heap-nonmoving; do
    compare "tests/logs/$name.eventlog" "tests/logs/$name.show"
done
for log in "${HECTIC_CORPUS:-../shared/corpus}"/{2011-*,ghc-9.2-*}.eventlog; do
    # Some were too much for ghc-events.
    [ ! -s "${log%.eventlog}.show" ] || compare "$log" "${log%.eventlog}.show"
done

if command -v ghc >/dev/null && command -v ghc-events >/dev/null; then
    . tests/support/compile.bash
    compile runs runs.hs -O1 -threaded
    for flags in "sparks -lf -N2" "overflow -lf -N4" "sparks -l-asf -N3 -A256k" "sparks -l -N2" \
        "caps -lf -N2"; do
        # shellcheck disable=SC2086
        "$work/runs" ${flags%% *} +RTS ${flags#* } "-ol$work/log" >/dev/null
        ghc-events show "$work/log" >"$work/show"
        echo "$flags:"
        compare "$work/log" "$work/show"
    done
fi
exit $failed

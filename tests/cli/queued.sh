#!/usr/bin/env bash
# The time that threads wait for a cap: threads computes it from the events, profile threads as
# ghc-events does; docs/machines.md describes the difference.
. tests/support/lib.bash
needs python3
peer=$(command -v ghc-events >/dev/null && echo peer || echo alone)

some=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin some
for log in "${some[@]}"; do
    case $log in
    */restarted*) continue ;; # each section has its own time
    */killed*) continue ;;    # caps may be missing: what is not running is unknown
    *"*.eventlog") continue ;;
    esac
    python3 tests/support/queued.py "$HECTIC" "$log" "$peer" >>"$work/out" || fail "$log"
done
grep -q ': 1[0-9] threads' "$work/out" || fail "no log has threads: $(cat "$work/out")"
[[ $peer == alone ]] || grep -q 'as ghc-events has them' "$work/out" || fail "no comparison"

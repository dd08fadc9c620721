#!/usr/bin/env bash
# `hectic show` prints each of our own logs as ghc-events 0.21 does (tests/programs/make-logs).
set -euo pipefail

out=$(mktemp)
trap 'rm -f "$out"' EXIT
failed=0

for expected in tests/logs/*.show; do
    log=${expected%.show}.eventlog
    "$HECTIC" show "$log" >"$out" || {
        echo "$log: exit code $?"
        failed=1
    }
    cmp "$out" "$expected" || failed=1
done

# ghc-events stops at a second header; here both parts of the log are shown.
for log in tests/logs/restarted*.eventlog; do
    "$HECTIC" show "$log" >"$out"
    for message in "before 1" "before 5" "after 1" "after 5"; do
        grep -q "cap 0: $message\$" "$out" || {
            echo "$log: $message is not shown"
            failed=1
        }
    done
done

exit $failed

#!/usr/bin/env bash
# The demo watches a running program, and ends, without a terminal.
. tests/support/lib.bash

demo=$PWD/scripts/demo
ln -s "$HECTIC_BUILD" "$work/build"
cd "$work"
timeout -k 10 300 "$demo" >"$work/out" </dev/null || fail "exit code $?: $(tail -3 "$work/out")"
for text in ': START [0-9]* lookup$' ': live data in heap' ': the load is ten times' ': that was it$' \
    'bytes allocated in the heap$'; do
    grep -q -- "$text" "$work/out" || fail "the demo does not show \"$text\""
done
if [[ -e build/view.html ]]; then
    path=$(sed -n 's|^ *file://||p' "$work/out")
    grep -q 'id="snapshot"' "$path" || fail "no report: $path"
else
    grep -q '^skipped: this build has no page' "$work/out" || fail "neither a report nor a reason"
fi
grep -q $'\033' "$work/out" && fail "colors without a terminal"
exit 0

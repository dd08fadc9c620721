#!/usr/bin/env bash
# The demo explains a log, watches a running program, and ends with a page, without a terminal.
. tests/support/lib.bash

demo=$PWD/scripts/demo
# Not in the project's directory: the page is written to build.
mkdir "$work/build"
ln -s "$HECTIC_BUILD"/* "$work/build"
ln -s "$PWD/examples" "$work/examples"
cd "$work"
timeout -k 10 300 "$demo" >"$work/out" </dev/null || fail "exit code $?: $(tail -3 "$work/out")"
for text in '^Verdict .* were unevaluated thunks' '^THUNK ' \
    '^ *[0-9.]* .*[0-9]M .*[0-9]ms' '^    build/hectic run ./Main '; do
    grep -q -- "$text" "$work/out" || fail "the demo does not show \"$text\""
done
if [[ -e build/view.html ]]; then
    path=$(sed -n 's|^ *file://||p' "$work/out")
    grep -q 'id="snapshot"' "$path" || fail "no report: $path"
else
    grep -q '^hectic is built without the page' "$work/out" || fail "neither a report nor a reason"
fi
grep -q $'\033' "$work/out" && fail "colors without a terminal"
exit 0

#!/usr/bin/env bash
# Output to terminals has colors, and is otherwise the same.
. tests/support/lib.bash
log=$logs/tiny.eventlog
escape=$(printf '\033')

gives 0 show "$log"
! grep -q "$escape" "$work/out" || fail "colors in a file"
gives 0 show --header --color=always "$log"
grep -q "^${escape}\[2m[0-9]*: cap 0: ${escape}\[0m" "$work/out" || fail "no colors"
sed "s/${escape}\[[02]m//g" "$work/out" | cmp - "$logs/tiny.show" || fail "other differences than colors"

script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "needs script, to have a terminal"
# on_terminal COMMAND: writes its output on a terminal to $work/out.
on_terminal() {
    script -qec "env TERM=xterm $1" /dev/null </dev/null >"$work/out"
}
# The bars of pauses are parts of the longest one, whatever comes first.
for arguments in "$logs/demo.eventlog" "--sort pause --limit 1 $logs/threads.eventlog" "$work/many"; do
    [[ -e $work/many ]] || generate_log --alternate --mix gc=1 --events 60000 -o "$work/many"
    on_terminal "$HECTIC gc --wide $arguments"
    grep -q "██████████" "$work/out" || fail "gc $arguments: no longest bar"
done
(($(wc -l <"$work/out") > 1000)) || fail "few collections"

on_terminal "$HECTIC show $log"
grep -q "$escape\[2m" "$work/out" || fail "no colors on a terminal"
for plain in "NO_COLOR=1 $HECTIC show" "TERM=dumb $HECTIC show" "$HECTIC show --color=never"; do
    on_terminal "$plain $log"
    ! grep -q "$escape\[2m" "$work/out" || fail "colors with $plain"
done

# Long work shows its progress, also where stdout is the terminal; the output follows on a clean line. With
# a fast clock, all work is long.
may_preload || skip "preloading is not for sanitizers"
generate_log --size 20M -o "$work/big"
# shows_progress ARGUMENT…: hectic on a terminal shows its progress, and removes it.
shows_progress() {
    on_terminal "LD_PRELOAD=$HECTIC_BUILD/tests/libpreload_clock.so $HECTIC $*"
    grep -q '% \[==' "$work/out" || fail "$*: no progress"
    last=$(tail -n 1 "$work/out")
    [[ ${last##*"${escape}[K"} != *%\ [* ]] || fail "$*: the progress is left"
}
for verb in "validate all" "check --deep"; do
    shows_progress "$verb" "$work/big"
    # shellcheck disable=SC2086
    "$HECTIC" $verb "$work/big" >"$work/plain" 2>/dev/null || true
    tail -n 1 "$work/plain" | tr -d '\r' >"$work/last"
    tail -n 1 "$work/out" | tr -d '\r' | sed "s/${escape}\[[0-9]*[mK]//g" | cmp - "$work/last" || fail "$verb: other output"
done
shows_progress check --repair "$work/big" "$work/repaired"
if [[ -e $(dirname "$HECTIC")/view.html ]]; then
    shows_progress view -o "$work/report.html" "$work/big"
fi

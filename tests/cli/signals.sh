#!/usr/bin/env bash
# Output to a closed pipe ends quietly; a verb that reads a finished log ends by a signal, and leaves
# nothing behind.
. tests/support/lib.bash

# A long log: that of a program that was restarted often.
for _ in $(seq 100); do cat "$logs/demo.eventlog"; done >"$work/long"

for arguments in "show" "inc" "show caps"; do
    # shellcheck disable=SC2086 # words are meant
    first=$("$HECTIC" $arguments "$work/long" 2>"$work/err" | head -n 1) || true
    [[ -n $first ]] || fail "$arguments prints nothing"
    [[ ! -s $work/err ]] || fail "$arguments is not quiet: $(head -1 "$work/err")"
done

mkdir "$work/folder"
is_written() { # by $child, with or without a name
    local fd
    for fd in /proc/"$child"/fd/*; do
        [[ $(readlink "$fd") == "$work/folder/"* && $(stat -Lc %s "$fd") -gt 0 ]] && return
    done
    return 1
}
generate_log --size 200M -o "$work/big"
set -m # otherwise interrupts are ignored in the background
for way in unnamed named; do
    begins=(env)
    if [[ $way == named ]]; then
        may_preload || continue
        begins=("${preload[@]}" NO_UNNAMED=1)
    fi
    for signal in HUP INT QUIT TERM; do
        "${begins[@]}" "$HECTIC" show "$work/big" -o "$work/folder/file" &
        child=$!
        soon is_written
        kill -$signal $child
        code=0
        wait $child || code=$?
        [[ $code == $((128 + $(kill -l $signal))) ]] || fail "exit code $code, not that of SIG$signal"
        [[ -z $(ls -A "$work/folder") ]] || fail "left behind: $(ls -A "$work/folder")"
    done
done

# inc of a finished log reads no live input, either.
"$HECTIC" inc "$work/big" -o "$work/folder/file" &
child=$!
soon is_written
kill -TERM $child
code=0
wait $child || code=$?
[[ $code == 143 && -z $(ls -A "$work/folder") ]] || fail "exit code $code; left: $(ls -A "$work/folder")"

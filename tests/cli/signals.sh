#!/usr/bin/env bash
# Without a reader, it ends quietly; a signal leaves no unfinished file behind.
. tests/cli/lib.bash

# A long log: that of a program that was restarted often.
for _ in $(seq 100); do cat "$logs/demo.eventlog"; done >"$work/long"

for arguments in "show" "inc" "show caps"; do
    # shellcheck disable=SC2086 # words are meant
    first=$("$HECTIC" $arguments "$work/long" 2>"$work/err" | head -n 1) || true
    [[ -n $first ]] || fail "$arguments prints nothing"
    [[ ! -s $work/err ]] || fail "$arguments is not quiet: $(head -1 "$work/err")"
done

mkdir "$work/folder"
mkfifo "$work/pipe"
"$HECTIC" inc "$work/pipe" -o "$work/folder/file" &
child=$!
exec 3>"$work/pipe"
head -c 20000 "$logs/demo.eventlog" >&3
for _ in $(seq 600); do
    [[ -z $(ls -A "$work/folder") ]] || break
    sleep 0.1
done
[[ -n $(ls -A "$work/folder") ]] || fail "it writes no file"
kill -TERM "$child"
code=0
wait "$child" || code=$?
[[ $code == 143 ]] || fail "exit code $code, not that of SIGTERM"
[[ -z $(ls -A "$work/folder") ]] || fail "left behind: $(ls -A "$work/folder")"

#!/usr/bin/env bash
# A file that shrinks while it is read is reported, with exit code 2.
. tests/support/lib.bash

# A program that was restarted often.
for _ in $(seq 200); do cat "$logs/demo.eventlog"; done >"$work/log"

# The reader of the pipe shortens the file after the first lines, while hectic waits for it.
mkfifo "$work/pipe"
code=0
"$HECTIC" show "$work/log" >"$work/pipe" 2>"$work/err" &
child=$!
{
    head -n 100
    truncate -s 100000 "$work/log"
    cat
} <"$work/pipe" >"$work/out"
wait "$child" || code=$?
[[ $code == 2 ]] || fail "exit code $code, not 2: $(head -3 "$work/err")"
says "hectic: $work/log: byte "
says "changed"

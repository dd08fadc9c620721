#!/usr/bin/env bash
# A log is the same from a file, a pipe, standard input, and compressed.
. tests/support/lib.bash
log=$logs/threads.eventlog

for arguments in "show" "show threads" "inc" "show --from 1ms"; do
    # shellcheck disable=SC2086 # words are meant
    {
        "$HECTIC" $arguments "$log" >"$work/file"
        "$HECTIC" $arguments - <"$log" >"$work/stdin"
        # shellcheck disable=SC2002 # a pipe is meant
        cat "$log" | "$HECTIC" $arguments - >"$work/pipe"
        "$HECTIC" $arguments <(cat "$log") >"$work/fifo"
    }
    for way in stdin pipe fifo; do
        same "$work/$way" "$work/file"
    done
done
gives 2 show - </dev/null
says "standard input"

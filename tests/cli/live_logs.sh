#!/usr/bin/env bash
# Live sources: inc prints their logs one after the other, and reports what it waits for.
. tests/support/lib.bash
"$HECTIC" inc "$logs/threads.eventlog" >"$work/one"
"$HECTIC" inc "$logs/tiny.eventlog" >"$work/two"
cat "$work/one" "$work/two" >"$work/both"

# A FIFO that does not exist yet. Without --follow, one log.
"$HECTIC" inc "fifo:$work/fifo" >"$work/out" 2>"$work/err" &
child=$!
soon file_has "$work/err" "create it with: mkfifo $work/fifo"
mkfifo "$work/fifo"
soon file_has "$work/err" "start a GHC-compiled program with: +RTS -l -ol$work/fifo"
cat "$logs/threads.eventlog" >"$work/fifo"
wait "$child"
same "$work/out" "$work/one"

# A file that is written, and written again.
"$HECTIC" inc --follow "file:$work/log" >"$work/out" 2>"$work/err" &
child=$!
soon file_has "$work/err" "waiting for file:$work/log to appear"
cat "$logs/threads.eventlog" >"$work/log"
soon has_lines "$work/out" "$(wc -l <"$work/one")"
cat "$logs/tiny.eventlog" >"$work/log"
soon has_lines "$work/out" "$(wc -l <"$work/both")"
kill "$child"
wait "$child" || true
same "$work/out" "$work/both"

# A descriptor, and only so many events.
gives 0 inc fd:3 3<"$logs/threads.eventlog"
same "$work/out" "$work/one"
mkfifo "$work/silence"
exec 8<>"$work/silence"
gives 0 inc --limit 3 fd:3 3< <(exec 8>&- && exec cat "$logs/threads.eventlog" "$work/silence")
exec 8>&-
[[ $(wc -l <"$work/out") -lt $(wc -l <"$work/one") ]] || fail "--limit has no effect"

# Errors.
"$HECTIC" inc "unix:$work/none" >"$work/out" 2>"$work/err" &
child=$!
soon file_has "$work/err" "waiting for unix:$work/none: no such socket yet"
kill "$child"
wait "$child" || true
gives 64 inc "unix:$(printf 'x%.0s' {1..200})"
says "a socket path has at most 107 bytes, this one has 200"
gives 64 inc tcp:localhost
says "tcp:HOST:PORT"
gives 64 inc --from marker:x fd:3 3<"$logs/threads.eventlog"
says "cannot be used with a live log"
gives 2 inc fd:3 3<README.md
says "byte 0"

# The analyses answer when the log ends, or is interrupted.
"$HECTIC" threads "$logs/threads.eventlog" >"$work/expected"
gives 0 threads "file:$logs/threads.eventlog"
same "$work/out" "$work/expected"
mkfifo "$work/later"
"$HECTIC" gc "fifo:$work/later" >"$work/out" 2>"$work/err" &
child=$!
soon file_has "$work/err" "fifo:$work/later"
exec 9>"$work/later"
cat "$logs/threads.eventlog" >&9
wait "$child"
exec 9>&-
"$HECTIC" gc "$logs/threads.eventlog" >"$work/expected"
same "$work/out" "$work/expected"
set -m # children of scripts ignore interrupts otherwise
"$HECTIC" info "fifo:$work/later" >"$work/out" 2>"$work/err" &
child=$!
exec 9>"$work/later"
# A pipe holds 64 KiB: a part of these bytes has been read.
generate_log --size 1M >"$work/much"
head -c 500K "$work/much" >&9
kill -INT "$child"
wait "$child" || fail "interrupted, it ended with $?: $(cat "$work/err")"
exec 9>&-
grep -q "^Process" "$work/out" || fail "it does not answer when it is interrupted"

# A file that is not a log is refused at once.
head -c 100000 /dev/zero | tr '\0' '\377' >"$work/soup"
gives 2 threads "file:$work/soup"
says "not an eventlog"

# A FIFO without a writer, by its path.
"$HECTIC" threads "$work/later" >"$work/out" 2>"$work/err" &
child=$!
soon file_has "$work/err" "waiting for a program to write to $work/later; start a GHC-compiled program with"
cat "$logs/threads.eventlog" >"$work/later"
wait "$child"
"$HECTIC" threads "$logs/threads.eventlog" >"$work/expected"
same "$work/out" "$work/expected"

# A log after other bytes; a path of another kind; a command without a program.
{
    head -c 1000 "$work/soup"
    cat "$logs/tiny.eventlog"
} >"$work/behind"
gives 2 show "$work/behind"
says "an eventlog begins at byte 1000; to read it: tail -c +1001 $work/behind | hectic ... -"
gives 2 show "$work/soup"
! grep -q "begins at byte" "$work/err" || fail "a log is reported where there is none"
"$HECTIC" watch "unix:$work/soup" 2>"$work/err" &
child=$!
soon file_has "$work/err" "not a socket"
kill "$child"
wait "$child" || true
gives 2 ctl "unix:$work/none" flush
says "no program listens there; start it first"
gives 2 ctl "unix:$(printf 'x%.0s' {1..200})" flush
says "at most 107 bytes"

# A program instead of a log: every way of opening logs names hectic run.
cp "$HECTIC" "$work/Main"
printf '#!/bin/sh\nexit\n' >"$work/script"
for verb in info show "inc --follow" watch "watch --follow" top "top --follow" stat check "copy -o $work/none"; do
    # shellcheck disable=SC2086 # words are meant
    gives 64 $verb "$work/Main"
    says "$work/Main: this is a program, not a log; to run it: hectic run $work/Main"
done
gives 64 info "$work/script"
[[ ! -e $work/none ]] || fail "there is an output"

# Without a reader of its output, the command ends, although no event comes that it would write.
mkfifo "$work/quiet"
sleep 1000 3<>"$work/quiet" &
holder=$!
for arguments in "cut --as-is --quiet fifo:$work/quiet -" "cut --as-is --quiet unix:$work/no-socket -" "show --follow --quiet fifo:$work/quiet"; do
    read -ra words <<<"$arguments"
    (timeout 60 "$HECTIC" "${words[@]}" 2>/dev/null || echo $? >"$work/code") | true
    [[ $(<"$work/code") == 141 ]] || fail "$arguments: exit code $(<"$work/code")"
done
kill $holder

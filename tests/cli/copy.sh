#!/usr/bin/env bash
# hectic copy and hectic cut --raw, which are the same: without filters the same bytes, with filters
# the right events in a sound log.
. tests/support/lib.bash
log=$logs/threads.eventlog

some=("$logs"/*.eventlog)
thin some
for each in "${some[@]}"; do
    gives 0 copy --force "$each" "$work/copy"
    same "$each" "$work/copy"
done
gives 0 cut --force --raw "$log" "$work/copy"
same "$log" "$work/copy"
gives 0 cut --force --raw "$logs/killed.eventlog" "$work/copy" # whose last event is incomplete
same "$logs/killed.eventlog" "$work/copy"
gives 0 copy "$log" -
same "$log" "$work/out"
gives 0 copy --force "$log" -o "$work/copy"
same "$log" "$work/copy"
"$HECTIC" copy --force - "$work/copy" <"$log" || fail "standard input is not copied"
same "$log" "$work/copy"

# A filter shows the same events of the copy and of the log, and the copy is sound.
shown() {
    "$HECTIC" show --json "$@" | grep -v '"event":"BLOCK_MARKER"' || true
}
selects() {
    gives 0 copy --force "$@" "$log" "$work/part"
    gives 0 cut --force --raw "$@" "$log" "$work/cut"
    same "$work/part" "$work/cut"
    shown "$@" "$log" >"$work/of-log"
    shown "$@" "$work/part" >"$work/of-part"
    [[ -s $work/of-log ]] || fail "$*: nothing to compare"
    same "$work/of-log" "$work/of-part"
    gives 0 check "$work/part"
    # The rest are definitions.
    shown "$work/part" | grep '"event":"PROGRAM_ARGS"' >/dev/null || fail "$*: the program is missing"
    [[ $(stat -c %s "$work/part") -lt $(stat -c %s "$log") ]] || fail "$*: nothing was left out"
}
selects --cap 0
selects --event gc
selects --event RUN_THREAD,STOP_THREAD
selects --thread 3
selects --match 'thread 1\b'
middle=$(shown "$log" | sed -n '100s/.*"time":\([0-9]*\),.*/\1/p')
selects --to "${middle}ns"
selects --from "${middle}ns"
selects --from "${middle}ns" --to "$((middle + 1000000))ns" --cap 0

# A damaged log is not copied.
head -c -2 "$log" >"$work/damaged"
echo "no event" >>"$work/damaged"
gives 1 copy "$work/damaged" "$work/none"
says "hectic: $work/damaged: byte $(($(stat -c %s "$log") - 2)): undeclared event type"
says "check --repair IN OUT"
[[ ! -e $work/none ]] || fail "a damaged log leaves a copy"

# A file without a complete header is not a log, and not copied.
: >"$work/empty"
head -c 1000 "$log" >"$work/header"
for arguments in "copy" "copy --cap 0" "cut --raw"; do
    for file in empty header; do
        # shellcheck disable=SC2086 # words are meant
        gives 2 $arguments "$work/$file" "$work/none"
    done
    says "header"
done

gives 2 copy "$work/missing" "$work/none"
gives 2 copy "$log" "$work/nowhere/copy"
for verb in copy "cut --raw"; do
    # shellcheck disable=SC2086 # words are meant
    {
        gives 64 $verb "$log"
        says "hectic ${verb% *}: missing operand: OUT"
        gives 64 $verb "$log" -o "$work/copy" "$work/none"
        says "hectic ${verb% *}: both OUT and -o are given"
        gives 64 $verb --from 2ms --to 1ms "$log" "$work/none"
    }
done
gives 64 copy --raw "$log" "$work/none"
[[ ! -e $work/none ]] || fail "something was left behind"

# The marker is searched first. A pipe and a compressed log are read again from the spool.
marked=$logs/demo.eventlog
gives 0 copy --force --from marker:phi "$marked" "$work/part"
# shellcheck disable=SC2002 # a pipe is meant
cat "$marked" | "$HECTIC" copy --from marker:phi - - | cmp - "$work/part" || fail "from a pipe"
gzip -c "$marked" | "$HECTIC" copy --from marker:phi - - | cmp - "$work/part" || fail "compressed"
gzip -c "$marked" | head -c -9 | "$HECTIC" copy --force --from marker:phi - "$work/cut" ||
    fail "a compressed log that is cut short is not copied up to there"
"$HECTIC" check "$work/cut" >"$work/out" || fail "it is not sound: $(cat "$work/out")"

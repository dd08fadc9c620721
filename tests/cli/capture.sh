#!/usr/bin/env bash
# Logs that are still being written: signals and limits end the input, and the output is finished.
# (tests/soak/captures does that at random moments.)
. tests/support/lib.bash
export TMPDIR=$work/temporary
mkdir "$TMPDIR" "$work/folder"
out=$work/folder/out
generate_log --size 300k --caps 2 --buffer 10k -o "$work/log"
half=$(($(stat -c %s "$work/log") / 2))
mkfifo "$work/fifo" "$work/second"

nothing_but() {
    [[ $(ls -A "$work/folder") == "$1" ]] || fail "left behind: $(ls -A "$work/folder")"
    [[ -z $(ls -A "$TMPDIR") ]] || fail "left behind: $(ls -A "$TMPDIR")"
}

# begins ARGUMENT…: hectic, in the background, as $child; half of the log is written to the FIFO,
# over descriptor 9, and goes on running.
begins() {
    rm -f "$out" "$work/err"
    "$HECTIC" "$@" >"$work/out" 2>"$work/err" &
    child=$!
    exec 9>"$work/fifo"
    head -c "$half" "$work/log" >&9 2>"$work/said" || true # it may have had enough
}

ends_with() { # CODE
    local code=0
    wait $child || code=$?
    exec 9>&-
    [[ $code == "$1" ]] || fail "exit code $code, not $1: $(cat "$work/err")"
}

# is_half FILE: the log as far as it has arrived.
head -c "$half" "$work/log" >"$work/half"
is_half() {
    cmp "$1" "$work/half" || fail "it is not what has arrived"
}

# A second signal, at once or while the output is finished, changes nothing.
for signal in HUP INT QUIT TERM; do
    begins copy --force "$work/fifo" "$out"
    kill -$signal $child
    kill -$signal $child
    ends_with 0
    is_half "$out"
    nothing_but out
done

# As timeout(1) sends them, after a time of its own: to the process, and to its group.
begins copy --force "fifo:$work/fifo" "$out"
kill -KILL $child
wait $child || true
exec 9>&-
nothing_but ""
{
    exec 8>"$work/fifo"
    cat "$work/half" >&8
    exec sleep 600
} &
writer=$!
code=0
timeout -s INT 2 "$HECTIC" copy --force "fifo:$work/fifo" "$out" 2>"$work/err" || code=$?
[[ $code == 124 ]] || fail "timeout says $code: $(cat "$work/err")"
is_half "$out"
kill $writer
wait $writer || true

# An ignored SIGHUP stays ignored; the others count even if they are.
begin_ignoring() {
    (
        trap '' HUP INT
        exec "$HECTIC" "$@" >"$work/out" 2>"$work/err"
    ) &
    child=$!
    exec 9>"$work/fifo"
    cat "$work/half" >&9
}
begin_ignoring copy --force "$work/fifo" "$out"
kill -HUP $child
tail -c +$((half + 1)) "$work/log" >&9
exec 9>&-
wait $child || fail "exit code $?"
same "$out" "$work/log"
begin_ignoring copy --force "$work/fifo" "$out"
kill -INT $child
ends_with 0
is_half "$out"

# Nothing has arrived, or no complete header.
"$HECTIC" copy --force "fifo:$work/fifo" "$out" 2>"$work/err" &
child=$!
rm "$out"
soon grep -q "waiting for a program" "$work/err"
kill -TERM $child
ends_with 2
says "no log began before the interrupt"
nothing_but ""
"$HECTIC" info -o "$out" "$work/fifo" 2>"$work/err" &
child=$!
exec 9>"$work/fifo"
head -c 100 "$work/log" >&9
kill -TERM $child
ends_with 2
says "header"
nothing_but ""

# A process that hangs because its output is not read is terminated by a third signal, after a second.
mkfifo "$work/stuck"
exec 7<>"$work/stuck"
generate_log --size 3M -o "$work/much"
"$HECTIC" copy - - <"$work/fifo" >"$work/stuck" 2>"$work/err" &
child=$!
cat "$work/much" >"$work/fifo" &
writer=$!
is_blocked() {
    [[ $(cat /proc/$child/task/*/wchan) == *pipe_write* ]] || (($(cat /proc/$child/task/*/syscall | grep -c '^1 ') > 0))
}
soon is_blocked
kill -TERM $child
kill -TERM $child
kill -TERM $child
sleep 1.1 # a second, in which nothing happens
kill -0 $child || fail "three signals within a second have ended it"
# Signals that arrive while one is handled may be counted as one.
gets_another() {
    ! kill -TERM $child 2>/dev/null
}
soon gets_another
ends_with 143
kill $writer 2>/dev/null || true
wait $writer || true
exec 7>&-

# Streams are written as they arrive.
begins copy "$work/fifo" -
least=$((half - 1000)) # except an incomplete event
soon has_bytes "$work/out" $least
kill -TERM $child
ends_with 0
is_half "$work/out"
begins copy --match . "$work/fifo" -
least=$((half - 30000)) # except an incomplete block
soon has_bytes "$work/out" $least
kill -TERM $child
ends_with 0
"$HECTIC" copy --match . "$work/half" - | cmp - "$work/out" || fail "the rest is not there"
begins check --repair "$work/fifo" -
soon has_bytes "$work/out" $least
kill -TERM $child
ends_with 0
mv "$work/out" "$work/repaired"
gives 0 check "$work/repaired"

# The file is finished although stderr is closed.
rm -f "$out"
"$HECTIC" copy --force "fifo:$work/fifo" "$out" 2> >(exec true) &
child=$!
exec 9>"$work/fifo"
cat "$work/half" >&9
kill -TERM $child
ends_with 0
is_half "$out"

# Limits end the capture while the program continues.
"$HECTIC" inc "$work/half" >"$work/listed"
begins inc -q --limit 20 "$work/fifo"
ends_with 0
"$HECTIC" inc --limit 20 "$work/half" | cmp - "$work/out" || fail "--limit 20 are not the first"
begins copy --force --limit 20 "$work/fifo" "$out"
ends_with 0
"$HECTIC" copy --limit 20 "$work/half" "$work/wanted"
same "$out" "$work/wanted"
time_of() { # LINE of what show lists, by time
    "$HECTIC" show --json "$work/half" | sed -n "$1"'s/.*"time":\([0-9]*\),.*/\1/p'
}
to=$(time_of 300)ns
limited=("inc -q --to $to SRC" "inc -q --follow --to $to SRC" "copy --to $to SRC -"
    "cut --to $to SRC -" "show --to $to SRC" "show --limit 20 SRC" "cut --limit 20 SRC -"
    "threads --to $to SRC" "stat --to $to SRC" "gc --to $to SRC" "show --to marker:phi MARKED"
    "copy --to marker:phi MARKED -")
head -c -2 "$logs/demo.eventlog" >"$work/marked"
ends=() writers=()
for i in "${!limited[@]}"; do
    mkfifo "$work/fifo$i"
    log=$work/half
    [[ ${limited[i]} != *MARKED* ]] || log=$work/marked
    read -ra words <<<"${limited[i]/MARKED/SRC}"
    "$HECTIC" "${words[@]/SRC/$work/fifo$i}" >"$work/out$i" 2>"$work/err" &
    ends+=($!)
    { cat "$log" && exec sleep 600; } >"$work/fifo$i" 2>"$work/said" &
    writers+=($!)
    words=("${words[@]/--follow/--quiet}")
    "$HECTIC" "${words[@]/SRC/$log}" >"$work/wanted$i" 2>/dev/null || true
done
for i in "${!limited[@]}"; do
    wait "${ends[i]}" || fail "${limited[i]}: exit code $?"
    cmp "$work/out$i" "$work/wanted$i" || fail "${limited[i]}: not what the whole log gives"
done
kill "${writers[@]}"

# Two sources at once: both are read up to the signal.
rm -f "$out"
"$HECTIC" merge --force --align none -o "$out" "fifo:$work/fifo" "$work/second" 2>"$work/err" &
child=$!
exec 9>"$work/fifo" 8>"$work/second"
cat "$work/half" >&9
generate_log --size 500k --seed 3 -o "$work/other"
head -c 400000 "$work/other" >"$work/other-half"
cat "$work/other-half" >&8 # more than a pipe holds: it has been read, mostly
kill -INT $child
ends_with 0
exec 8>&-
"$HECTIC" merge --align none -o "$work/wanted-merge" "$work/half" "$work/other-half"
same "$out" "$work/wanted-merge"
nothing_but out

# A full disk. For a live input, what could be written is kept; otherwise nothing.
is_part_of() {
    head -c "$(stat -c %s "$out")" "$2" | cmp - "$out" || fail "$1: the file is not its beginning"
    [[ -s $out ]] || fail "$1: nothing is kept"
}
(
    ulimit -f 64 # of 1024 bytes
    begins copy --force "$work/fifo" "$out"
    ends_with 2
) || exit
says "hectic: $out: File too large; it holds what could be written"
is_part_of "a limit" "$work/half"
nothing_but out
rm -f "$out"
code=0
(ulimit -f 64 && exec "$HECTIC" copy --force "$work/half" "$out" 2>"$work/err") || code=$?
[[ $code == 2 ]] || fail "exit code $code"
says "hectic: $out: File too large"
nothing_but ""

may_preload || skip "preloading is not for sanitizers"
# full COMMAND…: as `begins`, with FULL_DISK full.
full() {
    rm -f "$out"
    "${preload[@]}" "$@" >"$work/out" 2>"$work/err" &
    child=$!
    exec 9>"$work/fifo"
    cat "$work/half" >&9 2>/dev/null || true
}
full FULL_DISK="$work/folder" FULL_AFTER=50000 "$HECTIC" inc -q -o "$out" "$work/fifo"
ends_with 2
says "No space left on device; it holds what could be written"
is_part_of inc "$work/listed"
# The temporary folder.
full FULL_DISK="$TMPDIR" FULL_AFTER=100000 "$HECTIC" show -o "$out" "fifo:$work/fifo"
ends_with 2
says "cannot write to the temporary directory $TMPDIR: No space left on device"
says "the log ends here"
[[ $(wc -l <"$out") -gt 1000 ]] || fail "what had arrived is not shown"

#!/usr/bin/env bash
# record writes a live source to a file until it ends, a limit is reached, or a signal arrives.
. tests/support/lib.bash
mkdir "$work/folder"
out=$work/folder/out
generate_log --size 300k --caps 2 --buffer 10k -o "$work/log"
half=$(($(stat -c %s "$work/log") / 2))
head -c "$half" "$work/log" >"$work/half"
mkfifo "$work/fifo"

sound() { # FILE: with an end marker, as its program wrote one
    gives 0 check "$1"
    grep -q ": sound: " "$work/out" || fail "not sound, or without an end marker: $(cat "$work/out")"
}
cut_short() { # FILE
    gives 0 check "$1"
    grep -q ": sound, cut short: " "$work/out" || fail "not cut short: $(cat "$work/out")"
}
nothing_but() {
    [[ $(ls -A "$work/folder") == "$1" ]] || fail "left behind: $(ls -A "$work/folder")"
}
# begins ARGUMENT…: in the background, as $child, with half of the log written to the FIFO.
begins() {
    "$HECTIC" "$@" >"$work/out" 2>"$work/err" &
    child=$!
    exec 9>"$work/fifo"
    cat "$work/half" >&9 2>/dev/null || true # it may have enough
}
ends_with() { # CODE
    local code=0
    wait $child || code=$?
    exec 9>&-
    [[ $code == "$1" ]] || fail "exit code $code, not $1: $(cat "$work/err")"
}

# A whole log is copied byte by byte, from each kind of source.
gives 0 record --force fd:3 "$out" 3<"$work/log"
same "$out" "$work/log"
gives 0 record --force - "$out" < <(cat "$work/log")
same "$out" "$work/log"
gives 0 record --force "$work/log" "$out"
same "$out" "$work/log"
gives 0 record --force -v "file:$work/log" "$out"
same "$out" "$work/log"
says "$out: "
rm "$out"

# A file that grows is read until its end marker; the output appears when it is complete.
"$HECTIC" record --force "$work/grows" "$out" 2>"$work/err" &
child=$!
soon grep -q "waiting for $work/grows to appear" "$work/err"
cat "$work/half" >"$work/grows"
soon has_read $child "$half"
nothing_but ""
tail -c +$((half + 1)) "$work/log" >>"$work/grows"
ends_with 0
same "$out" "$work/log"

# After some time, or a signal: nothing that arrived is missing, and the log has no end marker.
"$HECTIC" inc --force --no-header "$work/half" | grep -v ": event block: " >"$work/expected"
is_half() {
    cut_short "$out"
    "$HECTIC" inc --force --no-header "$out" | grep -v ": event block: " >"$work/got"
    same "$work/got" "$work/expected"
    nothing_but out
}
begins record --force --for 300ms "fifo:$work/fifo" "$out"
ends_with 0
is_half
for signal in HUP INT TERM; do
    rm "$out"
    begins record --force "$work/fifo" "$out"
    kill -$signal $child
    ends_with 0
    is_half
done

# --for begins with the first byte: before it, nothing ends the recording, which only time can show.
"$HECTIC" record --force --for 500ms "fifo:$work/fifo" "$out" 2>"$work/err" &
child=$!
soon grep -q "waiting for a program" "$work/err"
sleep 0.7
exec 9>"$work/fifo"
cat "$work/half" >&9
ends_with 0
is_half

# A number of events, or a time of the log. The source does not end.
begins record --force --limit 100 "$work/fifo" "$out"
ends_with 0
cut_short "$out"
gives 0 info --json "$out"
[[ $(cat "$work/out") == *'"events":100,'* ]] || fail "not 100 events"
without_sizes() { sed 's/event block: .*//'; }
"$HECTIC" inc --force "$out" | without_sizes >"$work/got"
"$HECTIC" inc --force --limit 100 "$work/log" | without_sizes >"$work/expected_limit"
same "$work/got" "$work/expected_limit"
{
    log_header 18 14 19 65535
    for second in 1 2 3 9; do
        block ${second}000000000 14 ${second}000000000 0
        be 2 19
        be 8 ${second}000000000
        be 2 2
        printf s%d $second
    done
} >"$work/seconds"
"$HECTIC" record --force --to 2.5s "fifo:$work/fifo" "$out" 2>"$work/err" &
child=$!
exec 9>"$work/fifo"
cat "$work/seconds" >&9
ends_with 0
cut_short "$out"
[[ $("$HECTIC" inc "$out" | sed -n 's/.*: s/s/p' | xargs) == "s1 s2" ]] || fail "not up to 2.5 s: $("$HECTIC" inc "$out")"
gives 64 record --force --to nonsense "$work/log" "$out"
gives 64 record --force --for 0s "$work/log" "$out"

# Damage is skipped and reported.
{
    head -c "$half" "$work/log"
    head -c 1000 /dev/zero | tr '\0' '\376' # no event type
    tail -c +$((half + 1)) "$work/log"
} >"$work/damaged"
gives 1 record --force "$work/damaged" "$out"
says "skipped"
gives 0 check "$out"
grep -q ": sound" "$work/out" || fail "not sound: $(cat "$work/out")"

# What cannot be: the source itself, a program, no folder, no log, no space.
rm "$out"
cp "$work/log" "$work/same"
gives 2 record --force "$work/same" "$work/same"
same "$work/same" "$work/log"
gives 64 record "$HECTIC" "$out"
says "hectic run $HECTIC"
gives 2 record --force "$work/log" "$work/none/out"
gives 2 record --force "$work/log" "$work/folder"
gives 2 record --force - "$out" </dev/null
gives 2 record --force - "$out" <README.md
gives 64 record --force "$work/log"
nothing_but ""
[[ ! -c /dev/full ]] || gives 2 record --force "$work/log" /dev/full
if may_preload; then
    code=0
    "${preload[@]}" FULL_DISK="$work/folder/" FULL_WHILE="$work/log" "$HECTIC" record --force "$work/log" "$out" 2>"$work/err" || code=$?
    ((code == 2)) || fail "exit code $code: $(cat "$work/err")"
    says "No space left on device"
    rm -f "$out"
fi

# The wait for a live log has a limit.
rm -f "$out"
waits=("record --force --for 1s unix:$work/none $out" "watch unix:$work/none" "stat fifo:$work/none"
    "stat $work/fifo" "inc --follow $work/none" "show tcp:127.0.0.1:1" "merge -o $out unix:$work/none unix:$work/none")
for verb in check gc heap info inc prof profile simulate sparks spans stat tasks threads ticky validate; do
    waits+=("$verb unix:$work/none")
done
for verb in copy cut "export --format hp"; do
    waits+=("$verb unix:$work/none $out")
done
[[ ! -e $(dirname "$HECTIC")/view.html ]] ||
    waits+=("view --no-browser unix:$work/none" "view -o $out unix:$work/none")
for verb in "${waits[@]}"; do
    # shellcheck disable=SC2086 # words are meant
    gives 2 ${verb%% *} --wait 100ms ${verb#* }
    says "no log began within the time of --wait"
    ! grep -q "empty" "$work/err" || fail "$verb: $(<"$work/err")"
done
for verb in "${waits[@]}"; do # likewise, by a signal
    code=0
    rm -f "$work/err"
    # shellcheck disable=SC2086 # words are meant
    "$HECTIC" $verb 2>"$work/err" &
    soon grep -q "waiting for" "$work/err"
    kill -INT $!
    wait $! || code=$?
    ((code == 2)) || fail "$verb: exit code $code by a signal"
    says ": no log began before the interrupt"
    ! grep -q "empty" "$work/err" || fail "$verb: $(<"$work/err")"
done
nothing_but ""
begins record --force --wait 20s --for 100ms "$work/fifo" "$out" # which does not end a log that has begun
ends_with 0
cut_short "$out"
rm "$out"
! "$HECTIC" record --force --to 1h "$work/half" "$out" 2>"$work/err" &
soon grep -q "an interrupt (Ctrl-C) ends the recording" "$work/err"
kill -TERM "$(pgrep -P $! || echo $!)" || true
wait

# A program that is started, and interrupted.
command -v ghc >/dev/null || exit 0
. tests/support/compile.bash
compile all run.hs -threaded
gives 0 record --force "run:$work/all x" "$out"
sound "$out"
gives 0 record --force --for 1s "run:$work/all last 600" "$out"
sound "$out"
gives 0 info --json "$out"
[[ $(cat "$work/out") == *'"args":["'*'"last","600"'* ]] || fail "another program: $(cat "$work/out")"

#!/usr/bin/env bash
# inc --follow and show --follow print a log while it is written, and end at its end marker.
. tests/support/lib.bash
log=$logs/threads.eventlog
size=$(wc -c <"$log")
"$HECTIC" inc "$log" >"$work/expected"

# begins ARGUMENT…: hectic, in the background; its output is $work/followed.
begins() {
    : >"$work/followed"
    "$HECTIC" "$@" >"$work/followed" &
    child=$!
}

for way in "inc --follow" "inc force" "show --follow"; do
    half=$((size / 2))
    head -c "$half" "$log" >"$work/growing"
    "$HECTIC" inc "$work/growing" >"$work/half"
    # shellcheck disable=SC2086 # words are meant
    begins $way "$work/growing"
    soon has_lines "$work/followed" "$(wc -l <"$work/half")"
    tail -c +$((half + 1)) "$log" >>"$work/growing"
    wait "$child"
    same "$work/followed" "$work/expected"
done

# A file that does not exist yet; then programs that were killed and restarted: in another file of
# that name, and in the same file, emptied.
begins show --quiet --follow "$work/late"
head -c "$half" "$log" >"$work/late"
soon has_lines "$work/followed" "$(wc -l <"$work/half")"
head -c "$half" "$log" >"$work/other"
mv "$work/other" "$work/late"
soon has_lines "$work/followed" $((2 * $(wc -l <"$work/half")))
cat "$logs/tiny.eventlog" >"$work/late"
wait "$child"
"$HECTIC" inc "$logs/tiny.eventlog" | cat "$work/half" "$work/half" - >"$work/again"
same "$work/followed" "$work/again"

# From a pipe, events are printed before the pipe ends.
mkfifo "$work/pipe"
begins inc "$work/pipe"
exec 3>"$work/pipe"
head -c "$half" "$log" >&3
soon has_lines "$work/followed" "$(wc -l <"$work/half")"
tail -c +$((half + 1)) "$log" >&3
exec 3>&-
wait "$child"
same "$work/followed" "$work/expected"

# show --follow has the options of show, and no groups.
cat "$log" >"$work/whole"
gives 0 show --follow --pretty-time --limit 1 "$work/whole"
grep -qE "^ +0s +0ms .*us: " "$work/out" || fail "no pretty time: $(cat "$work/out")"
gives 0 show --follow --header --limit 1 "$work/whole"
prints "Event Types:"
gives 64 show --follow caps "$work/whole"
says "hectic show: --follow cannot be combined with threads or caps"
gives 0 show --follow "fd:3" 3<"$log"
same "$work/out" "$work/expected"

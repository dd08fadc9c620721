#!/usr/bin/env bash
# hectic merge: all events of all logs, in order of time, and no two logs share a number.
. tests/support/lib.bash
. tests/support/validity.bash

json() {
    "$HECTIC" show --json "$@" | grep -v '"event":"BLOCK_MARKER"' || true
}

count() {
    json "$1" | wc -l
}

# merges LOG…: without alignment, the events of the first log's caps do not change.
merges() {
    local all=0 log
    gives 0 merge --force --align none -o "$work/merged" "$@"
    gives 0 check "$work/merged"
    for log; do
        all=$((all + $(count "$log")))
    done
    json "$work/merged" >"$work/json"
    [[ $(wc -l <"$work/json") == "$all" ]] || fail "$*: $(wc -l <"$work/json") of $all events"
    grep -o '^{"time":[0-9]*' "$work/json" | cut -d: -f2 | sort -nc || fail "$*: not by time"
    accepted "$work/merged" "$@"
    json "$1" | grep -v '"cap":null' >"$work/wanted" || return 0
    local caps
    caps=$(grep -o '"cap":[0-9]*' "$work/wanted" | cut -d: -f2 | sort -un | paste -sd,)
    json --cap "$caps" "$work/merged" >"$work/found"
    # Types with a new number are shown by their description.
    grep -v '"event":null' "$work/found" >"$work/known" || true
    grep -vF -f <(comm -23 <(names "$work/wanted") <(names "$work/known")) "$work/wanted" \
        >"$work/expected" || true
    [[ -s $work/known ]] || fail "$*: no known events"
    same "$work/expected" "$work/known"
}

names() {
    grep -o '"event":"[A-Z_]*"' "$1" | sort -u
}

old=$corpus/hello-ghc-8.2.2.eventlog
new=$corpus/ghc-9.2-events.eventlog
threads=$logs/threads.eventlog
some=("$logs"/*.eventlog)
thin some
for log in "${some[@]}"; do
    case $log in
    */every-event.eventlog | */older-shapes.eventlog) continue ;;
    esac
    merges "$log" "$threads"
    is_short || merges "$log" "$log"
done
if is_short; then
    for log in "$logs"/{demo,restarted,sparks}.eventlog; do merges "$log" "$log"; done
fi
merges "$threads" "$logs/sparks.eventlog" "$threads"
if [[ -e $old ]]; then
    merges "$old" "$new"
    merges "$new" "$old" "$corpus/nofib-para.eventlog"
    merges "$corpus/2011-sealions.eventlog" "$corpus/2011-SumEulerPar1_sparks_detailed.eventlog"
    merges "$corpus/2011-sealions.eventlog" "$new"
    merges "$threads" "$corpus/ticky-ticky.eventlog" "$corpus/ticky-ticky.eventlog"

    # The older GC_STATS_GHC is shown by its description, with its whole payload.
    gives 0 merge --force --align start -o "$work/merged" "$old" "$new"
    "$HECTIC" show "$work/merged" >"$work/shown"
    grep -q '^1000: GC statistics (size 50)$' "$work/shown" || fail "the older shape is not declared"
    grep -q '^53: GC statistics (size 58)$' "$work/shown" || fail "the newer shape is not declared"
    [[ $(grep -c ': GC statistics$' "$work/shown") == \
        "$("$HECTIC" show --event GC_STATS_GHC --no-header "$old" | grep -c .)" ]] ||
        fail "the older shape's events"
    # Without that difference no type gets a new number.
    "$HECTIC" merge --force -o "$work/merged" "$threads" "$logs/demo.eventlog"
    "$HECTIC" show "$work/merged" | grep '^1000:' >/dev/null && fail "a type has a new number"
fi

# No two logs share a number of a cap, capset, thread or task.
gives 0 merge --force --align none -o "$work/merged" "$threads" "$threads"
for name in cap cap_no capset thread task; do
    once=$(json "$threads" | grep -oE "\"$name\":[0-9]+" | sort -u | wc -l)
    twice=$(json "$work/merged" | grep -oE "\"$name\":[0-9]+" | sort -u | wc -l)
    [[ $twice == $((2 * once)) ]] || fail "$name: $once in one log, $twice in two"
done

# Numbers of the operating system do not change, even if two logs share them.
for log in "$threads" "$logs/demo.eventlog"; do
    gives 0 merge --force -o "$work/merged" "$threads" "$log"
    for name in os_thread pid; do
        cat <(json "$threads") <(json "$log") | grep -oE "\"$name\":[0-9]+" | sort >"$work/wanted"
        json "$work/merged" | grep -oE "\"$name\":[0-9]+" | sort >"$work/found"
        [[ -s $work/wanted ]] || fail "$log has no $name"
        same "$work/wanted" "$work/found"
    done
done

# A log that was ended and restarted while the program ran is one run: its caps and threads have the
# same numbers in both sections. Several runs in one file are several logs.
gives 0 merge --force -o "$work/merged" "$logs/restarted.eventlog" "$threads"
cat "$work/merged" >"$work/in_two"
gives 0 merge --force -o "$work/merged" "$threads" "$logs/restarted.eventlog"
for log in "$work/in_two" "$work/merged"; do
    [[ $(json "$log" --event USER_MSG | grep -E '(before|after) [1-5]"' | grep -o '"cap":[0-9]*' |
        sort | uniq -c | awk '{print $1}') == 10 ]] || fail "$log: not on one cap"
    [[ $(json "$log" --event CAP_CREATE | wc -l) == 3 ]] || fail "$log: caps"
done
cat "$threads" "$logs/demo.eventlog" >"$work/runs"
gives 0 merge --force -o "$work/merged" "$work/runs" "$logs/sparks.eventlog"
gives 0 merge --force -o "$work/again" "$threads" "$logs/demo.eventlog" "$logs/sparks.eventlog"
json "$work/merged" | sort >"$work/found" # (events of one time may come in another order)
json "$work/again" | sort >"$work/wanted"
same "$work/found" "$work/wanted"

# Clocks: both logs have the same wall clock at one time of the merged log.
gives 0 merge --force -o "$work/merged" "$threads" "$logs/demo.eventlog"
json "$work/merged" --event WALL_CLOCK_TIME |
    sed 's/{"time":\([0-9]*\),.*"seconds":\([0-9]*\),"nanoseconds":\([0-9]*\)}/\1 \2 \3/' |
    awk '{ print ($2 - 1700000000) * 1000000000 + $3 - $1 }' | sort -u >"$work/zeros"
[[ $(wc -l <"$work/zeros") == 1 ]] || fail "wall clocks: $(cat "$work/zeros")"
first() {
    json "$1" | head -1 | cut -d, -f1 | cut -d: -f2
}
gives 0 merge --force --align start -o "$work/merged" "$threads" "$logs/demo.eventlog"
latest=$(printf '%s\n' "$(first "$threads")" "$(first "$logs/demo.eventlog")" | sort -n | tail -1)
# The events before it are those when the two clocks were 0: the creation of the processes.
json "$work/merged" | sed '1,2d' >"$work/rest"
[[ $(head -1 "$work/rest" | cut -d, -f1) == "{\"time\":$latest" ]] || fail "--align start"
[[ $(json "$work/merged" --event CAPSET_CREATE | grep -c OsProcess) == 4 ]] || fail "clocks' starts"
log_header 1 4 >"$work/bare"
run_thread 5 7 >>"$work/bare"
gives 2 merge -o "$work/none" "$threads" "$work/bare"
says "hectic: $work/bare: has no wall clock time"
says "--align start"
cat "$threads" "$work/bare" >"$work/runs"
gives 2 merge -o "$work/none" "$work/runs" "$threads"
says "hectic: $work/runs: section 2 has no wall clock time"
gives 0 merge --force --align start -o "$work/merged" "$threads" "$work/bare"
json "$work/merged" | grep '"thread":2[0-9]*}$' >/dev/null || fail "an event outside of blocks is lost"

# cut and merge, in either order.
gives 0 cut --from 2ms "$threads" "$work/part"
merges "$work/part" "$work/part"
gives 0 cut --from 2ms "$work/merged" "$work/later"
gives 0 check "$work/later"
accepted "$work/later" "$work/merged"

# To standard output, from a pipe, from a compressed log, over an existing file.
gives 0 merge --force -o "$work/merged" "$threads" "$logs/demo.eventlog"
"$HECTIC" merge -o - "$threads" "$logs/demo.eventlog" | cmp - "$work/merged" || fail "to a pipe"
# shellcheck disable=SC2002 # a pipe is meant
cat "$threads" | "$HECTIC" merge --force -o "$work/again" - "$logs/demo.eventlog" || fail "from a pipe"
same "$work/merged" "$work/again"
gzip -c "$threads" >"$work/packed"
gives 0 merge --force -o "$work/again" "$work/packed" "$logs/demo.eventlog"
same "$work/merged" "$work/again"

# Sections are only open during their time.
for i in {1..200}; do
    log_header 1 4
    run_thread "${i}000" 7
    printf '\xff\xff'
done >"$work/many"
(
    ulimit -n 40
    gives 0 merge --force --align none -o "$work/merged" "$work/many" "$work/many"
)
[[ $(count "$work/merged") == 400 ]] || fail "sections: $(count "$work/merged") events"

# A log without an end marker: the merged log has none.
head -c 5000 "$threads" >"$work/unfinished"
gives 0 merge --force --align start -o "$work/merged" "$work/unfinished" "$threads"
gives 0 check "$work/merged"
grep -q ': sound, cut short:' "$work/out" || fail "the merged log has an end marker"

# Usage errors.
cp "$threads" "$work/precious"
gives 2 merge -o "$work/precious" "$threads" "$work/precious"
says "$work/precious already exists"
same "$work/precious" "$threads"
gives 64 merge -o "$work/none" "$threads"
gives 64 merge "$work/none" "$threads" "$threads"
says "hectic merge: missing -o OUT: hectic merge -o OUT LOG LOG..."
gives 64 merge
gives 64 merge -o "$work/none" - -
gives 64 merge --align sideways -o "$work/none" "$threads" "$threads"
gives 2 merge -o "$work/none" "$threads" "$work/missing"
gives 2 merge -o "$work/none" "$threads" /dev/null
# OUT is only replaced with --force. A device can be written without it.
cp "$work/merged" "$work/kept"
gives 2 merge -o "$work/kept" "$threads" "$logs/demo.eventlog"
says "$work/kept already exists: use --force to replace it"
same "$work/kept" "$work/merged"
gives 0 merge --force -o "$work/kept" "$threads" "$logs/demo.eventlog"
gives 0 merge --align none -o /dev/null "$threads" "$threads"
gives 2 merge --align none -o "$work/none" "$logs/every-event.eventlog" "$threads"
says "too many numbers: cannot give each"
{ head -c -2 "$threads" && echo "no event"; } >"$work/damaged"
gives 1 merge -o "$work/none" "$threads" "$work/damaged"
says "hectic: $work/damaged: byte"
says "check --repair IN OUT"
[[ ! -e $work/none ]] || fail "something was left behind"

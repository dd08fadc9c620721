#!/usr/bin/env bash
# hectic merge: all events of all logs, in one time line, and nothing named twice.
. tests/cli/lib.bash
. tests/cli/validity.bash

json() {
    "$HECTIC" show --json "$@" | grep -v '"event":"BLOCK_MARKER"' || true
}

count() {
    json "$1" | wc -l
}

# merges LOG…: with no change to times, the first log's events on its caps are what they were.
merges() {
    local all=0 log
    gives 0 merge --align none "$work/merged" "$@"
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
    # Types that were given another number are named by their description.
    grep -v '"event":null' "$work/found" >"$work/known" || true
    grep -vF -f <(comm -23 <(names "$work/wanted") <(names "$work/known")) "$work/wanted" \
        >"$work/expected" || true
    [[ -s $work/known ]] || fail "$*: nothing is known any more"
    same "$work/expected" "$work/known"
}

names() {
    grep -o '"event":"[A-Z_]*"' "$1" | sort -u
}

old=$corpus/hello-ghc-8.2.2.eventlog
new=$corpus/ghc-9.2-events.eventlog
threads=$logs/threads.eventlog
for log in "$logs"/*.eventlog; do
    case $log in
    */restarted* | */every-event.eventlog | */older-shapes.eventlog) continue ;;
    esac
    merges "$log" "$log"
    merges "$log" "$threads"
done
merges "$threads" "$logs/sparks.eventlog" "$threads"
if [[ -e $old ]]; then
    merges "$old" "$new"
    merges "$new" "$old" "$corpus/nofib-para.eventlog"
    merges "$corpus/2011-sealions.eventlog" "$corpus/2011-SumEulerPar1_sparks_detailed.eventlog"
    merges "$corpus/2011-sealions.eventlog" "$new"
    merges "$threads" "$corpus/ticky-ticky.eventlog" "$corpus/ticky-ticky.eventlog"

    # The older GC_STATS_GHC is known by its description, and has lost nothing.
    gives 0 merge --align start "$work/merged" "$old" "$new"
    "$HECTIC" show "$work/merged" >"$work/shown"
    grep -q '^1000: GC statistics (size 50)$' "$work/shown" || fail "the older shape is not declared"
    grep -q '^53: GC statistics (size 58)$' "$work/shown" || fail "the newer shape is not declared"
    [[ $(grep -c ': GC statistics$' "$work/shown") == \
        "$("$HECTIC" show --event GC_STATS_GHC --no-header "$old" | grep -c .)" ]] ||
        fail "the older shape's events"
    # Without that difference nothing gets another number.
    "$HECTIC" merge "$work/merged" "$threads" "$logs/demo.eventlog"
    "$HECTIC" show "$work/merged" | grep -q '^1000:' && fail "a type has another number"
fi

# What a log names, no other log does: caps, capsets, threads, tasks, kernel threads.
gives 0 merge --align none "$work/merged" "$threads" "$threads"
for name in cap cap_no capset thread task os_thread; do
    once=$(json "$threads" | grep -oE "\"$name\":[0-9]+" | sort -u | wc -l)
    twice=$(json "$work/merged" | grep -oE "\"$name\":[0-9]+" | sort -u | wc -l)
    [[ $twice == $((2 * once)) ]] || fail "$name: $once in one log, $twice in two"
done

# Clocks. Both logs tell the same wall clock at one time of the merged one.
gives 0 merge "$work/merged" "$threads" "$logs/demo.eventlog"
json "$work/merged" --event WALL_CLOCK_TIME |
    sed 's/{"time":\([0-9]*\),.*"seconds":\([0-9]*\),"nanoseconds":\([0-9]*\)}/\1 \2 \3/' |
    awk '{ print ($2 - 1700000000) * 1000000000 + $3 - $1 }' | sort -u >"$work/zeros"
[[ $(wc -l <"$work/zeros") == 1 ]] || fail "wall clocks: $(cat "$work/zeros")"
first() {
    json "$1" | head -1 | cut -d, -f1 | cut -d: -f2
}
gives 0 merge --align start "$work/merged" "$threads" "$logs/demo.eventlog"
latest=$(printf '%s\n' "$(first "$threads")" "$(first "$logs/demo.eventlog")" | sort -n | tail -1)
[[ $(first "$work/merged") == "$latest" ]] || fail "--align start"
log_header 1 4 >"$work/bare"
run_thread 5 7 >>"$work/bare"
gives 2 merge "$work/none" "$threads" "$work/bare"
says "hectic: $work/bare: does not tell the time of day"
says "--align start"
gives 0 merge --align start "$work/merged" "$threads" "$work/bare"
json "$work/merged" | grep -q '"thread":2[0-9]*}$' || fail "an event outside of blocks is lost"

# Cut and merged, in either order.
gives 0 cut --from 2ms "$threads" "$work/part"
merges "$work/part" "$work/part"
gives 0 cut --from 2ms "$work/merged" "$work/later"
gives 0 check "$work/later"
accepted "$work/later" "$work/merged"

# To standard output, from a pipe, from a packed log, over an older file.
gives 0 merge "$work/merged" "$threads" "$logs/demo.eventlog"
"$HECTIC" merge - "$threads" "$logs/demo.eventlog" | cmp - "$work/merged" || fail "to a pipe"
# shellcheck disable=SC2002 # a pipe is meant
cat "$threads" | "$HECTIC" merge -o "$work/again" - "$logs/demo.eventlog" || fail "from a pipe"
same "$work/merged" "$work/again"
gzip -c "$threads" >"$work/packed"
gives 0 merge "$work/again" "$work/packed" "$logs/demo.eventlog"
same "$work/merged" "$work/again"

# The end marker of a log that was cut off is not missed.
head -c 5000 "$threads" >"$work/unfinished"
gives 0 merge --align start "$work/merged" "$work/unfinished" "$threads"
gives 0 check "$work/merged"
grep -q ': sound:' "$work/out" || fail "the merged log is unfinished"

# Wrong use.
cp "$threads" "$work/precious"
gives 64 merge "$work/precious" "$threads" "$work/precious"
says "is one of the logs"
ln "$work/precious" "$work/link"
gives 64 merge "$work/link" "$work/precious" "$threads"
same "$work/precious" "$threads"
gives 64 merge "$work/none" "$threads"
says "two logs"
gives 64 merge
gives 64 merge "$work/none" - -
gives 64 merge --align sideways "$work/none" "$threads" "$threads"
gives 2 merge "$work/none" "$threads" "$work/missing"
gives 2 merge "$work/none" "$threads" /dev/null
gives 2 merge "$work/none" "$threads" "$logs/restarted.eventlog"
says "$logs/restarted.eventlog: the program was restarted"
gives 2 merge --align none "$work/none" "$logs/every-event.eventlog" "$threads"
says "there are not enough numbers"
{ head -c -2 "$threads" && echo "no event"; } >"$work/damaged"
gives 1 merge "$work/none" "$threads" "$work/damaged"
says "hectic: $work/damaged: byte"
says "check --salvage"
[[ ! -e $work/none ]] || fail "something was left behind"

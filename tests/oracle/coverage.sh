#!/usr/bin/env bash
# Logs cut at random places are judged up to the time until which all of their caps are in them.
. tests/support/lib.bash
needs python3
oracle=$PWD/tests/oracle/coverage.py
generate_log --caps 3 --size 3M --seed 19 -o "$work/three.eventlog"
generate_log --caps 8 --size 2M --seed 20 -o "$work/eight.eventlog"
python3 "$oracle" "$HECTIC" "$HECTIC_BUILD/view_answers" "$work"/{three,eight}.eventlog $logs/{demo,threads,sparks,spans,heap-nonmoving}.eventlog

# A log with no block of a cap: its numbers are unknown, and it is not said what was not recorded.
head -c 5000 $logs/threads.eventlog >"$work/cut.eventlog"
gives 0 info "$work/cut.eventlog"
grep -q "There is no verdict: the log ends before" "$work/out" || fail "a verdict: $(cat "$work/out")"
gives 0 stat --jsonl "$work/cut.eventlog"
[[ $(jq -c '[.time.gc_ns, .time.mutator_ns, .time.exit_ns]' "$work/out") == "[null,null,null]" ]] ||
    fail "times: $(cat "$work/out")"

# What a cap did by itself is known, but not its collections, which other caps may lead, and the heap.
head -c $(($(wc -c <$logs/threads.eventlog) / 2)) $logs/threads.eventlog >"$work/half.eventlog"
gives 0 stat --jsonl "$work/half.eventlog"
[[ $(jq -c '[.caps[0] | .running_ns != null, .gc_ns, .gc_wait_ns, .idle_ns]' "$work/out") == "[true,null,null,null]" ]] ||
    fail "caps: $(cat "$work/out")"
[[ $(jq -c '[.memory.residency_max_bytes, .memory.heap_max_bytes, .gc.work_balance]' "$work/out") == "[null,null,null]" ]] ||
    fail "memory: $(cat "$work/out")"

gives 0 info "$work/half.eventlog"
grep -q "^Caps .*others may be missing" "$work/out" || fail "$(cat "$work/out")"
for verb in stat threads gc; do
    "$HECTIC" $verb "$work/half.eventlog" >/dev/null 2>"$work/err"
    grep -q "before the events of each cap, and those of no cap, had been written" "$work/err" || fail "$verb: $(cat "$work/err")"
done

# A thread may have run on the cap that is missing, or been woken there.
gives 0 threads --json "$work/half.eventlog"
[[ $(jq -c '[.threads[] | .running_ns + .unknown_ns == .lifetime_ns or .lifetime_ns == null] | all' "$work/out") == true ]] ||
    fail "threads: $(cat "$work/out")"
[[ $(jq -c '[.totals[] | select(.state != "running" and .state != "unknown") | .total_ns] | add' "$work/out") == 0 ]] ||
    fail "totals of threads: $(cat "$work/out")"

# Another cap may have led a collection: its pause is that of the caps in the log.
gives 0 gc --json "$work/half.eventlog"
[[ $(jq -c '[.gc[] | select(.caps != null or (.generation == null and (.cap != null or .reason != null)))] == []' \
    "$work/out") == true ]] || fail "collections: $(cat "$work/out")"

# Without the sizes of blocks, what is lost to fragmentation is unknown.
if [[ -e $corpus/ghc-9.2-events.eventlog ]]; then
    head -c 7000 "$corpus/ghc-9.2-events.eventlog" >"$work/9.2.eventlog"
    gives 0 stat --jsonl "$work/9.2.eventlog"
    [[ $(jq -c '.memory | .blocks_max_bytes != null, .lost_bytes' "$work/out" | tr '\n' ' ') == "true null " ]] ||
        fail "memory: $(cat "$work/out")"
fi

size=$(grep -abo datb $logs/threads.eventlog | head -1 | cut -d: -f1)
head -c $((size + 4)) $logs/threads.eventlog >"$work/header.eventlog"
gives 0 info "$work/header.eventlog"
grep -q "What is not recorded is unknown" "$work/out" || fail "$(cat "$work/out")"
! grep -q "RTS -ls" "$work/out" || fail "it advises flags: $(cat "$work/out")"

# A repaired log is cut short as before, and counts the same.
for size in 0.3 0.6 0.9; do
    for log in "$work"/{three,eight}.eventlog $logs/threads.eventlog; do
        head -c "$(awk -v size="$(wc -c <"$log")" "BEGIN { print int($size * size) }")" "$log" >"$work/cut.eventlog"
        gives 0 check --repair --force "$work/cut.eventlog" "$work/repaired.eventlog"
        for verb in stat threads gc; do
            for of in cut repaired; do
                code=0
                "$HECTIC" $verb --json "$work/$of.eventlog" >"$work/$of.json" 2>"$work/$of.err" || code=$?
                echo "exit code $code" >>"$work/$of.json"
            done
            cmp "$work/cut.json" "$work/repaired.json" || fail "$verb counts otherwise after a repair of $size of $log"
        done
    done
done

# A merged log covers what all its logs cover; one that has ended has no more events.
generate_log --caps 2 --size 30k --seed 21 -o "$work/short.eventlog"
head -c 2M "$work/three.eventlog" >"$work/cut.eventlog"
until_of() {
    "$HECTIC" info --json "$1" | jq -c .covered_to_ns
}
"$HECTIC" merge --force --align none -o "$work/merged.eventlog" "$work/short.eventlog" "$work/cut.eventlog"
merged=$(until_of "$work/merged.eventlog") short=$(until_of "$work/short.eventlog") cut=$(until_of "$work/cut.eventlog")
((short < merged && merged <= cut && merged > cut * 9 / 10)) || fail "covered: $merged of $cut (the other: $short)"

#!/usr/bin/env bash
# stat: reports, rows, JSON; unknown values are N/A, and bad input gets a clear message.
. tests/support/lib.bash

gives 0 stat "$logs/threads.eventlog"
grep -q " bytes allocated in the heap$" "$work/out" || fail "no allocation"
grep -q "^  MUT     time       N/A  ( *[0-9.]*s elapsed)$" "$work/out" || fail "no MUT"
cp "$work/out" "$work/file"

# From a pipe, the same.
"$HECTIC" stat - <"$logs/threads.eventlog" >"$work/pipe"
cmp "$work/file" "$work/pipe"

# --verbose lists reasons.
grep -q "eventlogs do not record them" "$work/out" && fail "reasons without --verbose"
gives 0 stat -v "$logs/tiny-nothing.eventlog"
prints "    CPU times: eventlogs do not record them"
prints "    MUT, GC, Productivity: no GC_START events: +RTS -lg; or none that identify the GC leader"
grep -q "^ *N/A bytes allocated in the heap$" "$work/out" || fail "allocation without events"

# The columns add up over slices to those of the whole run.
gives 0 stat --jsonl "$logs/threads.eventlog"
allocated=$(grep -o '"memory":{"allocated_bytes":[0-9]*' "$work/out" | grep -o '[0-9]*$')
gc=$(grep -o '"gc_main_ns":[0-9]*' "$work/out" | head -n 1 | grep -o '[0-9]*$')
for every in 1ms 777us 3ms 1s; do
    gives 0 stat --csv --every $every "$logs/threads.eventlog"
    awk -F, -v every=$every -v allocated="$allocated" -v gc="$gc" '
        NR == 1 {for (i = 1; i <= NF; i++) column[$i] = i; next}
        NR > 2 && $column["from_ns"] != to {print "a gap"; exit 1}
        {to = $column["to_ns"]; a += $column["allocated_bytes"]; g += $column["gc_ns"]}
        END {if (a != allocated || g != gc) {print every, a, allocated, g, gc; exit 1}}
    ' "$work/out" || fail "slices of $every do not add up"
done

# With --gc-time caps, generations, percentiles and GC time are those of the mean pauses in gc.
for log in threads heap-nonmoving heap-generations; do
    "$HECTIC" gc --csv "$logs/$log.eventlog" >"$work/gc"
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
        {sum += $at["mean_pause_ns"]; n[$at["generation"]]++; of[$at["generation"]] += $at["mean_pause_ns"]
         if ($at["mean_pause_ns"] > max[$at["generation"]]) max[$at["generation"]] = $at["mean_pause_ns"]}
        END {printf "  GC      time       N/A  (%7.3fs elapsed)\n", sum / 1e9
             for (g in n) printf "Gen %d %d %.3fs %.4fs %.4fs\n", g, n[g], of[g] / 1e9,
                                 int(of[g] / n[g]) / 1e9, max[g] / 1e9}' "$work/gc" | sort >"$work/wanted"
    gives 0 stat --gc-time caps "$logs/$log.eventlog"
    awk '/^  GC      time/ {print} /^  Gen .* colls,/ {if ($3 > 0) print "Gen", $2, $3, $8, $9, $10}' \
        "$work/out" | sort >"$work/found"
    same "$work/found" "$work/wanted"
done
"$HECTIC" stat --gc-time caps --jsonl "$logs/threads.eventlog" >"$work/caps"
"$HECTIC" stat --jsonl "$logs/threads.eventlog" >"$work/main"
for key in gc_ns mutator_ns p50_ns max_ns; do
    [[ $(grep -o "\"$key\":[0-9]*" "$work/caps" | head -1) != $(grep -o "\"$key\":[0-9]*" "$work/main" | head -1) ]] ||
        fail "--gc-time caps has the $key of main"
done

# Times of collections, for each cap and in total.
gives 0 stat "$logs/heap-nonmoving.eventlog"
prints "     0       318us      19.4ms   98.4%      2.01ms      4.14ms      92.6us"
prints "   all      18.0ms      21.5ms   54.4%      7.45ms      4.14ms      92.6us"
prints "  to safepoint       48     5.45ms     30.8us     49.9us     2.77ms     2.77ms"
grep -q "^  Alloc rate .* bytes per MUT second (elapsed)$" "$work/out" || fail "no alloc rate"
gives 0 stat --jsonl "$logs/heap-nonmoving.eventlog"
grep -q '"gc":{.*"work_ns":18021984,"idle_ns":21522254,"idle_share":0.544' "$work/out" || fail "idle collectors"

# Windows.
gives 1 stat --window nothing-of-that-name --csv "$logs/messages.eventlog"
says 'no span has the label "nothing-of-that-name"'
[[ $(wc -l <"$work/out") == 1 ]] || fail "windows without spans"

# Windows that overlap two intervals are counted in both, each with its part.
window() { # COLUMN ARGUMENT…: the sum of all windows
    "$HECTIC" stat --window sum --csv "${@:2}" "$logs/spans.eventlog" 2>/dev/null |
        awk -F, -v name="$1" '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
            { sum += $column } END { printf "%.0f", sum }'
}
"$HECTIC" spans --each --csv --sort -start "$logs/spans.eventlog" 2>/dev/null |
    grep '^1,sum,' >"$work/each"
read -r middle < <(sed -n 10p "$work/each" | awk -F, '{ printf "%d\n", ($4 + $5) / 2 }')
for column in running_ns mutator_ns; do
    whole=$(window $column)
    parts=$(($(window $column --to "${middle}ns") + $(window $column --from "${middle}ns")))
    [[ $whole -gt 0 && $whole == "$parts" ]] || fail "windows: $column $parts, not $whole"
done
gives 0 stat --window sum --csv "$logs/spans.eventlog"
cut -d, -f2-5 "$work/out" | tail -n +2 | sort >"$work/windows"
awk -F, -v OFS=, '{ print $2, $7, $4, $5 }' "$work/each" | sort | cmp - "$work/windows" ||
    fail "windows are not the spans"

# The collections of each generation are as many as gc has rows.
for log in heap-generations heap-nonmoving heap-compacting threads; do
    gives 0 stat "$logs/$log.eventlog"
    (($(wc -L <"$work/out") <= 80)) || fail "stat of $log is wider than a terminal"
    told=$(awk '/^  Gen .* colls,/ {sum += $3} END {print sum}' "$work/out")
    gives 0 gc --csv "$logs/$log.eventlog"
    [[ $(($(wc -l <"$work/out") - 1)) == "$told" ]] || fail "gc of $log: not $told rows"
done
gives 0 gc --limit 1 --csv "$logs/heap-generations.eventlog"
longest=$(tail -n 1 "$work/out" | cut -d, -f7)
gives 0 gc --csv "$logs/heap-generations.eventlog"
[[ $longest == "$(tail -n +2 "$work/out" | cut -d, -f7 | sort -n | tail -n 1)" ]] ||
    fail "--limit 1 is not the longest pause"

# Several runs in one file are separate.
gives 0 stat "$logs/restarted.eventlog"
prints "Section 1"
prints "Section 2"
gives 0 stat --from 0 "$logs/restarted.eventlog"
prints "Section 2"
gives 0 stat --jsonl "$logs/restarted.eventlog"
[[ $(wc -l <"$work/out") == 2 ]] || fail "not an object for each section"

# Bad input.
gives 1 stat --from 1000s "$logs/threads.eventlog"
says "the interval is outside the log"
gives 64 stat --from 2s --to 1s "$logs/threads.eventlog"
gives 64 stat --between nothing..here "$logs/threads.eventlog"
says 'no marker "nothing"'
gives 0 stat --csv --every 1ms "$logs/threads.eventlog"
awk -F, 'NR > 1 && $7 > 1000' "$work/out" >"$work/wanted"
(($(wc -l <"$work/wanted") > 0)) || fail "no slice has collections"
gives 0 stat --csv --every 1ms --where 'gc > 1us' "$logs/threads.eventlog"
tail -n +2 "$work/out" | cmp - "$work/wanted" || fail "--where"
gives 64 stat --where 'gc > 1us' "$logs/threads.eventlog"
says "hectic stat: --where needs rows: --every, --window or --csv"
gives 64 stat --every 0 "$logs/threads.eventlog"
gives 64 stat --every soon "$logs/threads.eventlog"
says 'invalid time "soon" for --every'
gives 64 stat --every 1s --window x "$logs/threads.eventlog"
says "hectic stat: --window and --every cannot be combined"
gives 64 stat --jsonl --csv "$logs/threads.eventlog"
says "hectic stat: --csv and --jsonl cannot be combined"
gives 64 stat --json --csv "$logs/threads.eventlog"
says "hectic stat: --json and --csv cannot be combined"
gives 64 stat --json --jsonl "$logs/threads.eventlog"
says "hectic stat: --json and --jsonl cannot be combined"
gives 64 stat --gc-time all "$logs/threads.eventlog"
: >"$work/empty"
gives 2 stat "$work/empty"
says "the input is empty"
head -c 100 "$logs/threads.eventlog" >"$work/cut"
gives 2 stat "$work/cut"
head -c 9000 "$logs/threads.eventlog" >"$work/cut"
gives 0 stat "$work/cut"
gives 1 gc "$logs/tiny-nothing.eventlog"
says "the log has no events of collections"
{
    head -c 6000 "$logs/threads.eventlog"
    printf '\377\376damage\377\376'
    tail -c +6000 "$logs/threads.eventlog"
} >"$work/damaged"
gives 1 stat "$work/damaged"
grep -q " elapsed)$" "$work/out" || fail "no answer after damage"
gives 2 stat "$work/no-such-file"

# The number of caps is unknown for a log without events.
size=$(grep -abo datb "$logs/demo.eventlog" | head -1 | cut -d: -f1)
head -c $((size + 4)) "$logs/demo.eventlog" >"$work/no-events"
"$HECTIC" stat "$work/no-events" >"$work/out" 2>/dev/null || true
grep -q 'using -N?)' "$work/out" || fail "caps of no events: $(cat "$work/out")"

# What was live at the end is what the last major collection before the program's end left.
for name in heap-compacting heap-generations threads spans demo; do
    log=$logs/$name.eventlog
    expected=$("$HECTIC" gc --json "$log" | jq '[.gc[] | select(.live_bytes and .reason != "exit") | .live_bytes] | last')
    [[ $("$HECTIC" stat --jsonl "$log" | jq .memory.live_end_bytes) == "$expected" ]] || fail "$log: live at the end"
done

# GHC logs the creation of a thread for sparks by two events.
log=$logs/sparks.eventlog
[[ $("$HECTIC" stat --jsonl "$log" | jq '[.caps[].threads_created] | add') == \
    $("$HECTIC" threads --jsonl "$log" | wc -l) ]] || fail "$log: threads created"

#!/usr/bin/env bash
# compare finds changes of a program that are known: eight runs a side, and the change is named first.
. tests/support/haskell.bash
needs python3
compile compared compared.hs -O1 -threaded -package containers

# record FOLDER WORK LIVE REQUEST WAIT: runs of the program; the sides are recorded in turns.
record() {
    mkdir -p "$work/$1"
    "$work/compared" "${@:2}" +RTS -l -A1m "-ol$work/$1/$run.eventlog" >/dev/null
}
for run in 1 2 3 4 5 6 7 8; do
    record old 100000 50000 10000 0
    record same 100000 50000 10000 0
    record allocates 106500 50000 10000 0
    record live 100000 600000 10000 0
    record waits 100000 50000 10000 10000
done

first() { # NUMBER…: one of them is that of the first row
    local number
    number=$(sed -n '2s/^\(.*\),\(ns\|bytes\|count\|share\|real\),.*/\1/p' "$work/out")
    [[ " $* " == *" $number "* ]] || fail "not the first: $number; $(head -n 6 "$work/out")"
}
certain() { # NUMBER
    grep -qE "^\"?$1\"?,.*,certain," "$work/out" || fail "not certain: $1; $(head -n 6 "$work/out")"
}

# 5 % more allocation, also from one run each.
gives 0 compare --csv "$work/old" "$work/allocates"
first memory.allocated_bytes
certain memory.allocated_bytes
gives 0 compare --csv "$work/old/1.eventlog" "$work/allocates/1.eventlog"
first memory.allocated_bytes
certain memory.allocated_bytes
gives 3 compare --require 'memory.allocated <= +2%' "$work/old" "$work/allocates"

# More live data: more is copied, so pauses of the old generation are longer, and are the cause.
gives 0 compare --csv "$work/old" "$work/live"
first time.gc_ns gc.pause.max_ns memory.heap_max_bytes memory.residency_max_bytes
certain time.gc_ns
certain gc.pause.max_ns
certain memory.residency_max_bytes
gives 3 compare --require 'gc.pause.max <= +10%' "$work/old" "$work/live"
gives 0 compare --json "$work/old" "$work/live"
python3 - "$work/out" <<'END' || fail "the cause is another one"
import json, sys
causes = [c for c in json.load(open(sys.argv[1]))["causes"] if c["number"] == "time.gc_ns"]
assert "generation 1" in max(causes, key=lambda c: c["change"])["part"], causes
END

# Slower spans, which wait for an MVar.
gives 0 compare --json "$work/old" "$work/waits"
python3 - "$work/out" <<'END' || fail "the span, or its cause, is another one"
import json, sys
report = json.load(open(sys.argv[1]))
rows = {row["number"]: row for row in report["compare"]}
assert rows["time.total_ns"]["certainty"] == "certain", rows["time.total_ns"]
assert rows['span("request").p50_ns']["certainty"] == "indicative"
assert rows["memory.heap_max_bytes"]["certainty"] == "none"
causes = [c for c in report["causes"] if c["number"] == 'span("request").mean_ns' and not c["within"]]
assert max(causes, key=lambda c: c["change"])["part"] == "blocked on an MVar", causes
total = sum(c["change"] for c in causes)
assert abs(total / rows['span("request").mean_ns']["change"] - 1) < 0.2, total
END

# A baseline has all that is needed, in 200 KB a run.
gives 0 compare --csv "$work/old" "$work/live"
mv "$work/out" "$work/expected"
gives 0 compare --save "$work/old.hectic" "$work/old"
gives 0 compare --csv --baseline "$work/old.hectic" "$work/live"
same "$work/out" "$work/expected"
(($(stat -c %s "$work/old.hectic") < 8 * 200000)) || fail "the baseline has $(stat -c %s "$work/old.hectic") bytes"

# Equal runs. What they certainly differ in is due to chance in 5 % of the pairs at most: not tested here.
gives 0 compare "$work/old" "$work/same"
gives 0 compare --require 'memory.allocated <= +1%' --require 'gc.pause.max <= +100%' "$work/old" "$work/same"

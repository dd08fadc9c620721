#!/usr/bin/env bash
# require: conditions on the numbers of logs.
. tests/support/lib.bash
needs python3
log=$logs/demo.eventlog heap=$logs/heap-generations.eventlog

# The value that a condition is about, and the outcome.
gives 0 require 'gc.pause.max < 10ms' 'time.productivity > 1%' "$log"
prints "passed     gc.pause.max < 10ms: 0.166ms"
gives 3 require 'gc.pause.max<150us' 'memory.allocated < 1 GiB' "$log"
grep -q "^failed     gc.pause.max<150us: 16[0-9.]*us$" "$work/out" || fail "no value: $(<"$work/out")"
grep -q "^passed     memory.allocated < 1 GiB: 503.305KiB$" "$work/out" || fail "no value: $(<"$work/out")"
gives 3 require 'gc.pause.max = 1ns' "$log"
gives 0 require 'gc.pause.max != 1ns' "$log"

# All names of stat --json, with and without units, and without their first parts.
for one in "$log" "$heap" "$logs/sparks.eventlog" "$logs/threads.eventlog"; do
    python3 tests/support/require_names.py "$HECTIC" "$one" || fail "$one: see above"
done
for name in memory.live_end_bytes memory.live_end live.end live_end; do
    gives 0 require --jsonl "$name > 0" "$heap"
    grep -qF '"number":"memory.live_end_bytes","value":' "$work/out" || fail "$name: $(<"$work/out")"
done
gives 0 require 'gc.pause.max_ns < 10000000' 'gc.generations[1].collections > 0' 'caps[0].runs >= 1' \
    'threads.count >= 1' "$log"

# Spans and markers by label.
"$HECTIC" spans --csv "$logs/spans.eventlog" 2>/dev/null >"$work/spans"
gives 0 require --csv 'span("sum").count = 20' 'span("sum").p99 < 1s' 'span("sum").total > 0' \
    'marker("tick").mean < 1s' 'span("worker").states.running >= 0' "$logs/spans.eventlog"
python3 - "$work" <<'END' || fail "spans differ"
import csv, sys
rows = {(r["kind"], r["label"]): r for r in csv.DictReader(open(sys.argv[1] + "/spans"))}
found = {r["number"]: r["value"] for r in csv.DictReader(open(sys.argv[1] + "/out"))}
for number, kind, label, column in (
        ('span("sum").count', "span", "sum", "count"), ('span("sum").p99_ns', "span", "sum", "p99_ns"),
        ('span("sum").total_ns', "span", "sum", "total_ns"),
        ('marker("tick").mean_ns', "marker", "tick", "mean_ns")):
    assert found[number] == rows[kind, label][column], (number, found[number])
END
gives 2 require 'span("none").p99 < 1s' "$logs/spans.eventlog"
prints 'unknown    span("none").p99 < 1s: N/A (the log has none of this name)'

# Missing data is never a pass, a condition that fails is the worse.
gives 2 require 'live.end < 50MB' 'time.total < 1h' "$logs/tiny.eventlog"
prints "unknown    live.end < 50MB: N/A (the log does not have it)"
gives 3 require 'live.end < 50MB' 'time.total < 1ns' "$logs/tiny.eventlog"
gives 2 require 'time.total < 1h' "$work/none"
gives 2 require 'time.total < 1h' "$log" "$work/none"
python3 tests/support/verbs.py damage "$log" >"$work/damaged.eventlog"
gives 1 require 'gc.pause.p50 < 1h' "$work/damaged.eventlog"

# Of a log that is cut short, sums and maxima are known to be at least that much. One without events has no numbers.
head -c -100 "$logs/threads.eventlog" >"$work/cut.eventlog"
gives 2 require 'time.total < 1h' "$work/cut.eventlog"
prints "unknown    time.total < 1h: 20.506ms (the log is cut short: at least that much)"
gives 3 require 'time.total < 1ns' 'gc.pause.max <= 1ns' "$work/cut.eventlog"
gives 0 require 'time.total > 1ns' 'gc.pause.max >= 1ns' 'gc.pause.p50 < 1h' "$work/cut.eventlog"
gives 2 require 'gc.pause.count = 100000' "$work/cut.eventlog"
gives 0 require 'time.total < 1h' --to 1ms "$work/cut.eventlog"
python3 -c 'import sys
log = open(sys.argv[1], "rb").read()
sys.stdout.buffer.write(log[: log.index(b"hdre") + 8])' "$log" >"$work/empty.eventlog" # a header, and no events
gives 2 require --json 'time.total < 1h' "$work/empty.eventlog"
grep -q '"outcome":"unknown"' "$work/out" || fail "of a log without events: $(<"$work/out")"
gives 2 require --from 1h 'time.total < 1h' "$log"

# Several logs, folders, and sections are judged one by one.
mkdir "$work/runs"
cp "$log" "$work/runs/a.eventlog"
cp "$heap" "$work/runs/b.eventlog"
gives 3 require 'gc.pause.count < 100' "$work/runs"
prints "$work/runs/a.eventlog:"
grep -q "^  passed     gc.pause.count < 100: " "$work/out" || fail "the first log: $(<"$work/out")"
grep -q "^  failed     gc.pause.count < 100: " "$work/out" || fail "the second log: $(<"$work/out")"
gives 0 require 'threads.count > 1' "$logs/restarted.eventlog"
prints "$logs/restarted.eventlog, section 2:"

# Conditions of a file.
printf '# limits\n\n  gc.pause.max < 10ms\r\nspan("a\\"<b").count >= 0\n' >"$work/limits"
gives 2 require --file "$work/limits" "$log"
(($(wc -l <"$work/out") == 2)) || fail "a file of two conditions"
gives 0 require --file - "$log" <<<'time.total < 1h'
gives 2 require --file "$work/none" "$log"
printf 'time.total < 1h\ntime.totl < 1h\n' >"$work/limits"
gives 64 require --file "$work/limits" "$log"

# JSON and JUnit.
gives 3 require --json --junit "$work/junit.xml" --force 'time.total < 1ns' 'time.total > 1ns' \
    'span("<&").p99 > 0' "$log"
python3 - "$work" <<'END' || fail "JSON or JUnit"
import json, sys, xml.etree.ElementTree as tree
rows = json.load(open(sys.argv[1] + "/out"))["require"]
assert [r["outcome"] for r in rows] == ["failed", "passed", "unknown"], rows
suite = tree.parse(sys.argv[1] + "/junit.xml").getroot().find("testsuite")
assert [suite.get(k) for k in ("tests", "failures", "errors")] == ["3", "1", "1"]
assert [[c.tag for c in case] for case in suite] == [["failure"], [], ["error"]]
assert suite[2].get("name") == 'span("<&").p99 > 0'
END

# Every state of a span has a number, also one in which it never was; not if no state is known.
states=$("$HECTIC" sql --csv "$logs/spans.eventlog" "SELECT DISTINCT state FROM span_states WHERE label = 'worker'" | sed 1d)
grep -qx running <<<"$states" || fail "the states of the log: $states"
! grep -qx stm <<<"$states" || fail "the states of the log: $states"
gives 0 require 'span("worker").states.stm = 0' 'span("worker").mvar > 1ms' "$logs/spans.eventlog"
gives 2 require 'span("no such").states.stm = 0' "$logs/spans.eventlog"
gives 0 cut --event USER_MSG "$logs/spans.eventlog" -o "$work/messages.eventlog"
gives 2 require 'span("worker").states.stm = 0' "$work/messages.eventlog"
gives 0 require 'span("worker").states.unknown > 0' "$work/messages.eventlog"

# Invalid conditions.
invalid() { # MESSAGE CONDITION
    gives 64 require "$2" "$log"
    says "$1"
}
invalid "did you mean gc.pause.max?" 'gc.pase.max < 10ms'
invalid "did you mean pause.max?" 'pause.mx < 10ms'
invalid 'did you mean span("...").states.running?' 'span("some label").states.runing < 10ms'
invalid 'there is no number of this name: span("x").states.foo' 'span("x").states.foo < 10ms'
invalid "a name, one of" 'caps[-1].running < 10ms'
invalid "a name, one of" 'caps["0"].running < 10ms'
invalid "several numbers end like this: time.total_ns, gc.pause.total_ns" 'total < 10ms'
# What is suggested is a name as it is written, also if the last parts of a name are near that need the first ones.
for name in threads.created threads_created threads_creatd collection runing blocks_siz runs_; do
    gives 64 require "$name > 0" "$log"
    suggested=$(sed -n 's/.*; did you mean \(.*\)?$/\1/p' "$work/err")
    [[ $suggested ]] || fail "nothing is suggested for $name: $(<"$work/err")"
    code=0
    "$HECTIC" require "$suggested > 0" "$log" >"$work/out" 2>"$work/err" || code=$?
    ((code != 64)) || fail "$name: $suggested is suggested, but: $(<"$work/err")"
done
invalid "did you mean caps[0].threads_created?" 'threads.created <= 12'
invalid "there is none of this name: long_pase; did you mean long_pause?" 'finding("long_pase").count = 0'
invalid "there is none of this name: 2ms; did you mean 1ms?" 'utilization("2ms").minimum > 1%'
invalid "this value lacks a unit" 'time.total < 10'
invalid "its unit is of another kind: 10MB" 'time.total < 10MB'
invalid "its unit is of another kind: 10ms" 'memory.allocated < 10ms'
invalid "its unit is of another kind: 5%" 'memory.allocated < 5%'
invalid "this value is no number: fast" 'time.total < fast'
invalid "this value is no number: " 'time.total <'
invalid "hectic compare --require takes it" 'time.total < +5%'
invalid "a name, one of" 'span("request" < 5ms'
gives 64 require 'time.total < 1s'
says "a log is missing"
gives 64 require "$log"
says "a condition is missing"

# No text is too odd: each of these random conditions is refused, or judged.
python3 - >"$work/random" <<'END'
import random
random.seed(7)
pieces = ["time.total", "gc.pause.max", 'span("', '")', "[", "]", "(", ".p99", "<", "<=", "=", "!=", "1", "10ms",
          "%", "MB", "\\", '"', " ", "caps[0]", ".running", "+", "-", "9" * 400, ".", "states.", "\u00b5s", "x" * 700]
for _ in range(300):
    print("".join(random.choice(pieces) for _ in range(random.randint(1, 9))))
END
while IFS= read -r condition; do
    code=0
    "$HECTIC" require "$condition <1" "$logs/tiny.eventlog" >/dev/null 2>&1 || code=$?
    ((code == 0 || code == 2 || code == 3 || code == 64)) || fail "exit code $code: $condition"
done <"$work/random"

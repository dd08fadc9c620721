#!/usr/bin/env bash
# compare: a part of the logs, any table, and numbers per unit of work. The oracles are other verbs, and sums by Python.
. tests/support/lib.bash
needs python3
demo=$logs/demo.eventlog spans=$logs/spans.eventlog threads=$logs/threads.eventlog

# of NAME SIDE: a number in the JSON that compare printed.
of() {
    python3 -c 'import json, sys
rows = {row["number"]: row[sys.argv[3]] for row in json.load(open(sys.argv[1]))["compare"]}
print(rows[sys.argv[2]])' "$work/out" "$1" "${2:-old}"
}
# has NAME VALUE [SIDE]: it is that, but for rounding.
has() {
    python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 1e-9 * max(abs(a), abs(b)))' \
        "$(of "$1" "${3:-old}")" "$2" || fail "$1 is $(of "$1" "${3:-old}"), not $2"
}

# Between markers, as stat.
gives 0 stat --json --between primes..phi "$demo"
total=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["stat"][0]["time"]["total_ns"])' <"$work/out")
gives 0 compare --json --between primes..phi "$demo" "$demo"
has time.total_ns "$total"
gives 0 compare --json "$demo" "$demo"
python3 -c "import sys; sys.exit(float('$(of time.total_ns)') <= $total)" || fail "the interval is the log"
gives 3 require --between primes..phi 'time.total > 1h' "$demo"
gives 64 compare --between primes..nowhere "$demo" "$demo"
says 'nowhere'
gives 64 require --between nowhere..phi 'time.total > 1h' "$demo"

# A baseline has the numbers of a part.
gives 0 compare --save "$work/part.hectic" --between primes..phi "$demo"
gives 0 compare --between primes..phi --baseline "$work/part.hectic" "$demo"
grep -q '^No difference: ' "$work/out" || fail "$(<"$work/out")"
gives 2 compare --baseline "$work/part.hectic" "$demo"
says "its numbers are those of other options: --between primes..phi"
gives 0 compare --save "$work/whole.hectic" "$demo"
gives 2 compare --between primes..phi --baseline "$work/whole.hectic" "$demo"
says "its numbers are those of other options: none of --from"

# A table: the sums of its rows.
gives 0 compare --json --table gc --by generation "$threads" "$spans"
cp "$work/out" "$work/compared"
for log in "$threads" "$spans"; do
    gives 0 gc --json "$log"
    cp "$work/out" "$work/gc"
    python3 - "$work/compared" "$work/gc" "$([[ $log == "$threads" ]] && echo old || echo new)" <<'END' || fail "sums of $log"
import json, sys
compared, gc, side = sys.argv[1:]
rows = {row["number"]: row for row in json.load(open(compared))["compare"]}
collections = json.load(open(gc))["gc"]
seen = 0
for generation in {row["generation"] for row in collections}:
    own = [row for row in collections if row["generation"] == generation]
    assert rows[f"gc[{generation}].count"][side] == len(own)
    for column, unit in (("pause", "_ns"), ("copied", "_bytes"), ("safepoint", "_ns"), ("caps", "")):
        values = [row[column + unit] for row in own if row[column + unit] is not None]
        for word, value in (("total", sum(values)), ("mean", sum(values) / len(values)), ("max", max(values))):
            found = rows[f"gc[{generation}].{column}.{word}{unit}"][side]
            assert abs(found - value) <= 1e-9 * value, (generation, column, word, found, value)
            seen += 1
assert seen >= 12
END
done
gives 0 compare --table messages --by text "$demo" "$demo"
grep -q '^No difference: ' "$work/out" || fail "$(<"$work/out")"
gives 0 compare --table messages "$demo" "$demo"
gives 64 compare --table gcs "$demo" "$demo"
says 'there is no table "gcs"; did you mean gc?'
gives 64 compare --table gc --by gen "$demo" "$demo"
says 'the table gc has no column "gen"'
gives 64 compare --by generation "$demo" "$demo"
says '--by needs --table'
gives 64 compare --table gc --require 'time.total < 1h' "$demo" "$demo"

# Per span: sums are divided, others are not.
gives 0 compare --json "$spans" "$spans"
allocated=$(of memory.allocated_bytes) total=$(of time.total_ns) middle=$(of gc.pause.p50_ns)
workers=$(of 'span("worker").count')
((${workers%.*} > 1)) || fail "one worker: nothing is divided"
gives 0 compare --json --per 'span worker' "$spans" "$spans"
grep -q '"per":"span(\\"worker\\").count"' "$work/out" || fail "the unit is not in the JSON"
has memory.allocated_bytes "$(python3 -c "print($allocated / $workers)")"
has time.total_ns "$(python3 -c "print($total / $workers)")" new
has gc.pause.p50_ns "$middle"
has 'span("worker").count' 1
! grep -q '"gc.pause.max_ns"' "$work/out" || fail "maxima of runs of different length are compared"
gives 0 compare --per 'span worker' "$spans" "$spans"
gives 2 compare --per 'span of no log' "$spans" "$spans"
says 'there is no span("of no log").count'
gives 64 compare --per worker "$spans" "$spans"
gives 4 compare --per 'span worker' --require 'time.total < 1h' "$spans" "$spans"

# Messages are counted; numbers within them do not matter. Spans are no messages.
gives 0 compare --json "$logs/messages.eventlog" "$logs/messages.eventlog"
gives 0 sql --jsonl "$logs/messages.eventlog" "SELECT text FROM messages WHERE kind = 'message'"
cp "$work/out" "$work/texts"
gives 0 compare --json "$logs/messages.eventlog" "$logs/messages.eventlog"
python3 - "$work/texts" "$work/out" <<'END' || fail "messages"
import collections, json, re, sys
texts = [json.loads(line)["text"] for line in open(sys.argv[1])]
expected = collections.Counter(re.sub("[0-9]+", "#", t) for t in texts if not re.match("START |STOP ", t))
rows = {row["number"]: row["old"] for row in json.load(open(sys.argv[2]))["compare"]}
found = sum(value for name, value in rows.items() if name.startswith("message("))
assert found == sum(expected.values()) > 0, (found, expected)
END

# Of 30,000 markers with different labels, none is lost: those without a number of their own are one.
markers=30000
python3 - "$work/labels.eventlog" "$markers" <<'END'
import sys
sys.path.insert(0, "tests/support")
from eventlog import write
open(sys.argv[1], "wb").write(write([(i, 0, 58, b"no. %d done" % i) for i in range(int(sys.argv[2]))], {}))
END
gives 0 compare --json "$work/labels.eventlog" "$work/labels.eventlog"
python3 - "$work/out" "$markers" <<'END' || fail "the sum of the counts of markers"
import json, sys
rows = {row["number"]: row["old"] for row in json.load(open(sys.argv[1]))["compare"]}
counts = {name: count for name, count in rows.items() if name.startswith("marker(") and name.endswith(".count")}
assert 'marker("(others)").count' in counts and len(rows) < 25000, len(rows)
assert sum(counts.values()) == int(sys.argv[2]), (sum(counts.values()), sys.argv[2])
END

# The windows of utilization.
gives 0 require 'utilization("1ms").minimum >= 0' "$threads"
gives 2 require 'utilization("1s").minimum >= 0' "$threads"
prints 'unknown    utilization("1s").minimum >= 0: N/A (the log does not have it)'

# Runs that are far from the others.
{
    for total in 9000 1000 1010 1020 1005 1015 1002 1012; do
        printf 'run\t1\t-\tx\nns\t%d000\ttime.total_ns\n' $total
    done
} | baseline >"$work/warm.hectic"
sed 's/9000000/1000000/; s/1005000/9000000/' "$work/warm.hectic" >"$work/far.hectic"
gives 0 compare "$work/warm.hectic" "$work/far.hectic"
tr '\n' ' ' <"$work/out" >"$work/line"
grep -qF "The total time of the first old run is far from the others: hectic run --warmup leaves out first runs." \
    "$work/line" || fail "$(<"$work/out")"
grep -qF "The total time of 1 of 8 new runs is far from the others." "$work/line" || fail "$(<"$work/out")"

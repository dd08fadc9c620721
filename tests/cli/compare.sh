#!/usr/bin/env bash
# compare: old runs of a program and new ones. The runs are made by hand, as baselines; tests/oracle has those of
# programs.
. tests/support/lib.bash
needs python3
log=$logs/demo.eventlog other=$logs/threads.eventlog

# runs NAME COUNT ALLOCATED TOTAL SPREAD: a baseline; the total time of run i is TOTAL + i * SPREAD, in us.
runs() {
    local i gc
    {
        for ((i = 0; i < $2; i++)); do
            gc=$(($4 * 100 + i * $5 * 7 % 50))
            printf 'run\t1\t-\t%s.eventlog\n' "$i"
            printf 'bytes\t%s\tmemory.allocated_bytes\n' "$3"
            printf 'ns\t%s000\ttime.total_ns\n' $(($4 + i * $5))
            printf 'ns\t%s\ttime.gc_ns\nns\t%s\ttime.mutator_ns\n' $gc $((($4 + i * $5) * 1000 - gc))
            printf 'count\t10\tgc.generations[0].pause.count\nns\t%s\tgc.generations[0].pause.total_ns\n' $gc
        done
    } | baseline >"$work/$1.hectic"
}
compare() { # CODE ARGUMENT…: with files of $work
    local code=$1
    shift
    gives "$code" compare "$@"
}
HECTIC=$(realpath "$HECTIC") logs=$PWD/$logs log=$PWD/$log other=$PWD/$other
cd "$work"

# Identical sides.
runs same 8 1000000 5000 10
compare 0 same.hectic same.hectic
prints "No difference: all 5 numbers are equal, in 8 and 8 runs."
compare 0 "$log" "$log"
grep -q "^No difference: all [0-9]* numbers are equal, in 1 and 1 runs.$" "$work/out" || fail "one log: $(<"$work/out")"
# Another part of the new run.
compare 0 --json --from 5ms --to 9ms "$log" "$other"
mv out same.json
for options in '--from 1ms --to 4ms --new-from 5ms --new-to 9ms' '--to 4ms --new-from 5ms --new-to 9ms'; do
    # shellcheck disable=SC2086 # words
    compare 0 --json $options "$log" "$other"
    python3 - <<'END' || fail "$options: the new side is another one"
import json
same, other = ({row["number"]: row for row in json.load(open(name))["compare"]} for name in ("same.json", "out"))
assert len(same) > 20
assert all(row["new"] == other[name]["new"] for name, row in same.items() if row["new"] is not None)
assert sum(row["old"] != other[name]["old"] for name, row in same.items() if name in other) > 10
END
done
compare 64 --new-from 1parsec "$log" "$other"
says 'hectic compare: invalid time "1parsec" for --new-from'
compare 64 --new-from 3ms --new-to 2ms "$log" "$other"
says "hectic compare: --new-from 3ms is later than --new-to 2ms"
# A baseline of another part.
compare 0 --save part.hectic --new-from 5ms --new-to 9ms "$log"
compare 2 part.hectic "$log"
says "part.hectic: its numbers are those of other options: --from 5ms --to 9ms"
compare 2 --new-from 5ms same.hectic same.hectic
compare 2 --new-from 5ms --new-to 9ms part.hectic part.hectic
for options in '--from 5ms --to 9ms' '--from 5ms --to 9ms --new-from 5ms --new-to 9ms'; do
    # shellcheck disable=SC2086 # words
    compare 0 $options part.hectic part.hectic
done
compare 0 --new-from 5ms --new-to 9ms "$log" part.hectic
compare 0 --json "$log" "$log"
python3 - <<'END' || fail "equal logs differ"
import json
report = json.load(open("out"))
assert report["old_runs"] == report["new_runs"] == 1 and len(report["compare"]) > 50
assert all(row["change"] == 0 and row["certainty"] == "none" for row in report["compare"])
assert all(cause["change"] == 0 for cause in report["causes"])
END

# What is certain comes first, and says from how many runs.
runs slow 8 1000000 6000 10
compare 0 same.hectic slow.hectic
head -n 1 "$work/out" | grep -qx "The total time rose by 19.9% (5.04ms to 6.04ms)." || fail "not the first: $(<"$work/out")"
prints "These are certain, from 8 and 8 runs."
prints "time.total: +1.00ms = +900us mutator, +100us GC"
prints "time.gc: +100us = +100us longer pauses of generation 0"
runs more 1 1050000 5000 10
runs one 1 1000000 5000 10
compare 0 one.hectic more.hectic
prints "Allocation rose by 5.0% (977KiB to 1.00MiB)."
prints "This is certain, from 1 and 1 runs."
prints "One run each: a total time that differs by less than a factor of 2, and other"
compare 0 same.hectic one.hectic
grep -q "^No difference is certain, from 8 and 1 runs.$" "$work/out" || fail "$(<"$work/out")"
grep -q "^One run on a side:" "$work/out" || fail "$(<"$work/out")"

# What differs more than usual is named.
compare 0 --json "$logs/spans.eventlog" "$logs/demo.eventlog"
python3 - <<'END' || fail "the numbers that are large: $(<out)"
import json
report = json.load(open("out"))
large = [row["number"].removesuffix("_ns").removesuffix("_bytes") for row in report["compare"] if row["certainty"] == "large"]
[said] = [text for text in report["verdict"] if "usually do between" in text or "usually does between" in text]
more = f" and {len(large) - 3} more" if len(large) > 3 else ""
assert large and said.startswith(f"{len(large)} number") and said.endswith(f": {', '.join(large[:3])}{more}."), (said, large)
END

# The causes add up, exactly.
compare 0 --json same.hectic slow.hectic
python3 - <<'END' || fail "the causes do not add up"
import json
report = json.load(open("out"))
rows = {row["number"]: row for row in report["compare"]}
for number in ("time.total_ns", "time.gc_ns"):
    parts = [cause["change"] for cause in report["causes"] if cause["number"] == number]
    assert len(parts) >= 2 and abs(sum(parts) - (1e6 if "total" in number else 1e5)) < 1, (number, parts)
assert rows["time.total_ns"]["certainty"] == "certain" and rows["time.total_ns"]["p"] < 0.01
assert rows["time.total_ns"]["low"] <= rows["time.total_ns"]["change"] <= rows["time.total_ns"]["high"]
END

# Sides: logs, folders, baselines.
mkdir old new
cp "$log" old/a.eventlog && cp "$log" old/b.eventlog && cp "$other" new/a.eventlog
compare 0 old new
cp out folders
compare 0 old/a.eventlog old/b.eventlog --with new/a.eventlog
same out folders
compare 0 --save old.hectic old
compare 0 --save new.hectic new/a.eventlog
compare 0 --baseline old.hectic new.hectic
same out folders
compare 0 old.hectic new
same out folders
compare 2 --save old.hectic old
says "old.hectic already exists"
(($(stat -c %s old.hectic) < 20000)) || fail "a baseline of two short runs: $(stat -c %s old.hectic) bytes"
compare 0 "$logs/restarted.eventlog" "$logs/spans.eventlog"
grep -q ", from 2 and 1 runs" out || fail "a log with two sections: $(<out)"
# It has all of a small log, whatever the log has.
some=("$logs"/*.eventlog)
thin some
for each in "${some[@]}"; do
    "$HECTIC" compare -q --save each.hectic --force "$each" 2>/dev/null || continue
    "$HECTIC" compare -q each.hectic "$each" >out 2>/dev/null
    grep -q '^No difference: all' out || fail "$each differs from its baseline: $(head -1 out)"
done
printf 'hectic-baseline 9\n' >later.hectic
compare 2 later.hectic new
says "later.hectic: line 1: not of a baseline that this version reads"
head -n -1 old.hectic >cut.hectic # at the end of a line
compare 2 --baseline cut.hectic new
says "cut.hectic: the baseline is cut short"
compare 2 old none
says "none: No such file"
ln -s none old/gone.eventlog # its log was removed
compare 0 old new
same out folders
[[ $(<err) == "hectic: old/gone.eventlog: skipped: a link to a file that does not exist" ]] || fail "$(<err)"
gives 0 require 'time.total < 1h' old
gives 0 sql old 'SELECT * FROM stat'
compare 2 old/gone.eventlog new
mkdir links
ln -s none links/gone.eventlog
compare 2 links new
says "links: there is no log in this folder"
rm old/gone.eventlog

# Nothing is wider than 80 columns; forms have the same numbers.
for options in "" --all --markdown; do
    # shellcheck disable=SC2086 # options
    compare 0 $options old new
    [[ $options == --markdown ]] || (($(wc -L <out) <= 80)) || fail "$options: wider than 80 columns"
done
# shellcheck disable=SC2016 # backquotes of Markdown
grep -q '^| `memory.heap_max` | ' out || fail "no Markdown: $(<out)"
compare 0 --csv old new && cp out csv
compare 0 --jsonl old new && cp out jsonl
compare 0 --json old new
python3 - <<'END' || fail "forms differ"
import csv, json
rows = json.load(open("out"))["compare"]
assert rows == [json.loads(line) for line in open("jsonl")]
lines = list(csv.DictReader(open("csv")))
assert [r["number"] for r in rows] == [r["number"] for r in lines] and len(rows) > 60
assert [float(r["old"]) if r["old"] else None for r in lines] == [r["old"] for r in rows]
END

# Conditions: on the change, and on the new runs.
compare 3 --require 'time.total <= +5%' same.hectic slow.hectic
grep -qx "failed     time.total <= +5%: +19.8[0-9]*%" out || fail "$(<out)"
compare 0 --require 'time.total <= +50%' --require 'memory.allocated <= +0%' same.hectic slow.hectic
compare 0 --require 'time.total <= +19.8%' same.hectic slow.hectic
grep -q "^uncertain  time.total <= +19.8%: " out || fail "$(<out)"
compare 3 --strict --require 'time.total <= +19.8%' same.hectic slow.hectic
compare 3 --require 'time.total < 6ms' same.hectic slow.hectic
compare 0 --require 'time.total < 7ms' --require 'time.total >= +0.5ms' same.hectic slow.hectic
compare 4 --require 'time.total <= +5%' one.hectic more.hectic
grep -q "^undecided  time.total <= +5%: +0% (cannot decide: too few runs)" out || fail "$(<out)"
compare 3 --require 'memory.allocated <= +1%' one.hectic more.hectic
compare 0 --require 'memory.allocated <= +5%' one.hectic more.hectic
compare 2 --require 'live.end <= +5%' same.hectic slow.hectic
compare 3 --json --junit junit.xml --require 'time.total <= +5%' same.hectic slow.hectic
python3 - <<'END' || fail "JSON or JUnit"
import json, xml.etree.ElementTree as tree
assert [row["outcome"] for row in json.load(open("out"))["require"]] == ["failed"]
assert tree.parse("junit.xml").getroot().find("testsuite").get("failures") == "1"
END

# Runs whose logs are cut short are left out; if there are no others, nothing is certain.
mkdir cut whole
for i in 1 2 3 4 5 6 7 8; do
    cp "$other" whole/$i.eventlog
    head -c -$((1000 + i)) "$other" >cut/$i.eventlog
done
compare 0 whole --with cut
grep -qx "No difference is certain, from 8 and 8 runs." "$work/out" || fail "cut runs: $(<"$work/out")"
prints "All runs of a side are cut short: totals and counts are those of a part, and no"
compare 4 --require 'time.total <= +5%' whole --with cut
grep -q "^undecided  time.total <= +5%: .*cut short)$" out || fail "$(<out)"
cp "$other" cut/9.eventlog
python3 -c 'import sys
log = open(sys.argv[1], "rb").read()
sys.stdout.buffer.write(log[: log.index(b"hdre") + 8])' "$log" >cut/empty.eventlog # a header, and no events
compare 0 whole/1.eventlog --with cut
grep -q "^No difference: " out || fail "$(<out)"
prints "Left out, since they are cut short or have no events: 9 new runs."
mkdir none
cp cut/empty.eventlog none
compare 2 whole --with none
says "none: no run, since no log has events"
compare 2 --save none.hectic none
compare 0 --save kept.hectic cut
says "runs that are cut short or have no events, and are not saved: 9"
compare 0 --baseline kept.hectic "$other"
grep -q "^No difference: " out || fail "$(<out)"

# Numbers that no run can have.
for value in 1e308 -5 nan 1e23; do
    sed "s/^ns\t[0-9]*\ttime.total_ns/ns\t$value\ttime.total_ns/" same.hectic >bad.hectic
    compare 2 bad.hectic same.hectic
    says "bad.hectic: line "
done

# Changes are those of the medians that stand beside them, and none is below -100 %.
runs wide 6 1000000 5000 3000
compare 0 --csv wide.hectic same.hectic
python3 - out <<'END' || fail "changes and medians: $(<out)"
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    old, new, change = float(row["old"]), float(row["new"]), float(row["change"])
    assert change == new - old and abs(float(row["part"]) - change / old) < 1e-12, row
    assert not row["low"] or float(row["low"]) >= -old, row
END

# The command line.
compare 64 old
says "two sides are needed"
compare 64 old --with
compare 64 --with old
compare 64 --save both.hectic old --with new
compare 64 a b c
says "which logs are the new ones? hectic compare OLD... --with NEW..."
compare 64 --markdown --json old new
compare 64 --require 'time.totl <= +5%' old new
says "did you mean time.total?"

# A long label of bytes that are not UTF-8, which text shows as \xe4.
python3 - long-old.hectic 1000000 long-new.hectic 3000000 <<'END'
import sys
for path, ns in (sys.argv[1:3], sys.argv[3:5]):
    with open(path, "wb") as file:
        file.write(b"hectic-baseline 1\noptions\t\n")
        for run in range(8):
            file.write(b"run\t1\t-\t%d\n" % run)
            for number in (b"count\t10\t%s.count", b"ns\t%d\t%%s.mean_ns" % (int(ns) + run),
                           b"ns\t%d\t%%s.states.running_ns" % (10 * (int(ns) + run))):
                file.write(number % (b'span("' + 600 * b"\xe4" + b'")') + b"\n")
        file.write(b"end\t34\n")
END
compare 0 long-old.hectic long-new.hectic
grep -q '^+2.00ms = +2.00ms running$' out || fail "$(<out)"
(($(grep -o 'xe4' out | wc -l) >= 600)) || fail "the label is cut in the parts of the difference"

#!/usr/bin/env bash
# hectic export: its options, its errors, and each format for logs made by hand. What the consumers of
# the formats say about real logs is in tests/oracle/export_*.sh.
. tests/support/lib.bash
needs python3

# made NAME: the path of a log made by hand.
made() {
    [[ -s $work/$1.eventlog ]] || python3 tests/support/made_profiles.py "$1" "$work/$1.eventlog"
    echo "$work/$1.eventlog"
}

time=$logs/time-profile.eventlog heap=$logs/heap-profile-c.eventlog

# --- The format: --format, or the suffix of OUT.

gives 64 export "$time" -
says "missing option: --format FORMAT"
gives 64 export "$time" "$work/none.foo"
says "the suffix of \"$work/none.foo\" is that of no format (.hp, .prof, "
says ", .clickhouse.sql): name one by --format"
gives 64 export --format foldde "$time" -
says "did you mean folded?"
gives 64 export --format folded "$time"
says "missing operand: OUT"
gives 64 export --format folded -o "$work/a" "$time" "$work/b"
says "both OUT and -o are given"
[[ ! -e $work/a && ! -e $work/b ]] || fail "OUT of a usage error"
for pair in prof:.prof prof-json:.prof.json speedscope:.speedscope.json pprof:.pb.gz folded:.folded; do
    gives 0 export --force "$time" "$work/by-suffix${pair#*:}"
    gives 0 export --force --format "${pair%%:*}" -o "$work/by-name" "$time"
    same "$work/by-suffix${pair#*:}" "$work/by-name"
done
gives 0 export --force "$heap" "$work/by-suffix.hp"
gives 0 export --format hp "$heap" -
same "$work/by-suffix.hp" "$work/out"
gives 0 export --to hp "$heap" - # as it once was
same "$work/by-suffix.hp" "$work/out"
says "note: use --format hp"
gives 0 export --format hp --to 1500ms "$heap" -
cp "$work/out" "$work/part"
for options in "--to hp --to 1500ms" "--to 1500ms --to hp"; do # shellcheck disable=SC2086 # words are meant
    gives 0 export $options "$heap" -
    same "$work/part" "$work/out"
done
gives 0 export --format folded - - <"$time"
same "$work/by-suffix.folded" "$work/out"
gives 0 export "$time" "$work/by-suffix.clickhouse.sql"
for out in "$work/statements" "-o $work/statements"; do # shellcheck disable=SC2086 # words are meant
    gives 0 export --force --format clickhouse "$time" $out
    same "$work/by-suffix.clickhouse.sql" "$work/statements"
done
gives 64 export --format clickhouse "$time"
says "--format clickhouse needs --url URL, or OUT for statements"

# --- Options that the format does not have.

for options in "hp --at end" "hp --cap 0" "prof --weight elapsed" "prof-json --every 1s" \
    "pprof --every 1s" "folded --every 1s" "hp --weight samples"; do
    # shellcheck disable=SC2086 # several arguments
    gives 64 export --format $options "$time" "$work/none"
    says "cannot be combined with --format ${options%% *}"
done
gives 64 export --format pprof --at end --cap 1 "$time" "$work/none"
says "--at (of heap profiles) and --cap (of time profiles) cannot be combined"
gives 64 export --format folded --cap x "$time" "$work/none"
says 'invalid cap "x" for --cap'
gives 64 export --format folded --weight x "$time" "$work/none"
says "interval, elapsed or samples"
gives 64 export --format folded --at soon "$heap" "$work/none"
says 'invalid time "soon" for --at'

# --- What the log does not have: a message with the flag, and no OUT.

gives 1 export --format hp "$time" "$work/none"
says "no heap profile: run with +RTS -hT -l"
gives 1 export --format prof "$heap" "$work/none"
says "no time profile: build with ghc -prof, and run with +RTS -p -l"
gives 1 export --format folded --cap 0 "$heap" "$work/none"
says "no samples of a time profile in this part of the log"
gives 1 export --format speedscope "$logs/threads.eventlog" "$work/none"
says "no profile: build with ghc -prof"
gives 1 export --format hp "$(made empty)" "$work/none"
says "the heap profile has no samples"
gives 1 export --format pprof "$(made empty)" "$work/none"
says "the profile has no samples"
gives 1 export --format speedscope --every 1s "$heap" "$work/none"
says "no time profile"
gives 1 export --format folded --at 1ns "$heap" "$work/none"
says "no heap sample at 1ns or before"
gives 1 export --format folded --from 1h "$time" "$work/none"
says "the interval is outside the log"
gives 1 export --format hp --to 1ms "$heap" "$work/none"
says "no samples of a heap profile in this part of the log"
gives 2 export --format hp "$work/absent" "$work/none"
gives 2 export --format hp "$heap" "$work/absent/none"
[[ ! -e $work/none ]] || fail "OUT although nothing was exported"
echo kept >"$work/kept"
gives 1 export --force --format hp "$time" "$work/kept"
[[ $(<"$work/kept") == kept ]] || fail "OUT was replaced"

# --- Which profile.

log=$(made several)
gives 64 export --format hp "$log" "$work/none"
says "has several profiles: choose one by --profile N (1: -hy from 1.000s; 2: -hm from 2.000s)"
gives 64 export --format folded "$log" "$work/none"
says "(1: -hy from 1.000s; 2: -hm from 2.000s)"
[[ ! -e $work/none ]] || fail "OUT although no profile was chosen"
gives 64 export --format folded --profile 3 "$log" -
says "has no profile 3 (1: -hy from 1.000s; 2: -hm from 2.000s)"
gives 0 export --format folded --profile 1 "$log" -
prints "type 1"
gives 0 export --format folded --profile 2 "$log" -
prints "Module 2"
gives 0 export --format hp --profile 2 "$log" -
prints $'Module\t2'
! grep -q type "$work/out" || fail "the other profile"
gives 0 export --format hp --to 1500ms "$log" - # a format and a time
prints $'type\t1'

log=$(made restarted)
gives 64 export --format prof "$log" -
says "(1: time from 0.000s; 2: time from 0.000s, section 2)"
gives 0 export --format folded --profile 1 "$log" -
prints "Main.one 1"
gives 0 export --format folded --profile 2 "$log" -
prints "Main.two 2"
gives 0 export --format hp --profile 2 "$log" -
prints $'second\t2'
gives 0 export --format speedscope --every 1s --profile 2 "$log" -
grep -q '"name":"Main.two"' "$work/out" || fail "the other section"
! grep -q '"name":"Main.one"' "$work/out" || fail "both sections"

# Of both kinds, the time, unless an option is of the heap.
log=$(made both)
gives 0 export --format folded "$log" -
prints "Main.f 2"
says "note: the log has a heap profile, too: --at peak exports it"
gives 0 export --format folded -q "$log" -
[[ ! -s $work/err ]] || fail "a note despite --quiet"
gives 0 export --format folded --at peak "$log" -
[[ $(<"$work/out") == $'a 20\nb 6' ]] || fail "the peak: $(<"$work/out")"
gives 0 export --format folded --at end "$log" -
[[ $(<"$work/out") == "a 9" ]] || fail "the end: $(<"$work/out")"
gives 0 export --format folded --at 2ms "$log" -
[[ $(<"$work/out") == "a 10" ]] || fail "at a time: $(<"$work/out")"
gives 0 export --format folded --at mean "$log" - # (15 · 1 ms + 14.5 · 1 ms) / 2 ms, and 3
[[ $(<"$work/out") == $'a 15\nb 3' ]] || fail "the mean: $(<"$work/out")"
gives 0 export --format folded --at peak --from 3ms "$log" -
[[ $(<"$work/out") == "a 9" ]] || fail "the peak of an interval: $(<"$work/out")"
gives 0 export --format folded --from 1500us "$log" -
prints "Main.f 1"
gives 0 export --format folded --weight interval "$log" -
prints "Main.f 2000000"
gives 0 export --format folded --at marker:later "$(made markers)" -
prints "a 1"

# --- hp: hp2ps has to read all labels.

log=$(made labels)
gives 0 export --format hp "$log" -
[[ $(head -4 "$work/out") == 'JOB "prog say ""hi"" line\nbreak"
DATE "unknown"
SAMPLE_UNIT "seconds"
VALUE_UNIT "bytes"' ]] || fail "$(head -4 "$work/out")"
for label in a_b _ '_"quoted"' _JOB _BEGIN_SAMPLE _MARK tab_inside line_break '_[31mred' 'semi;colon' \
    größe 12 1.5; do
    grep -qaP "^\Q$label\E\t\d+$" "$work/out" || fail "no label $label"
done
LC_ALL=C grep -qaP '^\xff\xfe\t\d+$' "$work/out" || fail "the label that is no UTF-8"
grep -qaP '^x{4095}\t91$' "$work/out" || fail "the long label"
if command -v hp2ps >/dev/null; then
    mv "$work/out" "$work/labels.hp"
    (cd "$work" && hp2ps -c labels.hp) || fail "hp2ps refuses the labels"
fi
gives 0 export --format folded --at 10ns "$log" -
prints "$(printf %0255d 0 | tr 0 x) 91"
prints "$(printf %0127d 0 | sed 's/0/é/g') 119"
gives 0 export --format hp "$(made back)" - # times never go back; values are exact
says "samples without an end, left out: 1"
prints $'b\t18446744073709551615'
[[ $(grep -c '^BEGIN_SAMPLE 0.000000030$' "$work/out") == 2 ]] || fail "times: $(<"$work/out")"
gives 0 export --format hp "$(made no-times)" -
says "they are numbered"
prints 'SAMPLE_UNIT "samples"'
prints 'BEGIN_SAMPLE 1.000000000'
! grep -q MARK "$work/out" || fail "a marker between samples without times"
gives 0 export --format hp "$(made markers)" -
[[ $(grep -A1 MARK "$work/out") == 'MARK 0.000000005
BEGIN_SAMPLE 0.000000010
--
MARK 0.000000015
BEGIN_SAMPLE 0.000000020' ]] || fail "markers: $(<"$work/out")"
gives 0 export --force --to marker:later --format hp "$(made markers)" "$work/part"
[[ $(grep -c BEGIN_SAMPLE "$work/part") == 1 ]] || fail "up to a marker: $(<"$work/part")"
gives 0 export --force --format hp --between early..later "$(made markers)" "$work/between"
same "$work/part" "$work/between"
gives 0 export --format hp --from 12ns "$(made markers)" - # part of a run: no empty samples
[[ $(grep -c BEGIN_SAMPLE "$work/out") == 1 ]] || fail "samples of an interval: $(<"$work/out")"

# --- Stacks: of unknown cost centres, defined late, deep; a tick of 0 ns; large numbers of caps.

log=$(made stacks)
gives 0 export --format folded "$log" -
prints 'MAIN 1'
prints 'Main.semi,colon\nbreak;Late.late 2'
prints 'GC 1'
grep -q '^cost centre 1254;cost centre 1253;.*;cost centre 1000 1$' "$work/out" || fail "the deep one"
gives 0 export --format folded --cap 1 "$log" -
[[ $(<"$work/out") == 'Main.semi,colon\nbreak;Late.late 1' ]] || fail "a cap: $(<"$work/out")"
gives 0 export --format folded --weight elapsed "$log" -
prints 'MAIN 10'
gives 0 export --format prof "$log" -
grep -q 'total time  = *N/A secs   (5 ticks, 3 processors)' "$work/out" || fail "$(head "$work/out")"
grep -qE '^ *Late +src/' "$work/out" || grep -qE '^ *late +Late +src/Late.hs:\(7,1\)-\(9,2\) ' "$work/out" ||
    fail "late: $(cut -c1-100 "$work/out")"
! grep -q '^ *GC ' "$work/out" || fail "GC is not the program's"
gives 0 export --format prof-json "$log" -
python3 - "$work/out" <<'EOF'
import json, sys
profile = json.load(open(sys.argv[1], encoding="utf-8"))
depth, node = 0, profile["profile"]
assert profile["total_ticks"] == 6 and profile["tick_interval"] is None
while node["children"]:
    depth, node = depth + 1, max(node["children"], key=lambda child: len(child["children"]))
    assert node["entries"] is None and node["alloc"] is None
labels = {centre["id"]: centre["label"] for centre in profile["cost_centres"]}
assert depth == 255 and labels[node["id"]] == "cost centre 1000", (depth, node)
EOF
gives 0 export --format speedscope "$log" -
python3 - "$work/out" <<'EOF'
import json, sys
file = json.load(open(sys.argv[1], encoding="utf-8"))
frames = file["shared"]["frames"]
assert [p["name"] for p in file["profiles"]] == [
    "time, all caps", "time, cap 0", "time, cap 1", "time, cap 65536"], file["profiles"]
everything = file["profiles"][0]
assert everything["unit"] == "none" and everything["endValue"] == sum(everything["weights"]) == 6
assert len(set(frame["name"] for frame in frames)) == len(frames)
late = [frame for frame in frames if frame["name"] == "Late.late"]
assert late == [{"name": "Late.late", "file": "src/Late.hs", "line": 7, "col": 1}], late
assert sum(sum(p["weights"]) for p in file["profiles"][1:]) == 6
assert max(len(stack) for stack in everything["samples"]) == 255
EOF
gives 0 export --format folded "$(made call-stacks)" -
[[ $(wc -l <"$work/out") == 2 ]] || fail "call stacks: $(<"$work/out")"
gives 0 export --format speedscope --weight elapsed "$(made call-stacks)" -
grep -q '"name":"call stacks","unit":"nanoseconds"' "$work/out" || fail "call stacks: $(<"$work/out")"

# --- --every: balanced, in order, with the same sums.

log=$(made slices)
gives 0 export --force --format folded --weight interval "$log" "$work/folded"
for every in 1ns 10ns 25ns 1h; do
    gives 0 export --format speedscope --every $every "$log" -
    python3 - "$work/out" "$work/folded" <<'EOF'
import collections, json, sys
file = json.load(open(sys.argv[1], encoding="utf-8"))
(profile,) = file["profiles"]
names = [frame["name"] for frame in file["shared"]["frames"]]
sums, stack, at = collections.Counter(), [], profile["startValue"]
for event in profile["events"]:
    assert event["at"] >= at
    sums[";".join(stack)] += event["at"] - at
    at = event["at"]
    if event["type"] == "O":
        stack.append(names[event["frame"]])
    else:
        assert stack.pop() == names[event["frame"]]
assert not stack and at == profile["endValue"] == 80
wanted = {}
for line in open(sys.argv[2]):
    name, value = line.rsplit(" ", 1)
    wanted[name] = int(value)
assert +sums == collections.Counter(wanted), (sums, wanted)
EOF
done
gives 0 export --format speedscope --every 10ns "$log" -
[[ $(grep -o '"type":"O"' "$work/out" | wc -l) == 8 ]] || fail "calls: $(<"$work/out")"

# --- pprof is not for terminals; others have no bytes that control one.

if command -v script >/dev/null; then
    script -qec "'$HECTIC' export --format pprof '$(made labels)' -" "$work/typescript" >"$work/shown" 2>&1 || true
    grep -q 'not writing bytes for pprof to a terminal' "$work/shown" || fail "$(<"$work/shown")"
    script -qec "'$HECTIC' export --format hp '$(made labels)' -" "$work/typescript" >"$work/shown"
    grep -qF '\xff\xfe' "$work/shown" || fail "bytes of a label on a terminal: $(<"$work/shown")"
fi
gives 0 export --format pprof "$(made labels)" - # read without its compression, its texts are UTF-8
python3 - "$work/out" <<'EOF'
import gzip, sys
gzip.open(sys.argv[1]).read()
EOF
for format in hp folded; do
    gives 0 export --format $format "$(made labels)" -
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$work/out" || fail "control characters: $format"
done

# --- A damaged log: what could be read, and exit code 1. A log that is cut short is sound.

head -c 60000 "$time" >"$work/cut"
gives 0 export --force --format folded "$work/cut" -
grep -q '^Main' "$work/out" || fail "nothing of the log that is cut short"

#!/usr/bin/env bash
# info summarizes a log: what was run, time and memory as stat prints them, and what is not recorded.
. tests/support/lib.bash
log=$logs/threads.eventlog

gives 0 info "$log"
(($(wc -L <"$work/out") <= 80)) || fail "wider than 80 columns"
cp "$work/out" "$work/info"
gives 0 info "$logs/heap-types.eventlog"
grep -q "^Heap use " "$work/out" || fail "no headline of the heap profile"
gives 0 info "$logs/time-profile.eventlog"
grep -q "^Time use " "$work/out" || fail "no headline of the time profile"
titles=$(sed '/^Not recorded/,$d' "$work/out" | cut -c 1-11 | grep -v '^ ' | sort | uniq -d | tr -d '\n')
[[ -z $titles ]] || fail "a title appears twice: $titles"
[[ $(head -1 "$work/info") == "Program    ./threads +RTS -N2 -l" ]] || fail "the program is not first"
prints "State      complete"
! grep -q RUN_THREAD "$work/info" || fail "counts of events without --events"

# The numbers are those of stat, in the same digits.
gives 0 stat "$log"
has() { # TITLE NUMBER: with the number as stat prints it
    [[ -n $2 ]] || fail "stat has no number for $1"
    grep -q "^$1 .*$2" "$work/info" || fail "not in info: $1 $2"
}
stat_is() { # SED-PATTERN
    sed -nE "s/$1/\1/p" "$work/out" | head -1
}
has Time "$(stat_is '^  Total .*\( *([0-9.]+s) elapsed\)')"
has Time "mutator $(stat_is '^  MUT .*\( *([0-9.]+s) elapsed\)')"
has Time "($(stat_is '^  Productivity .* ([0-9.]+%) of total elapsed'))"
has Time "GC $(stat_is '^  GC .*\( *([0-9.]+s) elapsed\)')"
has GC "$(stat_is '^  all .* ([0-9.]+ ?[a-z]+)$')"
has Allocated "$(stat_is '^ *([0-9,]+ bytes) allocated.*')"
has Residency "$(stat_is '^ *([0-9,]+ bytes) maximum residency.*')"
has Memory "$(stat_is '^ *([0-9]+ MiB) total memory.*')"

# Only what the log holds.
gives 0 info "$logs/threads-few-classes.eventlog"
gives 0 stat --jsonl "$logs/threads-few-classes.eventlog"
"$HECTIC" info "$logs/tiny-nothing.eventlog" >"$work/info"
! grep -qE "^(GC|Allocated|Residency|Memory|Threads) " "$work/info" || fail "numbers of nothing"
grep -qF "  gc             +RTS -lg" "$work/info" || fail "no hint how to record collections"

# What is recorded, and how to enable the rest.
gives 0 info --events "$log"
grep -qE '^ +137 +28\.2% +RUN_THREAD +scheduler$' "$work/out" || fail "no counts"
grep -qE '^  threads +which threads ran' "$work/out" || fail "no list of what is recorded"
grep -qFx "Not recorded (and how to enable it)" "$work/out" || fail "no list of what is not"
grep -qF "  messages       Debug.Trace.traceEventIO in the program, and +RTS -lu" "$work/out" || fail "no messages"
gives 0 info --json "$log"
grep -qF '"events_by_type":{"RUN_THREAD":137,' "$work/out" || fail "no counts in JSON"
grep -qF '"threads":{"recorded":true}' "$work/out" || fail "not recorded, by JSON"

# Without statistics and verdict.
gives 0 info --quick "$log"
diff "$work/info" "$work/out" | grep '^>' && fail "--quick adds something"
! grep -qE "^(GC|Verdict) " "$work/out" || fail "--quick prints statistics"
grep -qF "  messages       Debug.Trace" "$work/out" || fail "--quick omits too much"
gives 0 info --quick --json "$log"
grep -qF '"verdict":null,' "$work/out" || fail "a verdict with --quick"

# Sections, compressed logs, pipes, damage, a killed program.
gives 0 info "$logs/restarted.eventlog"
prints "Section    2 of 2"
cat "$logs"/{demo,spans}.eventlog >"$work/two"
gives 0 info "$work/two"
[[ $(grep -E '^(Section|Program)' "$work/out" | sed -E 's/ +/ /' | xargs) == \
    "Section 1 of 2 Program ./demo +RTS -N2 -A256k -l Section 2 of 2 Program ./spans +RTS -N2 -l" ]] ||
    fail "the programs of sections: $(cat "$work/out")"
[[ $("$HECTIC" info --json "$work/two" | jq -c '[.sections[] | .section, .args[0]]') == '[1,"./demo",2,"./spans"]' ]] ||
    fail "the programs of sections in JSON"
for _ in {1..6}; do cat "$log"; done >"$work/six"
gives 0 info "$work/six"
[[ $(grep -c ^Time "$work/out") == 4 ]] || fail "not 4 of 6 sections: $(cat "$work/out")"
gives 0 info - < <(cat "$log")
unnamed() { # without the size of the file, and commands with its name
    grep -vE "^Log|^ +hectic "
}
unnamed <"$work/out" >"$work/piped"
"$HECTIC" info "$log" | unnamed | cmp - "$work/piped" || fail "another summary from a pipe"
gzip -c "$log" >"$work/log.gz"
gives 0 info "$work/log.gz"
grep -q '^Log .* bytes uncompressed (gzip), ' "$work/out" || fail "the size of a compressed log"
unnamed <"$work/out" | cmp - "$work/piped" || fail "another summary of a compressed log"
head -c 9000 "$log" >"$work/cut"
gives 0 info "$work/cut"
prints "State      no end marker: still running, killed, or truncated"
{
    head -c 6000 "$log"
    head -c 100 /dev/zero
    tail -c +6101 "$log"
} >"$work/damaged"
gives 1 info "$work/damaged"
grep -q "^State      damaged in " "$work/out" || fail "no damage"
grep -q "^Time " "$work/out" || fail "no time"

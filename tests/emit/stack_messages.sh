#!/usr/bin/env bash
# prof reads the messages of ghc-stack-profiler: whole stacks, parts, late definitions; what is
# malformed is left out without loss of others.
. tests/support/lib.bash
log=$work/stacks.eventlog
"$HECTIC_BUILD/stack_messages" "$log" || fail "exit code $?"

gives 0 prof --stacks --csv "$log"
cat >"$work/expected" <<'END'
section,own_ticks,own_share,depth,stack
1,10,0.625,3,work;go;main
1,3,0.1875,6,0x10005;0x10004;0x10003;0x10002;0x10001;0x10000
1,3,0.1875,2,spät[31m;spät[31m
END
# (own_ns is a time of the clock)
cut -d, -f1,2,4- "$work/out" | tr -d '\033' | diff - "$work/expected" || fail "other stacks"
says "left out 4 messages of ghc-stack-profiler, malformed or incomplete"

gives 0 prof "$log"
grep -q '^16 call stacks, 3 caps, ' "$work/out" || fail "no headline: $(head -1 "$work/out")"
grep -q '^Function .* Samples ' "$work/out" || fail "no heading"
grep -q '^spät\\x1b\[31m ' "$work/out" || fail "no late name"
gives 0 prof --csv "$log"
cut -d, -f2-6,8-9,11 "$work/out" | tr -d '\033' >"$work/functions"
for row in main,,Main.hs:3:8,false,0,0,10,0.625 go,Main,Main.hs:10:1-20,false,0,0,10,0.625 \
    work,Work,Work.hs:5:1-30,false,10,0.625,10,0.625 'spät[31m,,Late.hs:3:4,false,3,0.1875,3,0.1875' \
    'spät[31m,,,false,0,0,3,0.1875' 0x10003,,,false,0,0,3,0.1875; do
    grep -qxF -- "$row" "$work/functions" || fail "not printed: $row; but: $(cat "$work/functions")"
done

# By cap: of thread 1, caps 0, 1 and 2 have 4, 3 and 3 samples.
for cap in 0 1 2; do
    gives 0 prof --csv --cap "$cap" "$log"
    grep -q "^1,work,Work,Work.hs:5:1-30,false,$((cap ? 3 : 4))," "$work/out" || fail "cap $cap"
done
gives 1 prof --cap 3 "$log"
says "the time profile has no samples in this part of the log, cap and source"
gives 1 prof --source cost-centres "$log"
says "the time profile has no samples in this part of the log, cap and source"

# Both sources: cost centres are the default.
"$HECTIC_BUILD/stack_messages" "$log" --ticks || fail "exit code $?"
gives 0 prof --csv "$log"
cut -d, -f2,6,8,9,11 "$work/out" >"$work/centres"
printf '%s\n' label,own_ticks,own_share,inherited_ticks,inherited_share inner,4,1,4,1 outer,0,0,4,1 |
    diff - "$work/centres" || fail "other cost centres"
gives 0 prof "$log"
prints "the program 80.0%, GC 20.0%"
prints "Profiling was off 1 time in between."
gives 0 prof --source call-stacks --csv "$log"
grep -q '^1,work,' "$work/out" || fail "no call stacks"

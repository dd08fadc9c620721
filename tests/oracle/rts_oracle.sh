#!/usr/bin/env bash
# hectic stat agrees with the report of +RTS -s of the same run.
#
# Exactly equal: bytes allocated, copied, live, and lost to slop; collections, parallel ones, work
# balance, sparks. Within 2 % or 1 ms: elapsed times and longest pauses. Logs have no CPU times.
# While the runtime collects, each cap takes part in the collection or waits for it; other waiting is
# not time of the collector.
. tests/support/haskell.bash
needs jq
cd "$work"
compared=0
profiles=0
failed=0

# The values of a report, as lines "exactly|nearly NAME VALUE". Both reports have the same layout.
facts() {
    awk '
    function exactly(name, value) {print "exactly", name, value}
    function nearly(name, value) {sub(/s$/, "", value); print "nearly", name, value}
    / bytes allocated in the heap/ {exactly("allocated", $1)}
    / bytes copied during GC/ {exactly("copied", $1)}
    / bytes maximum residency/ {exactly("residency", $1 "/" $5)}
    / bytes maximum slop/ {exactly("slop", $1)}
    /^  Gen .* colls,/ {
        exactly("gen" $2 ".colls", $3)
        exactly("gen" $2 ".par", $5)
        nearly("gen" $2 ".elapsed", $8)
        nearly("gen" $2 ".pause", $10)
    }
    /^  Gen .* syncs,/ {exactly("syncs", $3); nearly("sync.elapsed", $5); nearly("sync.max", $7)}
    /work balance/ {exactly("balance", $5)}
    /^  SPARKS:/ {exactly("sparks", $0)}
    /^  (MUT|GC|Total) .*time/ {gsub(/[()]/, ""); nearly($1, $4)}
    ' "$1" | sort
}

# The facts of the runtime beside those of hectic: prints those that differ.
differing() {
    join -a 1 -a 2 -e none -o 0,1.2,2.2 \
        <(sed -E 's/^(\S+) (\S+) /\1:\2\t/' <<<"$1" | tr ' ' '_' | tr '\t' ' ' | sort) \
        <(sed -E 's/^(\S+) (\S+) /\1:\2\t/' <<<"$2" | tr ' ' '_' | tr '\t' ' ' | sort) |
        awk -v profiles="$profiles" '
        $2 == $3 {next}
        # A runtime for profiling takes the heap profiles out of it, which no event shows.
        $1 == "nearly:GC" && profiles {next}
        /^nearly:/ && $2 != "none" && $3 != "none" {
            off = $2 > $3 ? $2 - $3 : $3 - $2
            # Both are rounded, to the last place that is printed.
            if (off <= 0.02 * $2 || off <= 0.0010001) next
        }
        {print "    " $1 ": +RTS -s says " $2 ", hectic stat " $3}'
}

# The line of sparks, by the table of hectic sparks. (Of a runtime without sparks it has no rows.)
sparks_line() {
    "$HECTIC" sparks --csv log 2>/dev/null | tr -d '\r' | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { for (i = 1; i <= NF; i++) sum[name[i]] += $i }
        END {
            printf "  SPARKS: %d (%d converted, %d overflowed, %d dud, ", sum["sparks"],
                sum["converted"], sum["overflowed"], sum["dud"]
            printf "%d GC'"'"'d, %d fizzled)\n", sum["gcd"], sum["fizzled"]
        }'
}

# The time of each cap that was there from the beginning: of what it did, and for collections.
caps_that_are_off() {
    "$HECTIC" stat --jsonl log | jq -r --argjson gc "$(awk '/^  GC .*time/ {gsub(/[()s]/, ""); print $4}' report)" \
        --argjson profiles "$profiles" '
        .time.gc_main_ns as $led |
        (if ($led / 1e9 - $gc | fabs) > ([0.02 * $gc, 0.0010001] | max) and $profiles == 0
         then "    GC is not \($gc) s" else empty end),
        (.caps[] |
         (.running_ns + .gc_ns + .wait_begin_ns + .wait_end_ns + .wait_out_ns + .idle_ns) as $sum |
         if $sum != .present_ns or .gc_ns != .gc_work_ns + .gc_idle_ns
         then "    cap \(.cap): \($sum) ns of \(.present_ns)"
         elif .present_ns > $led and .gc_ns + .wait_out_ns > $led
         then "    cap \(.cap): \(.gc_ns) + \(.wait_out_ns) ns in collections of \($led)"
         elif .cap < 1 and .gc_ns + .wait_out_ns != $led
         then "    cap \(.cap): \(.gc_ns) + \(.wait_out_ns) ns in collections, not \($led)"
         else empty end)'
}

# once PROGRAM KIND FLAG…: runs it, and leaves in $wrong what differs
once() {
    local program=$1 kind=$2
    shift 2
    rm -f log report
    # Some of them are meant to fail.
    "./$program" "$kind" +RTS -la -ollog -sreport "$@" >/dev/null 2>&1 || true
    wrong="    no report"
    [ -s report ] || return 0
    # Where the clock goes back, the machine was busy while the runtime stamped an event.
    "$HECTIC" stat log >answer 2>complaint || {
        wrong="    $(cat complaint)"
        return 0
    }
    wrong=$(differing "$(facts report)" "$(facts answer)")$(caps_that_are_off)
    if grep -q '^  SPARKS:' report && ! grep -qxF "$(sparks_line)" report; then
        wrong+=$'\n'"    hectic sparks: $(sparks_line)"
    fi
    compared=$((compared + 1))
}

# try PROGRAM KIND FLAG…: a run may be off where the machine was busy with something else just
# between the clock, or a counter, and the event. What hectic gets wrong is off in all three.
tried=0
try() {
    is_short && ((tried++ % 4 > 0)) && return 0
    for _ in 1 2 3; do
        once "$@"
        [ -n "$wrong" ] || return 0
        echo "$*: ($("$HECTIC" check log 2>&1 | tail -n 1))"
        echo "$wrong"
    done
    failed=1
}

compile single runs.hs -O1
compile threaded runs.hs -O1 -threaded

for kind in nothing tiny work threads large collect foreign delay alloca exception exit \
    exit-in-thread; do
    try single "$kind"
    try threaded "$kind" -N2
done
for kind in sparks overflow parallel caps idle; do
    try threaded "$kind" -N2
    try threaded "$kind" -N4 -A256k
done
for kind in work parallel sparks threads; do
    for flags in "-N1" "-N4" "-N1 -qg" "-N2 -qg" "-N4 -qg"; do
        # shellcheck disable=SC2086
        try threaded "$kind" $flags
    done
done
for flags in "-c" "-G1" "-G3" "-G4" "-A64k" "-A16m" "-xn" "--nonmoving-gc -A256k" "-F4" "-M200m" \
    "-H64m" "-n512k -A4m" "-O64k"; do
    # shellcheck disable=SC2086
    try single work $flags
    # shellcheck disable=SC2086
    try threaded work -N2 $flags
    # shellcheck disable=SC2086
    try threaded parallel -N2 $flags
done
for flags in "-I0" "-qg" "-qg1" "-qb" "-qn1" "-qn2 -N4" "-C0" "-V0" "-hT -i0.02"; do
    # shellcheck disable=SC2086
    try threaded parallel -N2 $flags
done
try single work -hT -i0.02
try threaded large -N2 -xn
try threaded collect -N2 -xn
try threaded collect -N3 -G4
if compile profiled runs.hs -O1 -prof -fprof-auto-top 2>/dev/null; then
    try profiled work
    profiles=1 try profiled work -hc -i0.02
fi
if compile profiled-threaded runs.hs -O1 -prof -threaded 2>/dev/null; then
    try profiled-threaded parallel -N2
fi

echo "compared $compared runs"
exit $failed

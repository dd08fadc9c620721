#!/usr/bin/env bash
# hectic export --format prof and prof-json agree with the reports of GHC's profiler of the same run: ticks
# of each cost centre in each stack. So do folded stacks, and what pprof reads (export_pprof.sh:
# go tool pprof; export_speedscope.sh: speedscope).
. tests/support/profiled.bash
compile coarse prof.hs -O1 -prof -threaded
compile_fine
cd "$work"

# Of the latest run with -P.
other_formats() {
    gives 0 export --force log ours.prof.json
    agrees prof.json ours.prof.json
    gives 0 export --format folded log -
    agrees folded "$work/out"
    grep -q "$(grep -o '@ .*processors*)' program.prof)" ours.prof || fail "$(head -n 6 ours.prof)"
}

for flags in "-V0.001" "-N2 -V0.002" "-N4 -A256k -V0.0005"; do
    is_near profile fine -P .prof "$flags -RTS 6"
    other_formats
    is_equal profile coarse -P .prof "$flags -RTS coarse"
    other_formats
    # The heading, and each cost centre: with the exception of allocation, as GHC writes it.
    without='s/[0-9]+:[0-9]+//; s/(total alloc *= ) *\S+/\1/'
    diff <(head -n 6 program.prof | sed -E "$without") <(head -n 6 ours.prof | sed -E "$without") ||
        fail "the heading: $(head -n 6 ours.prof)"
    # centres FILE: label, module, %time, ticks of the first table.
    centres() {
        sed -n '/^COST CENTRE/,/entries/p' "$1" |
            awk 'NF > 5 && $1 != "COST" && $(NF - 1) > 0 { print $1, $2, $(NF - 3), $(NF - 1) }' | sort
    }
    comm -23 <(centres program.prof) <(centres ours.prof) >"$work/missing"
    [[ ! -s $work/missing ]] || fail "cost centres: $(<"$work/missing")"
    [[ $(centres program.prof | wc -l) -gt 3 ]] || fail "no cost centres: $(<program.prof)"
done

is_near profile fine -pj .prof.json "-N2 -V0.001 -RTS 6"
is_equal profile coarse -pj .prof.json "-V0.001 -RTS coarse --RTS +RTS"
python3 - program.prof ours.prof.json <<'EOF'
import json, sys
ghc, ours = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
assert ghc.keys() == ours.keys(), (ghc.keys(), ours.keys())
for key in "program", "arguments", "rts_arguments", "initial_capabilities", "total_ticks", "tick_interval":
    assert ghc[key] == ours[key], (key, ghc[key], ours[key])
assert abs(ghc["total_time"] - ours["total_time"]) <= 0.006, (ghc["total_time"], ours["total_time"])
key = lambda centre: centre["id"]
assert sorted(ghc["cost_centres"], key=key) == sorted(ours["cost_centres"], key=key)
assert ours["total_alloc"] is None
EOF

#!/usr/bin/env bash
# go tool pprof reads hectic export --format pprof: its sums are those of GHC's report of the same run, and
# of the sample of a heap profile.
. tests/support/profiled.bash
needs go
compile_fine
cd "$work"
export HOME=$work PPROF_TMPDIR=$work

# pprof ARGUMENT…
pprof() {
    go tool pprof "$@" 2>"$work/err" || fail "pprof $*: $(<"$work/err")"
}

for arguments in "-V0.001 -RTS 12" "-N2 -V0.002 -RTS 12"; do
    is_near profile fine -P .prof "$arguments"
    gives 0 export --force log time.pb.gz
    pprof -raw time.pb.gz >raw
    pprof -top -nodecount=10000 -nodefraction=0 -unit=ns time.pb.gz >top
    agrees raw raw top
    grep -qx 'File: fine' top || fail "$(<top)"
    grep -q "^Time: $(date +'%b %-d, %Y')" top || fail "$(<top)"
    # One trace for each stack, whose weight is that of the sample.
    pprof -traces -unit=ns time.pb.gz >traces
    [[ $(awk '/^ *[0-9]+ns / { sum += $1 } END { print sum }' traces) == \
        $(awk '/^samples/ { inside = 1; next } /^Locations/ { inside = 0 } inside { sum += $2 } END { print sum }' raw) ]] ||
        fail "$(<traces)"
    # Samples are the only value.
    gives 0 export --force --weight samples log samples.pb.gz
    pprof -raw samples.pb.gz | grep -xF 'samples/count[dflt]' >/dev/null || fail "not samples: $(pprof -raw samples.pb.gz)"
    # The time between samples is about the interval.
    gives 0 export --force --weight elapsed log elapsed.pb.gz
    pprof -raw elapsed.pb.gz >elapsed
    python3 - raw elapsed <<'EOF'
import re, sys
sums = [sum(int(found[1]) for found in re.findall(r"^ +(\d+) +(\d+): ", open(path).read(), re.M))
        for path in sys.argv[1:]]
assert 0.3 < sums[1] / sums[0] < 3, sums
EOF
done

# The heap: bytes of each band at the peak, as in the .hp file.
./fine +RTS -hc -i0.005 -l -ollog -RTS 6 >/dev/null
for moment in peak end mean; do
    gives 0 export --force --at $moment log heap.pb.gz
    gives 0 export --force --format folded --at $moment log -
    pprof -raw heap.pb.gz >raw
    grep -qF 'inuse_space/bytes' raw || fail "$(<raw)"
    [[ $(awk 'NF > 1 && $1 ~ /^[0-9]+:$/ && /: [0-9]/ && !/0x0/ { sum += $1 } END { print sum + 0 }' raw) == \
        $(awk '{ sum += $NF } END { print sum + 0 }' "$work/out") ]] || fail "$moment: $(<raw)"
done
gives 0 export --force --format hp log heap.hp
gives 0 export --force --at peak log heap.pb.gz
pprof -top -nodecount=10000 -nodefraction=0 -unit=B heap.pb.gz >top
[[ $(sed -nE 's/.*100% of ([0-9]+)B total.*/\1/p' top) == \
    $(awk '/^BEGIN/ { sum = 0 } NF == 2 && !/SAMPLE/ { sum += $2 } sum > most { most = sum } END { print most }' heap.hp) ]] ||
    fail "the peak: $(<top)"
gives 0 export --force --at peak "$OLDPWD/$logs/heap-types.eventlog" types.pb.gz
pprof -top -unit=B types.pb.gz | grep -F "ghc-prim:GHC.Types.I#" >/dev/null || fail "types"

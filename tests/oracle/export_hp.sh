#!/usr/bin/env bash
# hectic export --to hp writes the .hp file of GHC's runtime: of the same run, the same labels and
# bytes in every sample, and hp2ps draws the same bands in the same order. Only the times differ, and
# the numbers of stacks: the log has neither CPU times nor numbers.
. tests/support/lib.bash
needs ghc
needs hp2ps
needs python3

cp tests/programs/*.hs "$work"
oracle=$PWD/tests/oracle/export_hp.py
cd "$work"
compared=0
ordered=0

# compile NAME SOURCE GHC-OPTION…
compile() {
    local name=$1 source=$2
    shift 2
    ghc -v0 -O1 -eventlog -rtsopts -outputdir "objects-$name" -o "$name" "$source" "$@"
}

# bands FILE: the bands that hp2ps draws, in their order, without numbers of stacks.
bands() {
    hp2ps -c "$1" 2>refusal || return 1
    sed -nE 's/^ORDER (\([0-9]+\))?(.*) [0-9]+$/\2/p' "${1%.hp}.aux"
}

# compare PROGRAM FLAG…: runs it, and compares both files.
compare() {
    rm -f "$1.hp" log
    "./$1" +RTS -l -ollog "${@:2}" >/dev/null 2>err || fail "$*: $(head -n 2 err)"
    examine "$@"
}

# examine PROGRAM FLAG…: compares the files of the latest run.
examine() {
    local program=$1
    shift
    gives 0 export --to hp log ours.hp
    python3 "$oracle" "$program.hp" ours.hp "$@" || fail "$program $*"
    compared=$((compared + 1))
    bands ours.hp >found || fail "$program $*: $(<refusal)"
    # hp2ps orders them by area, so the order is that of GHC's file if the times are.
    # Not where samples have no times, or the numbers of retainers make one band several.
    [[ $* != *-hb* && $* != *-hr* ]] || return 0
    python3 "$oracle" --retime "$program.hp" ours.hp >retimed.hp
    bands "$program.hp" >expected || return 0 # with several caps, GHC's times can go back
    bands retimed.hp >found || fail "$program $*: $(<refusal)"
    python3 "$oracle" --order expected found || fail "$program $*: order of bands"
    ordered=$((ordered + 1))
}

compile plain heap_leak.hs -threaded
compare plain -hT -i0.005
compare plain -hT -i0.005 -N2
compile profiled heap_types.hs -prof -fprof-auto -fprof-cafs 2>/dev/null || {
    echo "SKIPPED the rest: needs profiling libraries (scripts/install-deps test)"
    exit 77
}
for program in heap_leak heap_types heap_stacks; do
    compile profiled $program.hs -prof -fprof-auto -fprof-cafs
    for flag in c m d y T r; do
        compare profiled -h$flag -i0.01 -L1000
    done
    compare profiled -hc -hyMain -i0.01 -L1000
    compile profiled $program.hs -prof -fprof-auto -fprof-cafs -threaded
    compare profiled -hc -i0.01 -N2 -L1000
done
# The runtime of GHC 9.0 crashes in the 32nd sample of biographies: the first interval with which it
# does not, if there are samples.
compile profiled heap.hs -prof -fprof-auto
for flags in -hb "-hc -hbdrag,void"; do
    for interval in 0.002 0.005 0.01 0.02 0.05; do
        # shellcheck disable=SC2086 # several arguments
        (./profiled 20 +RTS -l -ollog $flags -i$interval -L1000 >/dev/null 2>&1) 2>/dev/null || continue
        break
    done
    [[ $(grep -c BEGIN_SAMPLE profiled.hp) -gt 2 ]] || fail "$flags: no samples"
    # shellcheck disable=SC2086 # several arguments
    examine profiled $flags
done
grep -q '^SAMPLE_UNIT "samples"$' ours.hp || fail "samples without times"
echo "compared $compared runs, and $ordered orders of bands"
[[ $ordered -gt 15 ]] || fail "few orders of bands"

#!/usr/bin/env bash
# hectic export --format hp writes the .hp file of GHC's runtime: of the same run, the same labels and
# bytes in every sample, and hp2ps draws the same bands in the same order. Only the times differ, and
# the numbers of stacks: the log has neither CPU times nor numbers.
. tests/support/haskell.bash
needs hp2ps
needs python3
oracle=$PWD/tests/oracle/export_hp.py
cd "$work"
compared=0
ordered=0

# bands FILE: the bands that hp2ps draws, in their order, without numbers of stacks.
bands() {
    hp2ps -c "$1" 2>refusal || return 1
    sed -nE 's/^ORDER (\([0-9]+\))?(.*) [0-9]+$/\2/p' "${1%.hp}.aux"
}

# compare PROGRAM FLAG…: runs it, and compares both files. A run that is short or has little of the
# processor may have no samples.
compare() {
    local interval
    for interval in 0.01 0.005 0.002 0.001 0.001; do
        rm -f "$1.hp" log
        "./$1" +RTS -l -ollog -i$interval "${@:2}" >/dev/null 2>err || fail "$*: $(head -n 2 err)"
        [[ $(grep -c BEGIN_SAMPLE "$1.hp") -lt 5 ]] || break
    done
    examine "$@"
}

# examine PROGRAM FLAG…: compares the files of the latest run.
examine() {
    local program=$1
    shift
    gives 0 export --force --format hp log ours.hp
    python3 "$oracle" "$program.hp" ours.hp "$@" || fail "$program $*"
    compared=$((compared + 1))
    bands ours.hp >found || fail "$program $*: $(<refusal)"
    # hp2ps orders them by area, so the order is that of GHC's file if the times are.
    # Not where samples have no times, or the numbers of retainers make one band several.
    [[ $* != *-hb* && $* != *-hr* ]] || return 0
    python3 "$oracle" --retime "$program.hp" ours.hp >retimed.hp
    bands "$program.hp" >expected || return 0 # with several caps, GHC's times can go back
    bands retimed.hp >found || fail "$program $*: $(<refusal)"
    python3 "$oracle" --order expected found retimed.hp || fail "$program $*: order of bands"
    ordered=$((ordered + 1))
}

compile heap_leak-plain heap_leak.hs -O1 -threaded
compare heap_leak-plain -hT
compare heap_leak-plain -hT -N2
needs_profiling
for program in heap_leak heap_types heap_stacks; do
    compile $program $program.hs -O1 -prof -fprof-auto -fprof-cafs -threaded
    for flag in c m d y T r; do
        compare $program -h$flag -L1000
    done
    compare $program -hc -hyMain -L1000
    compare $program -hc -N2 -L1000
done
# The runtime of GHC 9.0 crashes in the 32nd sample of biographies: the first interval with which it
# does not, if there are samples.
compile heap heap.hs -O1 -prof -fprof-auto
for flags in -hb "-hc -hbdrag,void"; do
    for interval in 0.002 0.005 0.01 0.02 0.05; do
        # shellcheck disable=SC2086 # several arguments
        (./heap 20 +RTS -l -ollog $flags -i$interval -L1000 >/dev/null 2>&1) 2>/dev/null || continue
        break
    done
    [[ $(grep -c BEGIN_SAMPLE heap.hp) -gt 2 ]] || fail "$flags: no samples"
    # shellcheck disable=SC2086 # several arguments
    examine heap $flags
done
grep -q '^SAMPLE_UNIT "samples"$' ours.hp || fail "samples without times"
echo "compared $compared runs, and $ordered orders of bands"
[[ $ordered -gt 15 ]] || fail "few orders of bands"

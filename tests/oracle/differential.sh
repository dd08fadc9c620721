#!/usr/bin/env bash
# Fresh logs, made here by GHC under many flags, are printed as the installed ghc-events prints them.
#
# Debian's ghc-events is 0.17, and hectic prints what 0.21 prints: 0.17 has no lines for block
# markers, does not print the size of an overflowing stack, and uses a few other names.
. tests/support/haskell.bash
needs ghc-events
cd "$work"
compared=0
failed=0

# What both versions say, of what either says.
common() {
    awk '/event block: cap [0-9]+, end time: / {getline; next} {print}' |
        sed -E -e 's/\(stack overflow, size [0-9]+\)$/(stack overflow)/' \
            -e 's/waiting for data to be globalised/blocked in throwTo/'
}

# compare LOG VERB…: hectic and ghc-events print the same
compare() {
    local log=$1
    shift
    "$HECTIC" "$@" "$log" | common >ours
    ghc-events "$@" "$log" | common >theirs
    compared=$((compared + 1))
    cmp -s ours theirs || {
        echo "hectic $* differs on the log of $program $flags:"
        diff ours theirs | head -n 10 || true
        failed=1
    }
}

# try PROGRAM FLAG…
try() {
    program=$1
    shift
    flags=$*
    "./$program" +RTS "$@" >/dev/null 2>err || {
        echo "$program $flags failed: $(head -n 1 err)"
        failed=1
        return
    }
    compare "$program.eventlog" show
    compare "$program.eventlog" show threads
    is_short && return
    compare "$program.eventlog" inc
    compare "$program.eventlog" show caps
}

compile threads threads.hs -O1
compile threads-threaded threads.hs -O1 -threaded
compile heap heap.hs -O1
compile heap-threaded heap.hs -O1 -threaded
try threads -l
try heap -l -hT -i0.01
for caps in 1 2 4; do
    try threads-threaded -l "-N$caps"
    try heap-threaded -l "-N$caps" -A128k
    try heap-threaded -lan "-N$caps" -xn -A256k
done
for classes in -ls -lg -lu -lp -lf -l-asu -l-ag; do
    try threads-threaded "$classes" -N2
done
for collector in -G1 -G4 -c -I0 -qg -F4 --nonmoving-gc; do
    try heap-threaded -lg "$collector" -N2
done
try heap -lg -c -A64k
try heap -lg -G3 -A64k

# Compiled for profiles, and in parallel, where Debian's packages for it are there.
if ghc-pkg list parallel 2>/dev/null | grep -q parallel; then
    compile sparks sparks.hs -O1 -threaded
    compile demo demo.hs -O1 -threaded
    try sparks -lf -N2
    try sparks -lp -N4 -e16
    try demo -l -N2
    try demo -la -N4
fi
if compile heap-profiled heap.hs -O1 -prof -fprof-auto-top 2>/dev/null; then
    for breakdown in c y d m b r; do
        try heap-profiled -l "-h$breakdown" -V0.002 -i0.01
    done
    try heap-profiled -l -p -V0.002
fi

echo "compared $compared outputs"
exit $failed

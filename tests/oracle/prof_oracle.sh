#!/usr/bin/env bash
# The ticks of each cost centre, and of each node of the tree, are those of the .prof of the same run.
set -euo pipefail

if ! command -v ghc >/dev/null || ! command -v python3 >/dev/null; then
    echo "SKIPPED: needs ghc and python3 (scripts/install-deps test)"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/programs/prof.hs tests/oracle/prof_oracle.py "$work"
cd "$work"
export LC_ALL=C.UTF-8
build() { # PROGRAM OPTION…
    local program=$1
    shift
    ghc -v0 -eventlog -rtsopts -prof "$@" -outputdir "$program.objects" -o "$program" prof.hs || {
        echo "SKIPPED: needs profiling libraries"
        exit 77
    }
}
build auto -O1 -threaded -fprof-auto
build manual -O0
build coarse -O1 -threaded

# More cost centres in a stack than the log has room for: it has the innermost 255.
levels=300
{
    echo 'module Main (main) where'
    echo "import Data.List (foldl')"
    for ((i = 0; i < levels; i++)); do
        echo "f$i :: Int -> Int"
        echo "f$i n = {-# SCC \"level$i\" #-} foldl' (+) (f$((i + 1)) n) [1 .. n]"
        echo "{-# NOINLINE f$i #-}"
    done
    echo "f$levels :: Int -> Int"
    echo "f$levels n = n"
    echo 'main :: IO ()'
    echo 'main = mapM_ (print . f0) [10000 .. 10009]'
} >levels.hs
ghc -v0 -eventlog -rtsopts -prof -O0 -outputdir levels.objects -o levels levels.hs

# once FORMAT PROGRAM ARGUMENT RTS-OPTION…
once() {
    local format=$1 program=$2 argument=$3
    shift 3
    count=$((count + 1))
    "./$program" "$argument" +RTS "$format" -po"$count" -l "-ol$count.eventlog" "$@" -RTS >/dev/null
    python3 prof_oracle.py "$HECTIC" "$count.eventlog" "$count.prof" "$format"
}

# is_equal once …: some run of up to ten has to be equal. See prof_oracle.py about moved ticks.
is_equal() {
    local code
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        code=0
        once "$@" || code=$?
        [ "$code" = 2 ] || break
    done
    [ "$code" = 0 ] || exit 1
}

# is_near once …: ticks may have moved.
is_near() {
    local code=0
    once "$@" || code=$?
    [ "$code" = 0 ] || [ "$code" = 2 ] || exit 1
}

# The cost centres of `coarse` and of the levels run for milliseconds each, so some run has no moved
# tick; those of the others change within nanoseconds.
count=0
for format in -p -pj; do
    is_equal "$format" coarse coarse
    is_equal "$format" coarse coarse -N2
    is_equal "$format" coarse coarse -N4
done
is_equal -pj levels ""
for name in names caf callers deep idle; do
    is_near -pj manual "$name"
    is_near -pj auto "$name"
done
is_near -pj manual callers -hc -i0.01 # heap samples in between
is_near -pj manual names -V0.0002     # five ticks a millisecond
is_near -pj auto threads -N2
is_near -pj auto threads -N4
is_near -pj auto caf -N4
is_near -pj auto threads -N2 -A64k
echo "$count runs"

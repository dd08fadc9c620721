#!/usr/bin/env bash
# The ticks of each cost centre, and of each node of the tree, are those of the .prof of the same run.
. tests/support/profiled.bash
oracle=$PWD/tests/oracle/prof_oracle.py
compile auto prof.hs -O1 -prof -threaded -fprof-auto
compile manual prof.hs -O0 -prof
compile coarse prof.hs -O1 -prof -threaded
cd "$work"

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
    echo 'main = mapM_ (print . f0) [10000 .. 10004]'
} >levels.hs
ghc -v0 -eventlog -rtsopts -prof -O0 -outputdir levels.objects -o levels levels.hs

# once FORMAT PROGRAM ARGUMENT RTS-OPTION…
once() {
    local format=$1 program=$2 argument=$3
    shift 3
    count=$((count + 1))
    "./$program" "$argument" +RTS "$format" -po"$count" -l "-ol$count.eventlog" "$@" -RTS >/dev/null
    python3 "$oracle" "$HECTIC" "$count.eventlog" "$count.prof" "$format"
}

count=0
for format in -p -pj; do
    is_equal once "$format" coarse coarse
    is_equal once "$format" coarse coarse -N2
    is_equal once "$format" coarse coarse -N4
done
is_equal once -pj levels ""
for name in names caf callers deep idle; do
    is_near once -pj manual "$name"
    is_near once -pj auto "$name"
done
# Heap samples in between. Without -threaded, GHC writes both at the same time into one buffer, and some logs are damaged.
is_near once -pj auto callers -hc -i0.01
is_near once -pj manual names -V0.0002     # five ticks a millisecond
is_near once -pj auto threads -N2
is_near once -pj auto threads -N4
is_near once -pj auto caf -N4
is_near once -pj auto threads -N2 -A64k
echo "$count runs"

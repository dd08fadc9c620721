# shellcheck shell=bash disable=SC2154 # the benchmarks set root and build
# The logs of the benchmarks, in $build/bench: each is made unless it is there. Needs $root and $build.

# make_log FILE OPTION…: by generate-log.
make_log() {
    local file=$1
    shift
    [ "$file" -nt "$build/generate-log" ] || "$build/generate-log" --force "$@" -o "$file"
}

# make_program_log FILE PROGRAM ITEMS: of tests/programs/PROGRAM.hs, by ghc.
make_program_log() {
    local source=$root/tests/programs/$2.hs objects=$build/bench/objects-$2
    if [ "$1" -nt "$source" ]; then return; fi
    ghc -v0 -O1 -threaded -eventlog -rtsopts -outputdir "$objects" -o "$build/bench/$2" "$source"
    "$build/bench/$2" "$3" +RTS -N2 -l "-ol$1" >/dev/null
}

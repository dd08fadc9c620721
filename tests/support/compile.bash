# shellcheck shell=bash
# shellcheck disable=SC2154 # work: set by lib.bash
# Compiled Haskell programs, shared by the tests of a build. Sourced by tests, after lib.bash.
programs=$PWD/tests/programs

# compile NAME SOURCE GHC-OPTION…: $work/NAME is that program of tests/programs.
compile() {
    # Cost centres name the source as GHC is given it.
    (cd "$programs" && compile_once "$1" "${2%/*}" -eventlog -rtsopts "${@:3}" "$2")
}

# compile_emitting NAME GHC-OPTION|SOURCE…: one with the package hectic-eventlog, by paths in the project.
compile_emitting() {
    local libraries
    read -ra libraries < <(PKG_CONFIG_PATH=$HECTIC_BUILD pkg-config --static --libs-only-l hectic)
    (cd "$programs/../.." && compile_once "$1" "ghc include tests/programs $HECTIC_BUILD/libhectic.a" -O -eventlog \
        -ighc/src -Ighc/include -Ighc/cbits -Iinclude -I"$HECTIC_BUILD/include" "${@:2}" ghc/cbits/*.c \
        -L"$HECTIC_BUILD" "${libraries[@]/-lhectic/-l:libhectic.a}")
}

# compile_once NAME "INPUT…" GHC-ARGUMENT…: once for each list of arguments, and again if a file of the
# inputs, or GHC, is newer.
compile_once() {
    local name=$1 inputs directory
    read -ra inputs <<<"$2"
    shift 2
    directory=$HECTIC_BUILD/tests/haskell/$(sha256sum <<<"$*" | head -c 16)
    mkdir -p "$directory"
    (
        flock 9
        [[ ! -e $directory/program ||
            $(find -L "${inputs[@]}" "$(command -v ghc)" -newer "$directory/program") ]] || exit 0
        ghc -v0 "$@" -outputdir "$directory" -o "$directory/new" && mv "$directory/new" "$directory/program"
    ) 9>"$directory/lock" || return
    ln -sf "$directory/program" "$work/$name"
}

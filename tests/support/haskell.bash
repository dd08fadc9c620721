# Compiled Haskell programs, shared by the tests of a build.
. tests/support/lib.bash
programs=$PWD/tests/programs
needs ghc

# compile NAME SOURCE GHC-OPTION…: $work/NAME is the program. It is compiled once for each list of
# options, and again if the source, a file of its own directory, or GHC is newer.
compile() {
    local name=$1 source=$2 directory=$HECTIC_BUILD/tests/haskell
    shift 2
    set -- -eventlog -rtsopts "$@"
    local options=$*
    directory+=/${source%.hs}${options// /}
    mkdir -p "$directory"
    (
        flock 9
        [[ ! -e $directory/program ||
            $(find -L "$programs/${source%/*}" "$(command -v ghc)" -newer "$directory/program") ]] || exit 0
        cd "$programs" && # cost centres name the source as GHC is given it
            ghc -v0 "$@" -outputdir "$directory" -o "$directory/new" "$source" &&
            mv "$directory/new" "$directory/program"
    ) 9>"$directory/lock" || return
    ln -sf "$directory/program" "$work/$name"
}

# Compiles a small program for profiling, or skips the test.
needs_profiling() {
    compile tiny tiny.hs -prof 2>/dev/null || skip "needs profiling libraries (scripts/install-deps test)"
}

# shellcheck shell=bash
# shellcheck disable=SC2154 # work: set by lib.bash
# The Haskell packages hectic and hectic-ghc-events, built with Cabal's library and installed, for tests. Sourced after
# haskell.bash.

# Builds and registers the packages once for its sources, libhectic and GHC: sets reader_options, the
# options of ghc for a program that uses it.
build_reader() {
    local built=$HECTIC_BUILD/tests/haskell/reader
    mkdir -p "$built"
    (
        flock 9
        [[ ! -e $built/done || $(find haskell "$HECTIC_BUILD/libhectic.so" "$(command -v ghc)" -newer "$built/done") ]] || exit 0
        rm -rf "$built/prefix" "$built/packages" "$built/done" &&
            cmake --install "$HECTIC_BUILD" --prefix "$built/prefix" >/dev/null &&
            ghc-pkg init "$built/packages" &&
            build_package hectic && build_package hectic-ghc-events &&
            touch "$built/done"
    ) 9>"$built.lock" || return
    reader_options=(-package-db "$built/packages" "-optl-Wl,-rpath,$built/prefix/lib")
}

# build_package NAME: registers it, where it is in the installed tree.
build_package() {
    cd "$built/prefix/share/hectic/haskell-packages/$1" &&
        printf 'import Distribution.Simple\nmain = defaultMain\n' >Setup.hs &&
        ghc -v0 --make Setup.hs &&
        PKG_CONFIG_PATH=$built/prefix/lib/pkgconfig ./Setup configure -v0 --package-db="$built/packages" \
            --prefix="$built/prefix" --disable-shared --disable-library-for-ghci --ghc-options=-Werror &&
        ./Setup build -v0 &&
        ./Setup register -v0 --inplace
}

# compile_reading NAME SOURCE GHC-OPTION…: $work/NAME is that program.
compile_reading() {
    ghc -v0 -O "${reader_options[@]}" -outputdir "$work/objects-$1" "${@:3}" -o "$work/$1" "$2"
}

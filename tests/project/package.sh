#!/usr/bin/env bash
# What `cmake --install` puts down is whole: the program in docs/reading.md builds against it, outside of
# this project, by pkg-config and by find_package, and gives the right answer.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
log=tests/logs/demo.eventlog

cmake --install "$HECTIC_BUILD" --prefix "$prefix" >/dev/null
for file in bin/hectic include/hectic/hectic.h include/hectic/events.def \
    include/hectic/emit_events.h include/hectic/read_events.h lib/libhectic.a lib/libhectic.so \
    lib/pkgconfig/hectic.pc share/man/man1/hectic.1 share/man/man1/hectic-show.1 \
    share/bash-completion/completions/hectic share/zsh/site-functions/_hectic \
    share/doc/hectic/README.md share/doc/hectic/LICENSE; do
    [ -s "$prefix/$file" ] || {
        echo "$file was not installed"
        exit 1
    }
done

# Every function that the headers declare is there, and nothing else can be seen.
sed -n 's/^ *\(hectic_[a-z0-9_]*\);$/\1/p' "$HECTIC_BUILD/hectic.map" | LC_ALL=C sort >"$work/declared"
nm -D --defined-only "$prefix/lib/libhectic.so" | awk '$2 != "A" {print $NF}' | LC_ALL=C sort >"$work/exported"
sed 's/@.*//' "$work/exported" | diff "$work/declared" -

# All of them have the version node that is named after the SONAME.
soname=$(objdump -p "$prefix/lib/libhectic.so" | awk '$1 == "SONAME" {print $2}')
awk -F@ -v node="HECTIC_${soname#libhectic.so.}" '$NF != node {print $0 " is not of " node}' "$work/exported" >"$work/other"
if [ ! -s "$work/exported" ] || [ -s "$work/other" ]; then
    cat "$work/other"
    exit 1
fi

# The same compiler and flags as here: a library made for a sanitizer needs a program that is, too.
cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$HECTIC_BUILD/CMakeCache.txt"
}
CC=$(cached CMAKE_C_COMPILER)
CFLAGS=$(cached CMAKE_C_FLAGS)
export CC CFLAGS PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# The program in docs/reading.md.
awk '/^```c$/ {inside = 1; program = ""; next} /^```$/ {inside = 0} inside {program = program $0 "\n"}
     END {printf "%s", program}' docs/reading.md >"$work/example.c"

# The words of pkg-config and CFLAGS are separate arguments.
# shellcheck disable=SC2046,SC2086
{
    $CC -std=c17 $CFLAGS -o "$work/by-pkg-config" "$work/example.c" \
        $(pkg-config --cflags --libs hectic) -Wl,-rpath,"$prefix/lib"
    $CC -std=c17 $CFLAGS $(pkg-config --cflags hectic) -o "$work/by-pkg-config-static" \
        "$work/example.c" "$prefix/lib/libhectic.a" \
        $(pkg-config --static --libs hectic | sed 's/-lhectic//')
    $CC -std=c17 $CFLAGS -o "$work/minimal" examples/minimal.c \
        $(pkg-config --cflags --libs hectic) -Wl,-rpath,"$prefix/lib"
}
(cd "$work" && ./minimal)
"$HECTIC" check "$work/minimal.eventlog" >/dev/null
{
    cmake -S tests/package -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DSOURCE="$work/example.c"
    cmake --build "$work/build"
} >"$work/cmake.log" 2>&1 || {
    cat "$work/cmake.log"
    exit 1
}

threads=$("$HECTIC" show "$log" | grep -c 'creating thread')
for program in "$work"/by-pkg-config* "$work"/build/outside_{shared,static}; do
    answer=$("$program" "$log")
    case $answer in
    "$threads threads in "*) ;;
    *)
        echo "$program: '$answer' (expected: $threads threads)"
        exit 1
        ;;
    esac
done

#!/usr/bin/env bash
# Each public header can be included alone, and first, in C17 and in C++17, without a warning.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile COMPILER-AND-OPTION… : each header from standard input
compile() {
    for header in include/hectic/*.h "$HECTIC_BUILD"/include/hectic/*.h; do
        echo "#include <hectic/${header##*/}>"
        "$@" -fsyntax-only -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -Iinclude \
            -I"$HECTIC_BUILD/include" - <<<"#include <hectic/${header##*/}>"
    done >"$work/log" 2>&1 || {
        cat "$work/log"
        echo "$*"
        exit 1
    }
}
compile "$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$HECTIC_BUILD/CMakeCache.txt")" -std=c17 -xc
for compiler in c++ clang++; do
    ! command -v $compiler >/dev/null || compile $compiler -std=c++17 -xc++
done

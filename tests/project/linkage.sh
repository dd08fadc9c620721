#!/usr/bin/env bash
# Every function and variable that is visible outside of its file is used in another one, unless it is
# public. If this fails: make it static; if it is unused, the compiler then warns.
. tests/support/lib.bash
needs nm
grep -qE 'fsanitize|--coverage' "$HECTIC_BUILD/CMakeCache.txt" && skip "the compiler adds symbols"

# check PUBLIC OBJECT…: the files with the public names, and the objects of one folder.
check() {
    local public=$1
    shift
    nm -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u >"$work/visible"
    nm -g --undefined-only "$@" | awk 'NF == 2 { print $2 }' | sort -u - "$public" >"$work/used"
    [[ -s $work/visible ]] || fail "no symbols in $*"
    comm -23 "$work/visible" "$work/used" >>"$work/alone"
}

# The library, the command, and the programs built with them; uses in tests do not count.
{
    sed -n 's/^ *\(hectic_[a-z0-9_]*\);$/\1/p' "$HECTIC_BUILD/hectic.map"
    echo main
    # All columns of the catalogue are visible; tools/table_reference.c prints them.
    sed -n 's/^[TR][A-Z]*(\([a-z_]*\), .*/\1_columns/p' src/tables/tables.def
    echo tables_all
    echo redact_purposes # tools/privacy_reference.c prints them
} >"$work/public"
mapfile -t objects <"$HECTIC_BUILD/objects"
check "$work/public" "${objects[@]}"

# The C sources of the Haskell package, for a GHC before 9.2 and a later one.
grep -oh 'hectic_eventlog_[a-z_]*(' ghc/include/hectic_eventlog.h | tr -d '(' >"$work/public"
for version in 900 904; do
    for source in ghc/cbits/*.c; do
        cc -std=gnu17 -w -c -DFAKE_GHC=$version -Itests/runtime -Ighc/include -Iinclude \
            -I"$HECTIC_BUILD/include" -o "$work/$version-$(basename "$source" .c).o" "$source"
    done
done
check "$work/public" "$work"/*.o

[[ ! -s $work/alone ]] || fail "visible, but not used in another file:"$'\n'"$(cat "$work/alone")"

#!/usr/bin/env bash
# A file of src includes only files of its own module, and of those above it in the table of modules in
# ARCHITECTURE.md, which has all of them. No folder has more than 25 files.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The modules in the first column, in order.
awk '/^## / { inside = $0 == "## Modules" }
    inside && /^\| `/ {
        split($0, cells, "|")
        while (match(cells[2], /`src[^`]*`/)) {
            print substr(cells[2], RSTART + 1, RLENGTH - 2)
            cells[2] = substr(cells[2], RSTART + RLENGTH)
        }
    }' ARCHITECTURE.md >"$work/modules"
(($(wc -l <"$work/modules") > 15)) || {
    echo "ARCHITECTURE.md has no table of modules"
    exit 1
}

grep -rHo --include='*.[ch]' '^#include "[^"]*"' src >"$work/includes"
(($(wc -l <"$work/includes") > 1000)) || {
    echo "no includes were found"
    exit 1
}
awk -F: '
    # The place of the module that a file belongs to; 0: none.
    function place(path) {
        while (sub("/[^/]*$", "", path))
            if (path in places) return places[path]
        return 0
    }
    NR == FNR { places[$1] = NR; next }
    {
        split($2, include, "\"")
        from = place($1)
        to = place("src/" include[2])
        if (include[2] !~ "/") next # what is generated
        if (!from) print $1 " belongs to no module of ARCHITECTURE.md"
        else if (!to) print $1 " includes " include[2] ", which belongs to no module"
        else if (to > from) print $1 " includes " include[2] " of a module below its own"
    }' "$work/modules" "$work/includes" >"$work/wrong"
sort -u "$work/wrong"
[[ ! -s $work/wrong ]]

git ls-files src 2>/dev/null | sed 's,/[^/]*$,,' | sort | uniq -c | awk '$1 > 25 { print $2 ": too many files"; wrong = 1 } END { exit wrong }'

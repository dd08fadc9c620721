#!/usr/bin/env bash
# The files and folders that documents name exist; programs may lack their suffix. Names with NAME stand for
# many. src and view/src may be left out in docs/internals.md and docs/security.md.
set -euo pipefail

paths() { # DOCUMENT: those in code spans
    tr '`' '\n' <"$1" | grep -xE '[a-z_]+(/[A-Za-z0-9_.-]+)+' | grep -v NAME | sort -u
}
exists() { # PATH ROOT…
    local path=$1 root
    shift
    for root in "$@"; do
        [[ -e $root/$path || -e $root/$path.c ]] && return
    done
    return 1
}

missing=0
for document in README.md CONTRIBUTING.md ARCHITECTURE.md docs/*.md; do
    roots=(.) wanted='^(src|include|tests|tools|view|ghc|scripts|bench|fuzz|cmake|docs|examples)/.'
    if [[ $document == docs/internals.md || $document == docs/security.md ]]; then
        roots=(. src view/src) wanted='\.[a-z]+$'
    fi
    for path in $(paths "$document" | grep -E "$wanted"); do
        exists "$path" "${roots[@]}" && continue
        echo "$document: there is no $path"
        missing=1
    done
done
exit "$missing"

#!/usr/bin/env bash
# The completions for bash complete; those for zsh are at least zsh where there is one.
. tests/support/lib.bash

"$HECTIC" --completions bash >"$work/bash"
bash -n "$work/bash"
"$HECTIC" --completions zsh >"$work/zsh"
if command -v zsh >/dev/null; then zsh -n "$work/zsh"; fi
gives 64 --completions csh

compopt() { :; } # only there while bash completes
# shellcheck source=/dev/null
. "$work/bash"

# completes WORD…: the last word can be completed to each line of stdin.
completes() {
    COMP_WORDS=(hectic "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    set +e # as in a shell that completes
    _hectic
    set -e
    while read -r expected; do
        # Not by a pipe: one that ends at the first match ends printf by SIGPIPE.
        grep -qxF -- "$expected" <<<"$(printf '%s\n' "${COMPREPLY[@]}")" ||
            fail "hectic $*: not completed to $expected"
    done
}

completes s <<<show
completes show --pretty <<<--pretty-time
completes show th <<<threads
completes show --event gc_st <<<gc_start
completes show --event = schedul <<<scheduler
completes show --color a <<<always
touch "$work/Main.eventlog" "$work/Main.eventlog.gz" "$work/Main.hs"
completes show "$work/Main" <<<"$work/Main.eventlog"
completes inc --follow "$work/Main" <<<"$work/Main.eventlog.gz"
! printf '%s\n' "${COMPREPLY[@]}" | grep -q 'hs$' || fail "other files are offered, too"

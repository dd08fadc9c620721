#!/usr/bin/env bash
# The completions for bash work; those for zsh have valid syntax.
. tests/support/lib.bash

"$HECTIC" --completions bash >"$work/bash"
bash -n "$work/bash"
"$HECTIC" --completions zsh >"$work/zsh"
if command -v zsh >/dev/null; then zsh -n "$work/zsh"; fi
gives 64 --completions csh

compopt() { :; } # a builtin that fails outside completion
# shellcheck source=/dev/null
. "$work/bash"

# completes WORD…: the completions of the last word include each line of stdin.
completes() {
    COMP_WORDS=(hectic "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    set +e # as in an interactive shell
    _hectic
    set -e
    while read -r expected; do
        # No pipe: grep could end printf by SIGPIPE.
        grep -qxF -- "$expected" <<<"$(printf '%s\n' "${COMPREPLY[@]}")" ||
            fail "hectic $*: not completed to $expected"
    done
}

completes s <<<show
completes show --pretty <<<--pretty-time
completes show th <<<threads
completes show --event gc_st <<<gc_start
completes show --event GC_ST <<<GC_START
completes show --event gc_start,Run_T <<<gc_start,RUN_THREAD
completes show --event = schedul <<<scheduler
completes show --color a <<<always
completes gc --sort pau <<<pause_ns
completes validate spark <<<sparks
touch "$work/Main.eventlog" "$work/Main.eventlog.gz" "$work/Main.hs"
completes show "$work/Main" <<<"$work/Main.eventlog"
completes inc --follow "$work/Main" <<<"$work/Main.eventlog.gz"
completes_not() {
    ! printf '%s\n' "${COMPREPLY[@]}" | grep -- "$1" >/dev/null || fail "$1 is offered"
}
completes_not 'hs$'
completes "$work/Main" <<<"$work/Main.eventlog"

# Programs after run, and files after the program.
printf '#!/bin/sh\n' >"$work/Main"
chmod +x "$work/Main"
completes run "$work/Ma" <<<"$work/Main"
completes_not 'eventlog'
completes run --log = "$work/x.eventlog" -- bas <<<bash
completes run --log "$work/Main.h" <<<"$work/Main.hs"
completes run --no-rep <<<--no-report
completes run "$work/Main" --flag "$work/Main.h" <<<"$work/Main.hs"

# Sources of live verbs: bash makes three words of unix:PATH.
completes watch un <<<unix:
completes record un <<<unix:
completes watch "$work/Main" <<<"$work/Main.eventlog"
completes ctl unix : /run/x.sock heap-c <<<heap-census
if command -v python3 >/dev/null; then
    (cd "$work" && python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("app.sock")')
    completes watch unix : "$work/a" <<<"$work/app.sock"
    completes watch "unix:$work/a" <<<"unix:$work/app.sock"
    completes relay --from unix : "$work/" <<<"$work/app.sock"
    completes_not 'eventlog'
fi

#!/usr/bin/env bash
# hectic run --view: the page is served while the program runs, and until a signal after its end.
. tests/support/haskell.bash
. tests/support/live.bash
needs curl
# shellcheck disable=SC2154 # set by lib.bash
export TMPDIR=$work/private
mkdir "$TMPDIR"
compile run run.hs -threaded

starts() { # ARGUMENT…: hectic run --view is $child, the page's address $page
    : >"$work/err"
    "$HECTIC" run --view --no-report "$@" >"$work/out" 2>"$work/err" </dev/null &
    child=$!
    soon grep -q 'the page is at' "$work/err"
    page=$(sed -n 's/^hectic: the page is at //p' "$work/err")
}

is_over() { # CODE
    ends "$child" "$1"
    [[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"
}

read_page() { # PATH
    curl -sf -m 60 "$page$1"
}

reads() { # all of the log
    [[ $(read_page api/overview) == *"\"read_bytes\":$1,"* ]]
}

# Afterwards, it is the page of the log.
starts --log "$work/log" "$work/run" last 15
soon read_page api/overview >/dev/null
soon grep -q 'the program has ended' "$work/err"
grep -qx ends "$work/out" || fail "the program's output: $(cat "$work/out")"
soon reads "$(stat -c %s "$work/log")"
[[ $(read_page api/stat) == "$("$HECTIC" stat --jsonl "$work/log")" ]] || fail "other statistics"
[[ $(curl -s -m 9 -o "$work/body" -w '%{http_code}' "${page%/*/}/api/overview") == 404 ]] || fail "no token is needed"
kill -INT $child
is_over 0

# Its exit status.
starts "$work/run" exit 77
soon grep -q 'the program has ended' "$work/err"
kill -TERM $child
is_over 77

# A signal that ends the program ends all.
starts "$work/run" last 600
soon grep -q begins "$work/out"
kill -TERM $child
is_over 143

gives 64 run --view --top "$work/run"

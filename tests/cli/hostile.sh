#!/usr/bin/env bash
# What others chose does nothing to the terminal of who looks at it: every text of every event, names
# of files, words of the command line, what comes to a relay's ports and what a program answers.
. tests/support/lib.bash
needs python3
mkdir "$work/hostile"
timeout 900 python3 tests/support/hostile.py "$(readlink -f "$HECTIC")" \
    "$HECTIC_BUILD/hostile_log" "$work/hostile" || fail "see above"

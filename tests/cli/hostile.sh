#!/usr/bin/env bash
# Untrusted text does not affect the user's terminal: text of events, file names, arguments, bytes
# received on a relay's ports, and answers of a program.
. tests/support/lib.bash
runs_often
needs python3
mkdir "$work/hostile"
timeout 900 python3 tests/support/hostile.py "$(readlink -f "$HECTIC")" \
    "$HECTIC_BUILD/hostile_log" "$work/hostile" || fail "see above"

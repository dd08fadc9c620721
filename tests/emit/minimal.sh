#!/usr/bin/env bash
# examples/minimal.c writes a sound log, which ghc-events accepts if it is installed.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$HECTIC_BUILD"/minimal
log=minimal.eventlog
"$HECTIC" check "$log"
"$HECTIC" validate all "$log"
[ "$("$HECTIC" show "$log" | grep -c 'cap 0: hello$')" = 3 ]

if command -v ghc-events >/dev/null; then
    ghc-events show "$log" >shown
    [ "$(grep -c 'cap 0: hello$' shown)" = 3 ]
    grep -q 'cap 0: thread 3 has label "worker"' shown
    ghc-events validate threads "$log" | grep '^Valid event log' >/dev/null
fi

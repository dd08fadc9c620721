#!/usr/bin/env bash
# For threads that work on spans of the same labels at the same time, hectic spans and stat --window
# agree with the program's own clock.
set -euo pipefail

if ! command -v ghc >/dev/null || ! command -v python3 >/dev/null; then
    echo "SKIPPED: needs ghc and python3 (scripts/install-deps test)"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/programs/workers.hs tests/oracle/spans_oracle.py tests/support/queued.py "$work"
cd "$work"
ghc -v0 -O1 -threaded -eventlog -rtsopts -outputdir objects -o workers workers.hs

./workers +RTS -N4 -l -ollog >clock
"$HECTIC" spans --json log >spans.json 2>spans.err
"$HECTIC" spans --each --csv log >each.csv 2>/dev/null
"$HECTIC" spans --each --limit 7 --csv log >top.csv 2>/dev/null
"$HECTIC" stat --window request --csv log >request.csv
"$HECTIC" stat --window query --csv log >query.csv
python3 spans_oracle.py
python3 queued.py "$HECTIC" log "$(command -v ghc-events >/dev/null && echo peer || echo alone)"
grep -q "spans started by one thread and stopped by another: 5$" spans.err

# Without events of the scheduler, the fallback is reported.
./workers +RTS -N4 -l-au -ollog >/dev/null
"$HECTIC" spans log >/dev/null 2>without.err
grep -q "does not record which threads ran (+RTS -ls)" without.err

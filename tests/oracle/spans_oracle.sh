#!/usr/bin/env bash
# For threads that work on spans of the same labels at the same time, hectic spans and stat --window
# agree with the program's own clock.
. tests/support/haskell.bash
needs python3
compile workers workers.hs -O1 -threaded
cp tests/oracle/spans_oracle.py tests/oracle/span_states.py tests/support/queued.py "$work"
cd "$work"

./workers +RTS -N4 -l -ollog >clock
"$HECTIC" spans --json log >spans.json 2>spans.err
"$HECTIC" spans --each --csv log >each.csv 2>/dev/null
"$HECTIC" spans --each --limit 7 --csv log >top.csv 2>/dev/null
"$HECTIC" stat --window request --csv log >request.csv
"$HECTIC" stat --window query --csv log >query.csv
python3 spans_oracle.py
python3 queued.py "$HECTIC" log "$(command -v ghc-events >/dev/null && echo peer || echo alone)"
python3 span_states.py "$HECTIC" log
grep -q "spans started by one thread and stopped by another: 5$" spans.err

# Without events of the scheduler, the fallback is reported.
./workers +RTS -N4 -l-au -ollog >/dev/null
"$HECTIC" spans log >/dev/null 2>without.err
python3 span_states.py "$HECTIC" log
grep -q "does not record which threads ran (+RTS -ls)" without.err

#!/usr/bin/env bash
# spans: how often, and how long, by label. (Subscripts, markers, and spans within others: tables.sh.)
. tests/support/verb.bash
log=$logs/spans.eventlog
behaves spans "$log"
agrees spans "$log"
limits spans max_ns "$log"

# --each has a row for each.
gives 0 spans --csv "$log"
awk -F, 'NR > 1 && $2 == "span" { count[$3] += $4; total[$3] += $5 - ($16 ? $5 : 0) } END { for (label in count) if (count[label]) print label, count[label], total[label] }' \
    "$work/out" | sort >"$work/wanted"
gives 0 spans --where 'count > 0' "$log"
! grep -q "other messages" "$work/out" || fail "--where: sums of all rows"
gives 0 spans --each --csv "$log"
awk -F, 'NR > 1 { count[$2]++; total[$2] += $6 } END { for (label in count) print label, count[label], total[label] }' \
    "$work/out" | sort >"$work/found"
same "$work/found" "$work/wanted"
gives 1 spans "$logs/tiny.eventlog"
says "the log has no events of user messages"

# More spans are open than are followed: of those beyond, it is not said that they lack a STOP.
python3 - "$work/open.eventlog" <<'PROGRAM'
import struct, sys
sys.path.insert(0, "tests/support")
from eventlog import write
most, more = 1 << 20, 5
texts = [f"START {i}" for i in range(most + more)] + [f"STOP {i}" for i in range(most + more)]
events = [(0, 0, 1, struct.pack(">I", 1))] + [(10 + i, 0, 19, text.encode()) for i, text in enumerate(texts)]
open(sys.argv[1], "wb").write(write(events, {1: 4}))
PROGRAM
gives 0 spans --json "$work/open.eventlog"
says "too many spans were open: 5 STARTs were ignored, and their STOPs count as STOPs without START"
python3 - "$work/out" <<'PROGRAM' || fail "of too many open spans, $(tail -n 3 "$work/out")"
import json, sys
told = json.load(open(sys.argv[1]))
totals = {key: told[key] for key in ("span_count", "unstarted", "unstopped", "unfollowed")}
sys.exit(totals != {"span_count": 1 << 20, "unstarted": 5, "unstopped": 0, "unfollowed": 5})
PROGRAM

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
gives 0 spans --each --csv "$log"
awk -F, 'NR > 1 { count[$2]++; total[$2] += $6 } END { for (label in count) print label, count[label], total[label] }' \
    "$work/out" | sort >"$work/found"
same "$work/found" "$work/wanted"
gives 1 spans "$logs/tiny.eventlog"
says "the log has no events of user messages"

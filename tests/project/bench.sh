#!/usr/bin/env bash
# The tools of make bench: the program whose log is measured first, and the report.
. tests/support/lib.bash

# Ratios are medians of the runs of one round each, not ratios of medians.
cat >"$work/logs" <<'END'
real 100000000 10000000
END
cat >"$work/results" <<'END'
real bare-scan 0.1 0.1 0.0 4096
real info 0.4 0.1 0.1 2048
real bare-scan 0.3 0.2 0.0 4096
real info 0.3 0.6 0.2 2048
real bare-scan 0.2 0.4 0.0 4096
real info 0.6 0.4 0.4 2048
END
awk -f bench/report.awk "$work/logs" "$work/results" >"$work/report"
grep -Eq '^\| info / bare scan, real +\| +3\.00x \| 2\.00x \| <= 2\.2x \| MISS \|$' "$work/report" ||
    fail "$(cat "$work/report")"
grep -Eq '^\| real +\| info +\| +0\.400 \| +0\.800 \| +25\.00 \| +250\.0 \| +2\.0 \|$' "$work/report" ||
    fail "$(cat "$work/report")"

# The log has what the program does.
. tests/support/haskell.bash
needs jq
compile pipelines pipelines.hs -O1 -threaded
"$work/pipelines" 300 +RTS -N2 -l "-ol$work/log" >/dev/null
gives 0 check --deep "$work/log"
gives 0 info --json --quick "$work/log"
jq -e '.events_by_type | .CREATE_THREAD > 90 and .STOP_THREAD > 1000 and .GC_START > 0 and .USER_MSG > 500' \
    "$work/out" >/dev/null || fail "$(cat "$work/out")"

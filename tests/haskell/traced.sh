#!/usr/bin/env bash
# A Haskell program says to which trace a span belongs: the export has that trace and parent. Headers that are not
# valid by W3C Trace Context are not used.
. tests/support/haskell.bash
needs jq
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
compile_emitting traced tests/programs/traced.hs
cd "$work"
trace=0af7651916cd43dd8448eb211c80319c
parent=b7ad6b7169203331
# The header, and whether it is valid.
cat >cases <<END
00-$trace-$parent-01 valid
00-$trace-$parent-00 valid
01-$trace-$parent-01 valid
cc-$trace-$parent-01-what-later-versions-have valid
cc-$trace-$parent-01.x invalid
ff-$trace-$parent-01 invalid
00-$trace-$parent-01-x invalid
00-$trace-$parent-1 invalid
00-$trace-$parent invalid
00-$trace-0000000000000000-01 invalid
00-00000000000000000000000000000000-$parent-01 invalid
00-${trace^^}-$parent-01 invalid
00-${trace}0-$parent-01 invalid
00-${trace:1}-$parent-01 invalid
00_${trace}_${parent}_01 invalid
0g-$trace-$parent-01 invalid
END
echo "00-${trace/a/x}-$parent-01 invalid" >>cases
cut -d' ' -f1 cases | ./traced +RTS -l -oltraced.eventlog >said || fail "it ended with $?"
{
    echo "(True,False)"
    while read -r header is; do
        if [[ $is == valid ]]; then echo "traceparent 00${header:2:53}"; else echo invalid; fi
    done <cases
} >expected
diff said expected || fail "other headers are valid"
gives 0 export --format otlp traced.eventlog traced.jsonl
jq -r '.resourceSpans // [] | .[].scopeSpans[].spans[] | "\(.name) \(.traceId) \(.parentSpanId) \(.spanId)"' traced.jsonl |
    sort >spans
[[ $(wc -l <spans) == 3 ]] || fail "spans: $(cat spans)"
read -r _ _ _ request < <(grep '^request' spans)
grep -q "^request $trace $parent " spans || fail "the request: $(cat spans)"
grep -q "^query $trace $request " spans || fail "the query within it: $(cat spans)"
grep -q "^other $trace\|^other .* $parent" spans && fail "an invalid header was used: $(cat spans)"
exit 0

#!/usr/bin/env bash
# The Haskell package hectic reads logs as the command does: in both orders, in pieces, selected, damaged;
# and writes them. MUTATIONS=N damages a log N times.
. tests/support/haskell.bash
. tests/support/reading.bash
needs jq
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
build_reader || fail "the package cannot be built"
compile_reading reading tests/programs/reading.hs -Wall -Werror -threaded -rtsopts

reading() { # ARGUMENT…: its output is in $work/out
    "$work/reading" "$@" >"$work/out" 2>"$work/err" || fail "reading $*: $(head -3 "$work/err")"
}
# is_as COMMAND…: the output is what the command prints.
is_as() {
    "${@:1}" >"$work/expected" 2>/dev/null || true
    cmp -s "$work/out" "$work/expected" || fail "not as $*: $(diff "$work/out" "$work/expected" | head -4)"
}
without_markers() {
    "$HECTIC" show --json "$1" 2>/dev/null | grep -v '"event":"BLOCK_MARKER"'
}

shopt -s nullglob
count=0
some=("$logs"/*.eventlog "$corpus"/*.eventlog "$corpus"/*/*.eventlog)
thin some
for log in "${some[@]}"; do
    # Larger ones are in the corpus for other purposes.
    [[ $(stat -c %s "$log") -lt 3000000 ]] || continue
    "$HECTIC" show --limit 1 "$log" >"$work/first" 2>&1 || continue
    count=$((count + 1))
    reading json "$log"
    is_as "$HECTIC" show --json "$log"
    reading typed "$log"
    "$HECTIC" check "$log" >"$work/check" 2>&1 || continue # damage is skipped, not delivered by the parser
    reading pieces 65536 "$log"
    is_as "$HECTIC" inc --json "$log"
    reading file "$log"
    is_as "$HECTIC" inc --json "$log"
done
((count >= $(is_short && echo 5 || echo 25))) || fail "only $count logs"

# Pieces of any size, and what else a log can be.
for log in demo restarted every-event spans; do
    for size in 1 7 1000000000; do
        reading pieces "$size" "$logs/$log.eventlog"
        is_as "$HECTIC" inc --json "$logs/$log.eventlog"
    done
    reading copy "$logs/$log.eventlog" "$work/copy.eventlog"
    same "$work/copy.eventlog" "$logs/$log.eventlog"
    reading sorted "$logs/$log.eventlog" "$work/sorted.eventlog"
    "$HECTIC" check "$work/sorted.eventlog" >"$work/check" || fail "$log written again: $(cat "$work/check")"
    without_markers "$logs/$log.eventlog" >"$work/expected"
    without_markers "$work/sorted.eventlog" >"$work/out"
    same "$work/out" "$work/expected"
done
gzip -c "$logs/demo.eventlog" >"$work/demo.eventlog.gz"
for order in json file; do
    reading $order "$work/demo.eventlog.gz"
    cp "$work/out" "$work/zipped"
    reading $order "$logs/demo.eventlog"
    same "$work/out" "$work/zipped"
done
reading file - <"$logs/demo.eventlog"
same "$work/out" "$work/zipped"
! "$work/reading" json /dev/null 2>"$work/err" || fail "an empty file was read"
head -c 3000 "$logs/demo.eventlog" >"$work/cut.eventlog"
reading state "$work/cut.eventlog"
grep -q 'endIsComplete = False, endIsCutOff = False, endDamage = \[\]' "$work/out" || fail "cut off: $(cat "$work/out")"
# Compressed data that end early, also behind the end marker.
for size in 50 99; do
    head -c "$(($(stat -c %s "$work/demo.eventlog.gz") * size / 100))" "$work/demo.eventlog.gz" >"$work/cut.eventlog.gz"
    reading state "$work/cut.eventlog.gz"
    [[ $(sed -n 3p "$work/out") == True ]] || fail "logIsCutOff: $(cat "$work/out")"
    grep -q 'endIsCutOff = True, endDamage = \[\]' "$work/out" || fail "its end: $(cat "$work/out")"
    "$HECTIC" check "$work/cut.eventlog.gz" >"$work/check" 2>&1 || fail "check: $(cat "$work/check")"
    grep -q ': sound, cut short' "$work/check" && complete=False || complete=True
    grep -q "endIsComplete = $complete" "$work/out" || fail "cut to $size %: $(cat "$work/out")"
done
reading state "$work/demo.eventlog.gz"
grep -q 'endIsComplete = True, endIsCutOff = False' "$work/out" || fail "a whole file: $(cat "$work/out")"
{ head -c 5000 "$logs/demo.eventlog"; printf 'xxxxxxxxxx'; tail -c +5001 "$logs/demo.eventlog"; } >"$work/bad.eventlog"
for order in json file; do
    reading $order "$work/bad.eventlog"
    is_as "$HECTIC" "$([[ $order == json ]] && echo show || echo inc)" --json "$work/bad.eventlog"
done

# Selected events.
log=$logs/threads.eventlog
for class in Scheduler=scheduler Gc=gc User=user Framing=framing; do
    reading class "${class%=*}Events" "$log"
    is_as "$HECTIC" show --json --event "${class#*=}" "$log"
done
reading thread 1 "$log"
is_as jq -c 'del(.running_thread)' <("$HECTIC" show --json --thread 1 "$log")
reading interval 5000000 12000000 "$log"
is_as "$HECTIC" show --json --from 5000000ns --to 12000000ns "$log"
reading cap 1 "$log"
is_as jq -c 'select(.cap == 1)' <("$HECTIC" inc --json "$log")
reading cap none "$log"
is_as jq -c 'select(.cap == null)' <("$HECTIC" inc --json "$log")

# Tables.
for log in threads demo heap-generations; do
    reading gc "$logs/$log.eventlog"
    "$HECTIC" gc --json "$logs/$log.eventlog" | jq -r '.gc[] | def m: if . == null then "Nothing" else "Just \(.)" end;
        "(\(.start_ns | m),\(.pause_ns | m),\(.generation | m),\(.copied_bytes | m))"' >"$work/expected"
    [[ -s $work/expected ]] || fail "$log has no collections"
    same "$work/out" "$work/expected"
    reading threads "$logs/$log.eventlog"
    "$HECTIC" threads --json "$logs/$log.eventlog" | jq -r '.threads | sort_by(.thread)[] |
        "(Just \(.thread),Just \(.running_ns),\(if .label then "Just \(.label | tojson)" else "Nothing" end))"' >"$work/expected"
    same "$work/out" "$work/expected"
done

# Names of files in any locale.
cp "$logs/demo.eventlog" "$work/größe.eventlog"
LC_ALL=C reading state "$work/größe.eventlog"

# A pipe has one reader; intervals are selected from it, too.
reading stdin < <(cat "$logs/threads.eventlog")
is_as "$HECTIC" show --json --from 5000000ns --to 12000000ns "$logs/threads.eventlog"
# Exceptions from outside; files that are closed.
generate_log --size 4M -o "$work/four.eventlog"
(umask 022 && cd "$work" && ulimit -n 60 && ./reading interrupted four.eventlog) || fail "interrupted"
gives 0 check "$work/twice.eventlog"
[[ $("$HECTIC" info --json "$work/twice.eventlog" | jq '.sections | length') == 2 ]] || fail "two headers are one section"
[[ $(stat -c %a "$work/twice.eventlog") == 644 ]] || fail "mode $(stat -c %a "$work/twice.eventlog")"
# Exceptions, nested folds, threads; logs from nothing; damage.
reading misuse "$logs/demo.eventlog"
grep -qx 'done' "$work/out" || fail "misuse: $(cat "$work/out")"
(cd "$work" && ./reading made) || fail "a log cannot be made"
gives 0 check "$work/made.eventlog"
[[ $("$HECTIC" show --json --event user "$work/made.eventlog" | jq -r .message | head -1) == hällo ]] || fail "made has another message"
cp "$logs/threads.eventlog" "$work/mutated.eventlog"
reading mutate "${MUTATIONS:-1000}" "$work/mutated.eventlog"
[[ $(cut -d' ' -f1 "$work/out") -gt 100 ]] || fail "too few errors: $(cat "$work/out")"

# Memory does not grow with the log.
generate_log --size 40M -o "$work/large.eventlog"
"$work/reading" sorted "$work/large.eventlog" "$work/sorted.eventlog" +RTS -M60m || fail "writing needs more memory"
gives 0 check "$work/sorted.eventlog"
compile_reading counting tests/programs/counting.hs -Wall -Werror -rtsopts
"$work/counting" "$work/large.eventlog" +RTS -M24m >"$work/out" || fail "it needs more memory"
"$HECTIC" inc --json "$work/large.eventlog" | jq -r .type | sort -n | uniq -c | awk '{ print $2, $1 }' >"$work/expected"
same "$work/out" "$work/expected"

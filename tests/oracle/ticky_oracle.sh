#!/usr/bin/env bash
# hectic ticky agrees with a slow reference that reads the logs by itself, in the whole and in random
# intervals; and with what ghc-events prints of the corpus.
. tests/support/lib.bash
needs python3

python3 tests/oracle/ticky_oracle.py make "$work"
for log in "$work"/ticky-*.eventlog "$corpus"/ticky-ticky.eventlog; do
    [ ! -e "$log" ] || python3 tests/oracle/ticky_oracle.py check "$HECTIC" "$log" 10
done

# As ghc-events prints them: the sums of the samples.
compare() { # LOG SHOW
    awk '/ ticky counter sample / {
             gsub(",", "")
             entries += $(NF - 4); allocs += $(NF - 3); allocd += $(NF - 1)
         }
         END { printf "%d %d %d\n", entries, allocs, allocd }' "$2" >"$work/expected"
    "$HECTIC" ticky --quiet --json "$1" 2>/dev/null | python3 -c 'import json, sys
total = json.load(sys.stdin)["sections"][0]
print(total["entries"], total["allocs_bytes"], total["allocd_bytes"])' >"$work/got"
    diff "$work/expected" "$work/got"
}
for log in tests/logs/every-event.eventlog "$corpus"/ticky-ticky.eventlog; do
    [ ! -e "$log" ] || compare "$log" "${log%.eventlog}.show"
done
if command -v ghc-events >/dev/null; then
    ghc-events show "$work/samples.eventlog" >"$work/samples.show"
    compare "$work/samples.eventlog" "$work/samples.show"
fi

#!/usr/bin/env bash
# The installed ghc-events reads every event that the emitter writes, with the same values.
. tests/support/lib.bash
needs ghc-events

"$HECTIC_BUILD/each_event" "$work/each.eventlog" || fail "exit code $?"
gives 0 check "$work/each.eventlog"
gives 0 show --no-header "$work/each.eventlog"
ghc-events show "$work/each.eventlog" >"$work/theirs" 2>&1 || fail "$(tail -1 "$work/theirs")"

# The part that Debian's 0.17 also prints: no block markers, one field less of two events, other texts
# for four events, and no events replayed in SYNC events. Each event has a marker after it, with its
# name.
common() {
    awk '/event block: cap [0-9]+, end time: / {getline; next} {print}' |
        sed -E -e 's/(: hectic: state replay): .*/\1/'  -e 's/\(stack overflow, size [0-9]+\)$/(stack overflow)/' -e 's/, itbl: 0$//' |
        awk '$4 == "marker:" && $5 ~ /^(RUN_SPARK|STEAL_SPARK|SHUTDOWN|NONMOVING_PRUNED_SEGMENTS)$/ {before = ""}
            {if (before != "") print before; before = $0} END {if (before != "") print before}'
}
common <"$work/out" >"$work/ours.common"
sed '1,/^Events:$/d' "$work/theirs" | common >"$work/theirs.common"
diff "$work/ours.common" "$work/theirs.common" || fail "ghc-events reads other values"
(($(grep -c ': marker: ' "$work/theirs.common") > 90)) || fail "events are missing"
grep -q 'nonmoving heap census 2: 2 active' "$work/theirs.common" || fail "no census"

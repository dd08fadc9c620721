#!/usr/bin/env bash
# Hash maps have another seed in each process: no output depends on it.
. tests/support/lib.bash
runs_often
for kind in threads keys live counters info-tables labels; do
    "$HECTIC_BUILD/costly_log" "random-$kind" 10000 >"$work/random-$kind.eventlog"
done
for kind in threads-half-end tasks-end spans-crossed spans-threads sparks stacks bands capsets again; do
    "$HECTIC_BUILD/costly_log" "$kind" 10000 >"$work/$kind.eventlog"
done
cp tests/logs/{heap-types,heap-profile-b,time-profile,restarted,demo,every-event}.eventlog "$work"
outputs() {
    local log form
    for log in "$work"/*.eventlog; do
        for form in "show --json" "show threads" "info --json" "threads --json" "spans --json" "tasks --json" \
            "sparks --json" "heap --json" "prof --json" "ticky --json" "ticky --every 10us" "validate all" \
            "profile threads" "prof --every 10us" "watch -q --json"; do
            # shellcheck disable=SC2086
            "$HECTIC" $form "$log" 2>/dev/null || true
        done
        "$HECTIC" cut --from 40us "$log" - 2>/dev/null || true
    done
}
outputs | sha256sum >"$work/first"
for _ in 1 $(is_short || echo 2); do
    outputs | sha256sum | cmp - "$work/first" || fail "outputs of the same logs differ"
done

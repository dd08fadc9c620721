#!/usr/bin/env bash
# The time, memory and output per byte of a log are bounded, whatever the log repeats: caps, threads,
# sections, types, damage, and times far apart; and do not depend on the choice of numbers.
# $BUDGETS=all: all kinds of logs with all verbs, which takes some minutes.
. tests/support/lib.bash
needs python3
if is_sanitized; then export IS_SANITIZED=1; fi
mkdir "$work/budgets"
# shellcheck disable=SC2086
timeout "$([ -n "${BUDGETS:-}" ] && echo 20000 || echo 1100)" python3 tests/support/budgets.py "$(readlink -f "$HECTIC")" "$HECTIC_BUILD/costly_log" \
    "$work/budgets" ${BUDGETS:-} || fail "see above"

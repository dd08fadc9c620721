#!/usr/bin/env bash
# The engine of the page answers within 15 s of CPU time and 256 MB per MB of a log, whatever the number of its
# caps and sections.
. tests/support/lib.bash
needs python3
if is_sanitized; then export IS_SANITIZED=1; fi
timeout 1100 python3 tests/support/view_budgets.py "$HECTIC_BUILD" "$work" || fail "see above"

#!/usr/bin/env bash
# The rank test and the intervals of compare, against scipy and a simulation.
. tests/support/lib.bash
python=/usr/bin/python3
"$python" -c 'import scipy' 2>/dev/null || skip "needs scipy"
"$python" tests/oracle/compare_ranks.py "$HECTIC_BUILD/rank_lines" || fail "see above"

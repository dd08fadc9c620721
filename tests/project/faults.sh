#!/usr/bin/env bash
# Every call of memory, descriptors, files and threads that fails is dealt with, in every verb: here one
# call of each place; "make faults" lets each call fail. See tests/project/faults.py.
. tests/support/lib.bash
needs python3
needs zstd
may_preload || skip "preloading is not for sanitizers"
python3 tests/project/faults.py "${FAULTS:-short}" || fail "see above"

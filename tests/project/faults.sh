#!/usr/bin/env bash
# Every verb handles every failing call for memory, descriptors, files and threads: here one call of
# some places; "make faults" lets each call fail. See tests/project/faults.py.
. tests/support/lib.bash
needs python3
needs zstd
may_preload || skip "preloading is not for sanitizers"
python3 tests/project/faults.py "${FAULTS:-short}" || fail "see above"

#!/usr/bin/env bash
# Each rule of the verdict applies to a program made for it, with the right number, and not to
# another one. verdict_oracle.py has the programs' options and computes the numbers in other ways.
. tests/support/haskell.bash
needs python3
oracle=$PWD/tests/oracle/verdict_oracle.py
compile verdict verdict.hs -O1 -threaded
compile hot hot.hs -O1 -prof 2>/dev/null || true
cd "$work"
python3 "$oracle"

#!/usr/bin/env bash
# Whoever follows the advice of a finding gets a better verdict, and has been told the price. See
# verdict_advice.py.
. tests/support/haskell.bash
needs python3
oracle=$PWD/tests/oracle/verdict_advice.py
compile faults faults/Main.hs -O1 -threaded -ifaults
GHC_VERSION=$(ghc --numeric-version)
export GHC_VERSION
cd "$work"
python3 "$oracle" "$@"

#!/usr/bin/env bash
# The verdicts of Haskell programs with known faults, and of healthy ones, are what the table of
# programs/faults says: of whole logs, of truncated ones, and of killed programs. VERDICTS=all: with more
# caps, and truncated at more places; this takes some minutes. See verdict_corpus.py.
. tests/support/haskell.bash
needs python3
oracle=$PWD/tests/oracle/verdict_corpus.py
compile faults faults/Main.hs -O1 -threaded -ifaults
compile hot hot.hs -O1 -prof -threaded 2>/dev/null || true
GHC_VERSION=$(ghc --numeric-version)
export GHC_VERSION
cd "$work"
python3 "$oracle" "$@"

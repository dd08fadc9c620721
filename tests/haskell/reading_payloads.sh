#!/usr/bin/env bash
# Payloads of the Haskell package hectic: decoding is the inverse of encoding, for each event of the catalogue.
. tests/support/haskell.bash
. tests/support/reading.bash
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
[[ $(ghc-pkg list --simple-output QuickCheck 2>/dev/null) ]] || skip "needs QuickCheck"
build_reader || fail "the package cannot be built"
"$HECTIC_BUILD/event_code" haskell tests/programs/payloads.hs.in >"$work/Payloads.hs"
compile_reading payloads "$work/Payloads.hs" -Wall -Wno-missing-home-modules
"$work/payloads" >"$work/out" 2>&1 || fail "$(cat "$work/out")"

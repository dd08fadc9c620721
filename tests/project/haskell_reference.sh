#!/bin/bash
# The modules of the Haskell package that are made from the catalogues are current.
set -euo pipefail
modules=haskell/hectic/src/Hectic
if ! "$HECTIC_BUILD"/event_code haskell tools/haskell_payload.hs.in | diff -u $modules/Payload.hs -; then
    echo "it is out of date: $HECTIC_BUILD/event_code haskell tools/haskell_payload.hs.in > $modules/Payload.hs" >&2
    exit 1
fi
if ! "$HECTIC_BUILD"/haskell_tables tools/haskell_tables.hs.in | diff -u $modules/Tables.hs -; then
    echo "it is out of date: $HECTIC_BUILD/haskell_tables tools/haskell_tables.hs.in > $modules/Tables.hs" >&2
    exit 1
fi

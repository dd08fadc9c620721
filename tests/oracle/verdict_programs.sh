#!/usr/bin/env bash
# Each rule of the verdict applies to a program made for it, with the right number, and not to
# another one. verdict_oracle.py has the programs' options and computes the numbers in other ways.
set -euo pipefail

for tool in ghc python3; do
    command -v $tool >/dev/null && continue
    echo "SKIPPED: needs $tool (scripts/install-deps test)"
    exit 77
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
oracle=$PWD/tests/oracle/verdict_oracle.py
cp tests/programs/verdict.hs tests/programs/hot.hs "$work"
cd "$work"
export LC_ALL=C.UTF-8
ghc -v0 -O1 -threaded -eventlog -rtsopts -outputdir objects verdict.hs
ghc -v0 -O1 -prof -eventlog -rtsopts -outputdir profiled hot.hs 2>/dev/null || rm -f hot
python3 "$oracle"

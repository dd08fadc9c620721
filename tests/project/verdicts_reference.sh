#!/bin/bash
# docs/verdicts.md matches the table of rules.
set -euo pipefail
if ! "$HECTIC_BUILD"/verdict_reference | diff -u docs/verdicts.md -; then
    echo "docs/verdicts.md is out of date: $HECTIC_BUILD/verdict_reference > docs/verdicts.md" >&2
    exit 1
fi

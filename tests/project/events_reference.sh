#!/bin/bash
# docs/events.md matches the catalogue.
set -euo pipefail
if ! "$HECTIC_BUILD"/event_reference | diff -u docs/events.md -; then
    echo "docs/events.md is out of date: $HECTIC_BUILD/event_reference > docs/events.md" >&2
    exit 1
fi

#!/bin/bash
# docs/privacy.md matches the kinds of what a log reveals, and what becomes of a log with everything.
set -euo pipefail
log=tests/logs/every-event.eventlog
if ! "$HECTIC_BUILD"/privacy_reference $log | diff -u docs/privacy.md -; then
    echo "docs/privacy.md is out of date: $HECTIC_BUILD/privacy_reference $log > docs/privacy.md" >&2
    exit 1
fi

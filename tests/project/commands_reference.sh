#!/usr/bin/env bash
# docs/commands.md equals the output of the command's own help.
set -euo pipefail
if ! scripts/command-reference "$HECTIC" | diff -u docs/commands.md -; then
    echo "docs/commands.md is out of date: scripts/command-reference > docs/commands.md" >&2
    exit 1
fi

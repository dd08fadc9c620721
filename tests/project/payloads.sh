#!/usr/bin/env bash
# Offsets in payloads are known to format, read, write and generated code only: others use
# hectic/read_events.h.
set -euo pipefail

if grep -rnE '\bload(16|32|64)\(' src | grep -vE '^src/(format|read|write)/'; then
    echo "these read payloads at offsets"
    exit 1
fi

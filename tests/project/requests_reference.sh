#!/bin/bash
# What is generated from the table of a page's requests is current.
set -euo pipefail
for output in "types view/src/engine/requests.ts" "document docs/requests.md"; do
    read -r kind file <<<"$output"
    if ! "$HECTIC_BUILD"/request_code "$kind" | diff -u "$file" -; then
        echo "$file is out of date: $HECTIC_BUILD/request_code $kind > $file" >&2
        exit 1
    fi
done

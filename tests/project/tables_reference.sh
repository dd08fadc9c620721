#!/bin/bash
# The columns in the documents match the catalogue of tables.
set -euo pipefail
for document in docs/tables.md docs/stat.md docs/heap.md docs/prof.md; do
    grep -q '^<!-- columns of ' "$document"
    if ! "$HECTIC_BUILD"/table_reference "$document" | diff -u "$document" -; then
        echo "$document is out of date: $HECTIC_BUILD/table_reference $document" >&2
        exit 1
    fi
done

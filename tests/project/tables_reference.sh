#!/bin/bash
# The columns in the documents match the catalogue of tables, and so does the JSON schema, to which the
# verbs keep.
set -euo pipefail
if ! "$HECTIC_BUILD"/table_reference | diff -u docs/tables.schema.json -; then
    echo "docs/tables.schema.json is out of date: $HECTIC_BUILD/table_reference > docs/tables.schema.json" >&2
    exit 1
fi
python3 tests/project/schema.py "$HECTIC" docs/tables.schema.json
for document in docs/tables.md docs/stat.md docs/heap.md docs/prof.md docs/sql.md; do
    grep -q '^<!-- columns of ' "$document"
    if ! "$HECTIC_BUILD"/table_reference "$document" | diff -u "$document" -; then
        echo "$document is out of date: $HECTIC_BUILD/table_reference $document" >&2
        exit 1
    fi
done

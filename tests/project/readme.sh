#!/usr/bin/env bash
# The README stays short, docs/emit.md shows examples/minimal.c as it is, and docs/commands.md has
# every verb.
. tests/support/lib.bash

(($(wc -l <README.md) <= 110)) || fail "README.md has more than 110 lines"

awk -v work="$work" '/^```/ { inside = /^```c$/; file = work "/block" ++count; next } inside { print > file }' \
    docs/emit.md
found=no
for block in "$work"/block*; do
    cmp -s "$block" examples/minimal.c && found=yes
done
[[ $found == yes ]] || fail "docs/emit.md does not show examples/minimal.c as it is"
(($(wc -l <examples/minimal.c) <= 25)) || fail "examples/minimal.c has more than 25 lines"

verbs=$(sed -n 's/^VERB(\([a-z]*\)).*/\1/p' src/tool/main/verbs.def)
for verb in $verbs; do
    grep -qx "## $verb" docs/commands.md || fail "docs/commands.md does not have hectic $verb"
done

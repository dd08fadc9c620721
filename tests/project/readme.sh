#!/usr/bin/env bash
# The README shows examples/minimal.c as it is, and every verb.
. tests/support/lib.bash

awk -v work="$work" '/^```/ { inside = /^```c$/; file = work "/block" ++count; next } inside { print > file }' \
    README.md
found=no
for block in "$work"/block*; do
    cmp -s "$block" examples/minimal.c && found=yes
done
[[ $found == yes ]] || fail "README.md does not show examples/minimal.c as it is"
(($(wc -l <examples/minimal.c) <= 25)) || fail "examples/minimal.c has more than 25 lines"

verbs=$(sed -n 's/^VERB(\(.*\))$/\1/p' src/tool/cli/verbs.def)
for verb in $verbs; do
    grep -q "\`hectic $verb " README.md || fail "README.md does not show hectic $verb"
done

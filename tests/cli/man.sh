#!/usr/bin/env bash
# The man pages format without warnings.
. tests/support/lib.bash
needs groff
verbs=$(sed -n 's/^VERB(\(.*\))$/\1/p' src/tool/cli/verbs.def)

for verb in "" $verbs; do
    "$HECTIC" --man ${verb:+"$verb"} >"$work/page"
    groff -ww -mandoc -Tascii -P-cbou "$work/page" >"$work/formatted" 2>"$work/err"
    [[ ! -s $work/err ]] || fail "hectic --man $verb: $(head -3 "$work/err")"
    grep -q "EXIT STATUS" "$work/formatted" || fail "hectic --man $verb: a part is missing"
done

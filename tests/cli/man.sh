#!/usr/bin/env bash
# The man pages format without warnings, and have the standard sections in the usual order.
. tests/support/lib.bash
needs groff
verbs=$(sed -n 's/^VERB(\(.*\))$/\1/p' src/tool/main/verbs.def)

for verb in "" $verbs; do
    "$HECTIC" --man ${verb:+"$verb"} >"$work/page"
    groff -ww -mandoc -Tascii -P-cbou "$work/page" >"$work/formatted" 2>"$work/err"
    [[ ! -s $work/err ]] || fail "hectic --man $verb: $(head -3 "$work/err")"
    sections=$(grep -xE "[A-Z][A-Z ]+" "$work/formatted" | grep -vxE "VERBS|SIGNALS" | paste -sd,)
    [[ $sections == "NAME,SYNOPSIS,DESCRIPTION,OPTIONS,EXIT STATUS,ENVIRONMENT,EXAMPLES,SEE ALSO" ]] ||
        fail "hectic --man $verb: sections $sections"
done

# Pages describe only what the verb has: --color, and signals that end an input.
for verb in gc top relay; do
    "$HECTIC" --man $verb >"$work/$verb"
done
grep -q 'unless .*color=always' "$work/gc" || fail "gc: NO_COLOR without --color"
grep -q 'color=always' "$work/top" && fail "top has no --color"
grep -q 'SH SIGNALS' "$work/gc" || fail "gc: no signals"
grep -q 'SH SIGNALS' "$work/relay" && fail "relay describes its signals itself"
exit 0

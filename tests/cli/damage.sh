#!/usr/bin/env bash
# After damage inside, the rest is shown, and the exit code is 1.
. tests/support/lib.bash
log=$logs/threads.eventlog

gives 0 show "$log"
whole=$(wc -l <"$work/out")
size=$(wc -c <"$log")
{
    head -c $((size / 2)) "$log"
    head -c 40 /dev/zero | tr '\0' '\177'
    tail -c +$((size / 2 + 41)) "$log"
} >"$work/damaged"

for verb in show inc; do
    gives 1 "$verb" "$work/damaged"
    says "hectic: $work/damaged: byte "
    tail -3 "$work/out" | grep -q . || fail "nothing is shown at the end"
done
gives 1 show "$work/damaged"
(($(wc -l <"$work/out") > whole / 3)) || fail "little is left"

# A cut-off tail is normal.
head -c $((size - 7)) "$log" >"$work/cut"
for verb in show inc; do
    gives 0 "$verb" "$work/cut"
    [[ ! -s $work/err ]] || fail "a cut-off log is no reason for messages"
    gives 0 "$verb" --verbose "$work/cut"
    says "no end marker"
done

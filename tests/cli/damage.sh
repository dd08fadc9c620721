#!/usr/bin/env bash
# show and inc continue after damage, and end with exit code 1.
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
    tail -3 "$work/out" | grep -q . || fail "no events after the damage"
done
gives 1 show "$work/damaged"
(($(wc -l <"$work/out") > whole / 3)) || fail "too few events are shown"

# A log that is cut short is not damaged.
head -c $((size - 7)) "$log" >"$work/cut"
for verb in show inc; do
    gives 0 "$verb" "$work/cut"
    [[ ! -s $work/err ]] || fail "a message about a log that is cut short"
    gives 0 "$verb" --verbose "$work/cut"
    says "no end marker"
done

#!/usr/bin/env bash
# Input that is not a log gives a clear message and exit code 2; the readable part of a log is read.
. tests/support/lib.bash
log=$logs/tiny.eventlog

for verb in show inc; do
    gives 2 "$verb" "$work/missing"
    says "hectic: $work/missing: "
    says "No such file or directory"

    gives 2 "$verb" "$work"
    says "hectic: $work: "
    says "directory"

    : >"$work/empty"
    gives 2 "$verb" "$work/empty"
    says "empty"
    [[ ! -s $work/out ]] || fail "an empty file produces output"

    echo "This is a text, not an eventlog." >"$work/text"
    gives 2 "$verb" "$work/text"
    says "hectic: $work/text: byte 0: "

    for size in 1 4 100 1000; do
        head -c "$size" "$log" >"$work/header"
        gives 2 "$verb" "$work/header"
        says "header"
    done

    # A header without event types, and nothing else: a log, though a short one.
    printf 'hdrbhetbheteh''dredatb' >"$work/no-types"
    gives 0 "$verb" "$work/no-types"

    # The same, with an event.
    printf 'hdrbhetbheteh''dredatb\0\0\0\0\0\0\0\0\0\1\0\0\0\7' >"$work/undeclared"
    gives 1 "$verb" "$work/undeclared"
    says "hectic: $work/undeclared: byte 20: undeclared event type 0"
done

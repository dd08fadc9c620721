#!/usr/bin/env bash
# hectic heap --nonmoving agrees with a slow reference that reads the logs by itself, in the whole and
# in random intervals; with the text of ghc-events; and with what +RTS -s prints of a real program.
. tests/support/lib.bash
needs python3

oracle() {
    python3 tests/oracle/nonmoving_oracle.py "$@"
}

oracle make "$work"
for log in "$work"/nonmoving-*.eventlog tests/logs/heap-nonmoving.eventlog "$corpus"/nonmoving-gc.eventlog; do
    [ ! -e "$log" ] || oracle check "$HECTIC" "$log" 10
done
oracle show "$HECTIC" tests/logs/heap-nonmoving.{eventlog,show}

if command -v ghc >/dev/null; then
    . tests/support/compile.bash
    compile heap heap.hs -O1 -threaded
    for caps in 1 2 4; do
        "$work/heap" 8 +RTS "-N$caps" --nonmoving-gc -A256k -lan "-ol$work/log" -s >/dev/null 2>"$work/text"
        oracle rts "$HECTIC" "$work/log" "$work/text"
        oracle check "$HECTIC" "$work/log" 5
    done
fi

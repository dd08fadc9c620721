#!/usr/bin/env bash
# A page's pictures are those of the events.
. tests/support/lib.bash
needs python3
shopt -s nullglob
# Not the log of all events, of which none follow from others, and not those that are cut off or
# contradict themselves.
few=()
for one in "$logs"/*.eventlog "$corpus"/*.eventlog; do
    [[ $one == */every-event.eventlog || $one == */older-shapes.eventlog ]] || few+=("$one")
done
thin few
python3 tests/oracle/view_pictures.py "$HECTIC" "$HECTIC_BUILD/view_answers" "${few[@]}"

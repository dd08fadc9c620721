#!/usr/bin/env bash
# What a page says of single runs, waits, collections, spans and messages is what the verbs print.
. tests/support/lib.bash
needs python3
generate_log --events "$(is_short && echo 60000 || echo 300000)" --caps 4 --threads 8 --seed 5 -o "$work/long.eventlog"
logs=(tests/logs/{demo,threads,spans,sparks,heap-generations,messages,threads-one-cap}.eventlog)
python3 tests/oracle/view_elements.py "$HECTIC" "$HECTIC_BUILD/view_answers" "${logs[@]}" "$work/long.eventlog"

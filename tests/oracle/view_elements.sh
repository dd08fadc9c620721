#!/usr/bin/env bash
# What a page says of single runs, waits, collections, spans and messages is what the verbs print.
. tests/support/lib.bash
needs python3
generate_log --events "$(is_short && echo 60000 || echo 300000)" --caps 4 --threads 8 --seed 5 -o "$work/long.eventlog"
# Spans whose labels differ in a number.
python3 -c 'import re, sys
count = iter(range(1000))
log = open("tests/logs/spans.eventlog", "rb").read()
numbered = re.sub(rb"(START|STOP) sum", lambda found: b"%s q %d" % (found[1], next(count) // 2 % 10), log)
open(sys.argv[1], "wb").write(numbered)' "$work/numbered.eventlog"
logs=(tests/logs/{demo,threads,spans,sparks,heap-generations,messages,threads-one-cap}.eventlog)
python3 tests/oracle/view_elements.py "$HECTIC" "$HECTIC_BUILD/view_answers" "${logs[@]}" "$work/"{numbered,long}.eventlog

#!/usr/bin/env bash
# sparks: what became of them, by counters and by events of each. (Slices and evaluation times: tables.sh.)
. tests/support/verb.bash
log=$logs/sparks.eventlog
behaves sparks "$log"
agrees sparks "$log" "$logs/sparks-sampled.eventlog"
limits sparks created "$log"

gives 1 sparks "$logs/threads-few-classes.eventlog"
says "the log has no events of"

#!/usr/bin/env bash
# The findings of a page are those of hectic info; those of an interval have the numbers of the verbs.
. tests/support/lib.bash
. tests/support/compile.bash
. tests/support/cut_logs.bash
needs python3
shopt -s nullglob
make_cut_logs
generate_log --caps 4 --threads 8 --events 300000 -o "$work/many.eventlog"
"$HECTIC" merge --align start -o "$work/merged.eventlog" tests/logs/{threads,sparks,heap-types}.eventlog
cat "$work/many.eventlog" tests/logs/{threads,heap-types}.eventlog >"$work/restarted.eventlog"

# Programs with faults: one for most rules, and parts of their logs.
faults=(cache cache-hT:-hT:-i0.02 lazy-sum-hT:-hT:-i0.02 thrash:-A64k long-pause:-A64m requested imbalance deadlock deadlock-stm
    thread-leak locked-io locked-stm shared-thunk livelock-yield safe-calls timers sparks-dud pinned)
thin faults
if command -v ghc >/dev/null; then
    compile faults faults/Main.hs -O1 -threaded -ifaults
    for program in "${faults[@]}"; do
        IFS=: read -ra words <<<"$program"
        log=$work/fault-${words[0]}.eventlog
        (cd "$work" && ./faults "${words[0]%-hT}" 0.5 +RTS -l -ol"$log" -N2 "${words[@]:1}" -RTS >/dev/null)
        head -c $(($(wc -c <"$log") * 2 / 3)) "$log" >"$work/part-${words[0]}.eventlog"
    done
else
    echo "SKIPPED: in part: programs with faults need ghc"
fi
# Events that were dropped, at some places.
python3 - "$work/dropped" <<'END'
import struct, sys
sys.path.insert(0, "tests/support")
from eventlog import write
events = [(1000, 0, 1, struct.pack(">I", 7))]
for i in range(1, 2000):
    events += [(i * 100000, 0, 2, struct.pack(">IHI", 7, 2, 0)), (i * 100000 + 50000, 0, 1, struct.pack(">I", 7))]
    if i in (300, 700, 1500):
        events.append((i * 100000 + 60000, 0, 16, b"hectic: 5000 events were dropped here"))
open(sys.argv[1], "wb").write(write(events, {1: 4, 2: 10}))
END
all=(tests/logs/*.eventlog "$work"/*.eventlog "$corpus"/*.eventlog)
thin all
python3 tests/oracle/view_verdict.py "$HECTIC" "$HECTIC_BUILD/view_answers" "${all[@]}" "$work/dropped"

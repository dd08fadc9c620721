#!/usr/bin/env bash
# hectic heap --nonmoving: text, CSV, JSON, intervals, and logs without censuses. Its numbers:
# tests/oracle/nonmoving_oracle.sh.
source tests/support/lib.bash
needs python3
log=$logs/heap-nonmoving.eventlog

# Text, in 80 columns.
gives 0 heap --nonmoving "$log"
prints "Non-moving heap: 3 censuses; live at most 1.21MiB, at 0.027855s"
prints "The last, at 0.027855s: 1.21MiB live in 76 segments (2.38MiB), 53.9% occupied"
prints "195,322 objects marked, 6 update remembered sets flushed"
prints "6 more sizes without live blocks: 12 current segments"
grep -Eq '^ *16B +314KiB +61.4% ' "$work/out" || fail "no row of 16 bytes: $(cat "$work/out")"
grep -Eq '^sync +3 +2.98ms +7.4% +993us +2.55ms$' "$work/out" || fail "no row of syncs: $(cat "$work/out")"
[[ $(wc -L <"$work/out") -le 80 ]] || fail "more than 80 columns"
gives 0 heap --nonmoving --wide "$log"
grep -q 'Current' "$work/out" || fail "--wide"
"$HECTIC" heap --nonmoving "$log" >"$work/expected"
"$HECTIC" heap --nonmoving - <"$log" | diff - "$work/expected"
gzip -c "$log" >"$work/log.gz"
"$HECTIC" heap --nonmoving "$work/log.gz" | diff - "$work/expected"

# CSV and JSON.
gives 0 heap --nonmoving --csv "$log"
[[ $(head -1 "$work/out") == "section,census,time_ns,block_bytes,segments,"* && $(wc -l <"$work/out") == 37 ]] ||
    fail "CSV: $(head -2 "$work/out")"
gives 0 heap --nonmoving --json "$log"
python3 -m json.tool "$work/out" >/dev/null || fail "JSON"

# An interval: what ended in it.
gives 0 heap --nonmoving --from 5ms --to 20ms "$log"
grep -q '^Non-moving heap: 1 censuses' "$work/out" || fail "--from: $(cat "$work/out")"
grep -Eq '^sweep +1 ' "$work/out" || fail "--from: $(cat "$work/out")"

# Many censuses: the course keeps its shape when points are joined.
made() { # FILE PYTHON-CODE: sets `events`
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys
sys.path.insert(0, "tests/support")
import eventlog

def census(time, size, active, filled, live):
    return (time, 65535, 207, struct.pack(">HIII", size, active, filled, live))

exec(sys.argv[2])
with open(sys.argv[1], "wb") as log:
    log.write(eventlog.write(events, {45: 2, 200: 0, 201: 4, 204: 0, 205: 0, 207: 14, 208: 8}))
PYTHON
}
made "$work/many" 'events = []
for i in range(5000):
    events += [(10 * i, 65535, 204, b""), (10 * i + 1, 65535, 205, b""),
               census(10 * i + 2, 8, 1, 0, 100 if i < 2500 else 3000), census(10 * i + 3, 24, 0, 0, 0)]
events.append((50000, 65535, 208, struct.pack(">II", 7, 9)))'
gives 0 heap --nonmoving "$work/many"
prints "Non-moving heap: 5,000 censuses; live at most 23.4KiB, at 0.000025s"
grep -Eq '^ *8B .* ▁{8}█{8}$' "$work/out" || fail "the course: $(cat "$work/out")"
prints "1 more size without live blocks: 1 current segment"
prints "7 free segments returned, 9 retained at the end"

# Without censuses, and without anything.
made "$work/some" 'events = [(1, 65535, 204, b""), (5, 65535, 205, b"")]'
gives 1 heap --nonmoving "$work/some"
says "$work/some: the log has no censuses of the non-moving heap (they need +RTS -ln)"
grep -Eq '^sweep +1 +4ns ' "$work/out" || fail "no phases: $(cat "$work/out")"
for form in "" --json --csv; do
    gives 1 heap --nonmoving $form "$logs/tiny.eventlog"
    says "the log has no events of the non-moving collector (they need +RTS --nonmoving-gc -ln)"
done

# Odd logs.
made "$work/odd" 'events = [census(1, 0, 1, 1, 1), census(2, 40000, 1, 1, 1), census(3, 16, 2**32 - 1, 2**32 - 1, 2**32 - 1),
          (4, 65535, 45, b"\xff\xff"), census(5, 16, 2**32 - 1, 2**32 - 1, 2**32 - 1)]'
gives 0 heap --nonmoving "$work/odd"
says "2 events malformed: ignored"
cat "$log" "$log" >"$work/two"
gives 0 heap --nonmoving "$work/two"
prints "Section 2"
head -c 60000 "$log" >"$work/short"
gives 0 heap --nonmoving --json "$work/short"
python3 -m json.tool "$work/out" >/dev/null || fail "JSON of a truncated log"

# Its options.
gives 64 heap --nonmoving --at peak "$log"
says "--nonmoving cannot be combined with options for heap samples"
gives 64 heap --nonmoving --json --csv "$log"

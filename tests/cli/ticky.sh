#!/usr/bin/env bash
# hectic ticky: text, CSV, JSON, intervals, slices, filters, odd logs, and logs without counters. Its
# numbers: tests/oracle/ticky_oracle.sh.
source tests/support/lib.bash
needs python3

# A log with a function, a thunk, a constructor, hostile names, and a counter without a definition.
make_log() { # FILE [PYTHON-CODE: changes `events`]
    python3 - "$1" "${2:-}" <<'PYTHON'
import struct, sys
sys.path.insert(0, "tests/support")
import eventlog

def define(number, arity, kinds, name, info=0, json=b""):
    payload = struct.pack(">QH", number, arity) + kinds + b"\0" + name + b"\0"
    return (60 * 10**6, 65535, 210, payload + struct.pack(">Q", info) + json + b"\0")

def sample(ms, number, entries, allocs, allocd):
    return (ms * 10**6, 65535, 211, struct.pack(">QQQQ", number, entries, allocs, allocd))

def json(kind, fvs, args):
    return b'{"type":"entCntr","subTy":"%s","fvs_c":1,"fvs":"%s","args":"%s"}' % (kind, fvs, args)

ipe = struct.pack(">Q", 0x40) + b"\0".join([b"f_info", b"11", b"Int", b"f", b"Main", b"Main.hs:3:1-9", b""])
events = [
    (0, 65535, 45, struct.pack(">H", 0)),
    (1 * 10**6, 65535, 212, b""),
    sample(1, 1, 100, 1600, 0),
    sample(1, 2, 10, 80, 2400),
    (1 * 10**6, 0, 49, struct.pack(">IQ", 0, 4000)),
    (50 * 10**6, 65535, 212, b""),
    sample(50, 1, 300, 4800, 0),
    sample(50, 3, 0, 0, 48),
    sample(50, 4, 7, 3, 0),
    sample(50, 5, 1, 2, 0),
    (51 * 10**6, 0, 49, struct.pack(">IQ", 0, 16000)),
    (60 * 10**6, 65535, 169, ipe),
    define(1, 2, b"iM", b"Main.f{v r1} (fun)", 0x40, json(b"fun", b"", b"iM")),
    define(2, 0, b"", b"sat_s1{v} (Main) (thk) in r1", 0, json(b"thk_u", b"M", b"")),
    define(3, 0, b"", b"sat_s2{v} (Main) (con: GHC.Types.I#) in r1", 0, json(b"con", b"", b"")),
    define(4, 0, b"", b"a\tb\"c\n\x1b[31m\xff,", 0, b'{"fvs":'),
]
exec(sys.argv[2])
with open(sys.argv[1], "wb") as log:
    log.write(eventlog.write(events, {45: 2, 49: 12, 211: 32, 212: 0}))
PYTHON
}
log=$work/log
make_log "$log"

# Text, in 80 columns.
gives 0 ticky "$log"
prints "5 counters with 418 entries in 60.0ms"
prints "15.6KiB allocated, 40.5% of it (6.33KiB) by the code of these counters"
says "$log: note: the log has no definitions of 1 counters; GHC writes them when the program ends"
[[ $(sed -n 5p "$work/out") == "Main.f{v r1} (fun) "* ]] || fail "not sorted by allocs: $(cat "$work/out")"
grep -qF 'counter 5 ' "$work/out" || fail "no row of a counter without a definition"
grep -qF 'a\tb"c\n\x1b[31m\xff,' "$work/out" || fail "a hostile label: $(cat "$work/out")"
! grep -q "$(printf '\033')" "$work/out" || fail "an escape sequence"
[[ $(wc -L <"$work/out") -le 80 ]] || fail "more than 80 columns"
gives 0 ticky --wide "$log"
grep -q 'Main.hs:3:1-9' "$work/out" || fail "no location"

# Without a pipe's end, in pieces, and compressed, the same.
"$HECTIC" ticky "$log" >"$work/expected" 2>/dev/null
"$HECTIC" ticky - <"$log" 2>/dev/null | diff "$work/expected" -
tail -c +1 "$log" | "$HECTIC" ticky - 2>/dev/null | diff "$work/expected" -
gzip -c "$log" >"$work/log.gz"
"$HECTIC" ticky "$work/log.gz" 2>/dev/null | diff "$work/expected" -

# JSON and CSV.
check_json() { # PYTHON-CODE
    python3 -c 'import json, sys
got = json.load(open(sys.argv[1], encoding="utf-8"))
rows = {row["counter"]: row for row in got["counters"]}
exec(sys.argv[2])' "$work/out" "$1" || fail "$1: $(cat "$work/out")"
}
gives 0 ticky --json "$log"
check_json 'assert list(rows) == [1, 2, 3, 4, 5]' # as they occur
check_json 'f = rows[1]
assert (f["entries"], f["allocs_bytes"], f["arity"], f["arguments"]) == (400, 6400, 2, "iM")
assert (f["module"], f["location"], f["type"]) == ("Main", "Main.hs:3:1-9", "fun")
assert f["allocs_share"] == 0.4 and f["allocs_per_entry_bytes"] == 16'
# A closure of the thunk has 3 words.
check_json 'assert (rows[2]["allocd_closures"], rows[2]["entries_per_closure"]) == (100, 0.1)'
check_json 'assert rows[3]["allocd_bytes"] == 48 and rows[3]["allocd_closures"] is None'
check_json 'assert rows[4]["label"] == "a\tb\"c\n\x1b[31m\\xFF," and rows[4]["free_variables"] is None'
check_json 'assert rows[5]["label"] is None and rows[5]["arity"] is None'
check_json 'assert got["sections"][0]["allocated_bytes"] == 16000 and got["sections"][0]["groups"] == 2'
gives 0 ticky --csv --sort entries --limit 2 "$log"
[[ $(sed -n 's/^1,,,\([0-9]*\),.*/\1/p' "$work/out" | xargs) == "1 2" ]] || fail "--sort entries: $(cat "$work/out")"

# Intervals: samples count at their time, and so does what the program allocated.
gives 0 ticky --json --from 10ms --to 55ms "$log"
check_json 'assert list(rows) == [1, 3, 4, 5] and rows[1]["entries"] == 300'
check_json 'assert got["sections"][0]["allocated_bytes"] == 12000 and got["sections"][0]["duration_ns"] == 45000000'
check_json 'assert rows[1]["label"] == "Main.f{v r1} (fun)"' # its definition comes after the interval

# Slices.
gives 0 ticky --json --every 40ms "$log"
check_json 'rows = [(r["from_ns"], r["to_ns"], r["counter"], r["entries"]) for r in got["counters"]]
ms = 10**6
assert rows == [(0, 40 * ms, 1, 100), (0, 40 * ms, 2, 10), (40 * ms, 80 * ms, 1, 300),
                (40 * ms, 80 * ms, 4, 7), (40 * ms, 80 * ms, 5, 1), (40 * ms, 80 * ms, 3, 0)], rows'
check_json 'assert got["counters"][0]["entries_per_second"] == 2500' # in 40 ms
check_json 'assert got["counters"][2]["entries_per_second"] == 15000' # the section ends after 20 ms
gives 0 ticky --json --every 1ns --from 1ms --to 2ms "$log"
check_json 'assert [r["from_ns"] for r in got["counters"]] == [1000000, 1000000]'
gives 0 ticky --every 40ms "$log"
prints "5 counters with 418 entries in 60.0ms"

# Filters.
gives 0 ticky --json --include '\(thk|counter 5' "$log"
check_json 'assert list(rows) == [2, 5]'
gives 0 ticky --json --include Main --exclude 'con|fun' "$log"
check_json 'assert list(rows) == [2]'
gives 64 ticky --include '(' "$log"
says 'invalid pattern "(" for --include'
gives 0 ticky "$logs/every-event.eventlog"
prints "1 counter with 10 entries in 99825955s"
gives 64 ticky --sort nothing "$log"
says 'unknown column "nothing" for --sort'
# Two columns are named allocs but for the unit.
says "allocs_bytes, allocs_share, ticked, entries"
gives 64 ticky --every 0 "$log"
gives 64 ticky --json --csv "$log"

# GHC 9.2 and later add the bytes of allocated closures to the entries.
make_log "$work/bug" 'events += [sample(55, 3, 4800, 0, 0)]
events = [e if e[2] != 211 else (*e[:3], e[3][:24] + bytes(8)) for e in events]'
gives 0 ticky "$work/bug"
says "the entries contain the bytes of allocated closures"
gives 0 ticky "$log"
! grep -q "the entries contain" "$work/err" || fail "a note without a reason"

# Without HEAP_ALLOCATED, without samples, without counters.
make_log "$work/some" 'events = [e for e in events if e[2] != 49]'
gives 0 ticky "$work/some"
prints "6.33KiB allocated by their code; the program's total is unknown (+RTS -lg)"
make_log "$work/some" 'events = [e for e in events if e[2] != 211]'
gives 1 ticky "$work/some"
says "the log has no samples of ticky counters"
gives 1 ticky --from 59ms "$log"
says "the log has no samples of ticky counters in the interval"
gives 1 ticky --json "$logs/tiny.eventlog"
says "the log has no ticky counters (they need GHC 9.2 or later, ghc -ticky -eventlog, and +RTS -lT; without"
check_json 'assert got["counters"] == [] and got["sections"][0]["samples"] == 0'
gives 1 ticky --from 100s "$log"
says "the interval is outside the log"

# A restarted log: a table for each section.
cat "$log" "$log" >"$work/two"
gives 0 ticky "$work/two"
prints "Section 2"
gives 0 ticky --json "$work/two"
check_json 'assert [r["section"] for r in got["counters"]] == 5 * [1] + 5 * [2] and len(got["sections"]) == 2'

# Damage: the rest is printed. A truncated log is no damage.
{
    head -c 700 "$log"
    printf 'garbage'
    tail -c +720 "$log"
} >"$work/damaged"
gives 1 ticky "$work/damaged"
head -c 900 "$log" >"$work/short"
gives 0 ticky "$work/short"
gives 2 ticky "$work/missing"

# A late reader's definitions are replayed, its samples are not.
make_log "$work/late" 'events = [(t, 65535, 1999, struct.pack(">HH", n, cap) + p) if n in (210, 49) and t != 51 * 10**6 else (t, cap, n, p)
                                 for t, cap, n, p in events]'
gives 0 ticky --json "$work/late"
check_json 'assert rows[1]["label"] == "Main.f{v r1} (fun)" and got["sections"][0]["allocated_bytes"] == 12000'

# A merged log: the counters of each process, and what all of them allocated.
cp "$log" "$work/other"
gives 0 merge --align start -o "$work/merged" "$log" "$work/other"
gives 0 ticky --json "$work/merged"
check_json 'labels = sorted(str(r["label"]) for r in got["counters"])
assert len(rows) == 10 and all(labels.count(label) == 2 for label in labels), labels'
check_json 'assert got["sections"][0]["allocated_bytes"] == 32000 and got["sections"][0]["entries"] == 836'

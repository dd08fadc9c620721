#!/usr/bin/env bash
# hectic redact: nothing secret is left, the numbers stay, and --check says so.
. tests/support/lib.bash
canary=Zq7Rw2Xv9Lk4Jh6T # 16 characters, which no log has by chance

# --- A canary in every text of every event, and around them.
python3 - "$canary" >"$work/canary" <<'END'
import json
import struct
import sys

canary = sys.argv[1].encode()
out = b"hdrbhetb"
events = [  # number, size (-1: variable), payload
    (19, -1, canary), (16, -1, b"a " + canary), (58, -1, b"START " + canary), (44, -1, struct.pack(">I", 1) + canary),
    (19, -1, b"START " + canary + b" 12"), (19, -1, b"STOP 3 " + canary + b".x.y"),
    (29, -1, struct.pack(">I", 1) + canary), (30, -1, struct.pack(">I", 1) + canary + b"\0+RTS\0-N2\0-ol" + canary + b"\0"),
    (31, -1, struct.pack(">I", 1) + b"A=" + canary + b"\0"), (23, -1, canary), (24, -1, canary + b" " + canary),
    (42, -1, canary + struct.pack(">I", 1)), (140, -1, struct.pack(">I", 1) + canary), (181, -1, canary),
    (181, -1, struct.pack(">HQH", 0xFFCC, 1, len(canary)) + canary), (181, -1, b"\xff\xc0" + canary),
    (160, -1, struct.pack(">BQI", 0, 1, 1) + (canary + b"\0") * 7),
    (161, -1, struct.pack(">I", 1) + b"f\0M\0" + canary + b"\0\0"),
    (169, -1, struct.pack(">Q", 1) + b"t\0c\0d\0f\0M\0" + canary + b"\0"),
    (1999, -1, struct.pack(">HH", 19, 0) + canary), (1999, -1, struct.pack(">HH", 18, 0) + canary[:14]),
    (1999, -1, struct.pack(">HH", 31, 0) + struct.pack(">I", 1) + canary + b"\0"),
    (5000, -1, canary), (5001, 16, canary), (1, 20, struct.pack(">I", 1) + canary), (210, -1, struct.pack(">QH", 1, 1) + b"k\0n\0" + struct.pack(">Q", 1) + canary + b"\0"),
]
sizes = {number: size for number, size, _ in events}
for number, size in sizes.items():
    out += b"etb\0" + struct.pack(">HhI", number, size, len(canary)) + canary + struct.pack(">I", len(canary)) + canary + b"ete\0"
out += b"hetehdredatb"
time = 0
for number, size, payload in events:
    time += 1000
    out += struct.pack(">HQ", number, time) + (struct.pack(">H", len(payload)) if size < 0 else b"") + payload
sys.stdout.buffer.write(out + struct.pack(">HQH", 19, 1, 900) + canary)
END
"$HECTIC" show "$work/canary" 2>/dev/null | grep -q "$canary" || fail "no canary"
# has_no_canary FILE: no eight bytes of it in a row.
has_no_canary() {
    python3 - "$canary" "$@" <<'END'
import sys

canary = sys.argv[1].encode()
for path in sys.argv[2:]:
    data = open(path, "rb").read()
    for i in range(len(canary) - 7):
        if canary[i : i + 8] in data:
            sys.exit(f"{path}: a canary")
END
}
for purpose in team performance structure; do
    code=0
    keep=()
    # A team sees texts.
    [[ $purpose != team ]] || keep=(--drop "arguments,messages,markers,labels,runtime,strings,counters,selectors,locations,frames,types")
    "$HECTIC" redact --force --for $purpose "${keep[@]}" "$work/canary" "$work/redacted" >"$work/out" 2>"$work/err" || code=$?
    [[ $code -le 1 ]] || fail "--for $purpose: $code, $(<"$work/err")"
    # Kinds of closures (of ticky) are kept for performance.
    [[ $purpose == performance ]] || has_no_canary "$work/redacted" "$work/out" "$work/err"
    gives 0 redact --check --for $purpose "${keep[@]}" "$work/redacted"
done
"$HECTIC" redact --force --drop types "$work/canary" "$work/redacted" >"$work/out" 2>"$work/err" || true
has_no_canary "$work/redacted" "$work/out" "$work/err"
gives 3 redact --check "$work/canary"
grep -q '^USER_MSG: message: ' "$work/out" || fail "--check names no field: $(<"$work/out")"
grep -q '^event 5000: 1 with unknown bytes' "$work/out" || fail "--check names no unknown event: $(<"$work/out")"
code=0
"$HECTIC" record -q --redact --drop types - "$work/recorded" <"$work/canary" 2>"$work/err" || code=$?
[[ $code -le 1 ]] || fail "record --redact: $code"
has_no_canary "$work/recorded"
code=0
"$HECTIC" export -q --redact --drop types --private --table events,ev_USER_MSG,ev_PROGRAM_ENV,messages --format sqlite "$work/canary" "$work/exported.db" 2>"$work/err" || code=$?
[[ $code -le 1 ]] || fail "export --redact: $code"
has_no_canary "$work/exported.db"

# --- The numbers stay; the result is sound; redacting again changes nothing.
set -- "$logs"/{time-profile,spans,demo,sparks,heap-profile-r,killed}.eventlog
! is_sanitized || set -- "$1" "$2"
for log; do
    for purpose in performance structure; do
        gives 0 redact -q --force --for $purpose --key-file "$work/key" "$log" "$work/once"
        gives 0 redact -q --force --for $purpose --key-file "$work/key" "$work/once" "$work/twice"
        same "$work/once" "$work/twice"
        gives 0 redact --check --for $purpose "$work/once"
        gives 0 check "$work/once"
        for verb in stat gc threads sparks heap prof spans; do
            for each in "$log" "$work/once"; do
                { "$HECTIC" $verb --json "$each" 2>/dev/null || true; } | python3 -c '
import json, sys
text = sys.stdin.read()
def numbers(value):
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in value.items() if k not in ("log", "pid")}
    return [numbers(v) for v in value] if isinstance(value, list) else "text" if isinstance(value, str) else value
print(json.dumps(numbers(json.loads(text or "null"))))' >"$work/numbers.$([[ $each == "$log" ]] && echo in || echo out)"
            done
            cmp -s "$work/numbers.in" "$work/numbers.out" || fail "$log: $verb differs with --for $purpose"
        done
    done
done
[[ $(stat -c %a "$work/key") == 600 ]] || fail "others can read the key"
gives 0 redact -q --force "$logs/spans.eventlog" "$work/a"
gives 0 redact -q --force "$logs/spans.eventlog" "$work/b"
! cmp -s "$work/a" "$work/b" || fail "two keys give the same pseudonyms"
"$HECTIC" show "$work/a" | grep -qE 'START x[a-z2-7]{13}' || fail "no pseudonyms"

# --- Errors
gives 64 redact --keep nothing "$logs/demo.eventlog" "$work/c"
says 'invalid kind "nothing" for --keep'
gives 64 redact --for nobody "$logs/demo.eventlog" "$work/c"
gives 64 redact --check "$logs/demo.eventlog" "$work/c"
gives 64 redact --check --key-file "$work/none" "$work/a"
[[ ! -e $work/none ]] || fail "--check writes a key"
echo text >"$work/text"
gives 2 redact --key-file "$work/text" "$logs/demo.eventlog" "$work/c"
says "not a key"
gives 2 redact --force --key-file "$work/key" "$logs/demo.eventlog" "$work/key"
gives 64 relay --from "unix:$work/s" --listen "unix:$work/t" --redact
says "--redact requires --record or --redact-streams"
# More variables than pseudonyms have room for.
python3 -c '
import struct, sys
env = b"a\0" * 32000
sys.stdout.buffer.write(b"hdrbhetbetb\0" + struct.pack(">HhI", 31, -1, 0) + struct.pack(">I", 0) + b"ete\0hetehdredatb" +
    struct.pack(">HQH", 31, 1, 4 + len(env)) + struct.pack(">I", 1) + env + b"\xff\xff")' >"$work/many"
for how in keep replace drop; do gives 0 redact --force --$how environment "$work/many" "$work/c"; done

#!/usr/bin/env bash
# hectic redact: nothing secret is left, the numbers stay, and --check says so.
. tests/support/lib.bash
. tests/support/live.bash
needs python3
needs jq
canary=Zq7Rw2Xv9Lk4Jh6T # 16 characters, which no log has by chance

# --- A canary in every text of every event, and around them.
python3 tests/support/canary_log.py "$canary" >"$work/canary"
"$HECTIC" show "$work/canary" 2>/dev/null | grep -q "$canary" || fail "no canary"
# has_no_canary FILE...: no eight bytes of it in a row.
has_no_canary() {
    python3 tests/support/has_canary.py "$canary" "$@" || fail "a canary"
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

# --- The numbers and the verdict stay; the result is sound; redacting again changes nothing.
set -- "$logs"/{time-profile,spans,demo,sparks,heap-profile-r,killed}.eventlog
! is_short || set -- "$1" "$2"
for log; do
    for purpose in performance structure; do
        gives 0 redact -q --force --for $purpose --key-file "$work/key" "$log" "$work/once"
        gives 0 redact -q --force --for $purpose --key-file "$work/key" "$work/once" "$work/twice"
        same "$work/once" "$work/twice"
        gives 0 redact --check --for $purpose "$work/once"
        gives 0 check "$work/once"
        [[ ! -x $(command -v ghc-events) ]] || ghc-events show "$work/once" >"$work/show" || fail "$log: ghc-events"
        for verb in stat gc threads sparks heap prof spans "validate all"; do
            for each in "$log" "$work/once"; do
                # shellcheck disable=SC2086 # words
                { "$HECTIC" $verb --json "$each" 2>/dev/null || true; } | jq '
                    walk(if type == "object" then del(.log, .pid, .position) elif type == "string" then "text" else . end)' >"$work/numbers.$([[ $each == "$log" ]] && echo in || echo out)"
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

# Comparing groups digits, but those of pseudonyms are parts of names.
gives 0 redact -q --force "$logs/messages.eventlog" "$work/a"
names() { grep -oE 'x[a-z2-7]{13}' | sort -u; }
"$HECTIC" compare --json "$work/a" "$work/a" | jq -r '.compare[].number' >"$work/numbers"
! grep -qE 'x[a-z2-7]*#[a-z2-7#]{5}' "$work/numbers" || fail "digits of pseudonyms: $(grep -m 1 'x.*#' "$work/numbers")"
[[ $(names <"$work/numbers" | wc -l) -ge 10 ]] || fail "pseudonyms: $(<"$work/numbers")"
[[ ! $(names <"$work/numbers" | comm -23 - <("$HECTIC" show "$work/a" | names)) ]] || fail "pseudonyms of nothing"

# --- relay: recordings; with --redact-streams, also what clients receive.
for streams in "" --redact-streams; do
    rm -rf "$work/recordings" "$work/stream"
    mkfifo "$work/in"
    # shellcheck disable=SC2086 # an option, or none
    launch_relay relay --from "name=fifo:$work/in" --listen "unix:$work/clients" --record "$work/recordings" \
        --redact --drop types $streams
    soon test -S "$work/clients"
    "$HECTIC" record -q "unix:$work/clients" "$work/stream" 2>"$work/err" &
    client=$!
    soon is_let_in "$work/clients"
    cat "$work/canary" >"$work/in"
    soon file_has "$work/relay.err" "name: log ended"
    ends "$client"
    finish "$relay" || true
    for recording in "$work"/recordings/*; do
        gives 0 redact --check --drop types "$recording"
        "$HECTIC" copy "$recording" - >"$work/plain"
        has_no_canary "$work/plain"
    done
    "$HECTIC" show "$work/stream" >"$work/show" 2>&1 || true
    if [[ $streams ]]; then
        has_no_canary "$work/stream" "$work/show"
    else
        grep -q "$canary" "$work/show" || fail "clients receive a redacted log"
    fi
    rm -f "$work/in"
done

# --- One kind of all.
gives 0 redact --force --drop all --keep labels "$logs/demo.eventlog" "$work/one"
grep -qE '^labels +9 *$' "$work/out" || fail "--drop all --keep labels: $(<"$work/out")"
grep -qE '^messages +2$' "$work/out" || fail "--drop all --keep labels: $(<"$work/out")"

# --- Text as the time of a block marker, and around compressed data.
python3 - "$logs/demo.eventlog" "$work/times" <<'END'
import struct
import sys

log = open(sys.argv[1], "rb").read()
begin = log.index(b"datb") + 4
marker = log.index(struct.pack(">H", 18), begin)
for number, at in enumerate((marker + 2, marker + 14)):  # its time, and the end of its block
    open(f"{sys.argv[2]}{number}", "wb").write(log[:at] + b"hunter2!" + log[at + 8 :])
END
for times in "$work"/times?; do
    code=0
    "$HECTIC" redact --force --for structure "$times" "$work/one" >"$work/out" 2>"$work/err" || code=$?
    [[ $code -le 1 ]] || fail "$times: $code"
    ! grep -qa 'hunter2!' "$work/one" || fail "text in a time of a block marker"
    gives 0 redact --check --for structure "$work/one"
done
gzip <"$work/a" >"$work/a.gz"
gives 0 redact --check "$work/a.gz"
says "only the log in it is checked"
echo text >>"$work/a.gz"
gives 3 redact --check "$work/a.gz"

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
gives 2 redact --key-file "$work" "$logs/demo.eventlog" "$work/c"
says "Is a directory"
gives 2 redact --key-file "$work/new" "$work/none" "$work/c"
gives 2 redact --key-file "$work/new" "$logs/demo.eventlog" "$work/a"
[[ ! -e $work/new ]] || fail "a key without a log"
for key in key ./key link; do
    ln -sf key "$work/link"
    gives 2 redact --force --key-file "$work/key" "$logs/demo.eventlog" "$work/$key"
    gives 2 record --force -q --redact --key-file "$work/$key" "$logs/demo.eventlog" "$work/key"
    says "would be overwritten"
done
gives 64 relay --from "unix:$work/s" --listen "unix:$work/t" --redact
says "--redact requires --record, --metrics, --clickhouse, --otlp or --redact-streams"
# More variables than pseudonyms have room for.
python3 -c '
import struct, sys
env = b"a\0" * 32000
sys.stdout.buffer.write(b"hdrbhetbetb\0" + struct.pack(">HhI", 31, -1, 0) + struct.pack(">I", 0) + b"ete\0hetehdredatb" +
    struct.pack(">HQH", 31, 1, 4 + len(env)) + struct.pack(">I", 1) + env + b"\xff\xff")' >"$work/many"
for how in keep replace drop; do gives 0 redact --force --$how environment "$work/many" "$work/c"; done

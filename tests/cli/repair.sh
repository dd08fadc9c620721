#!/usr/bin/env bash
# check --repair of logs with random changes. Exit code 0: nothing was lost; 1: something was. The
# output is sound. 2: there is no output.
. tests/support/lib.bash
needs python3
log=$logs/messages.eventlog
# Some bytes of the log changed, in every second one in its header; some logs are also cut short.
python3 - "$log" "$work" <<'END'
import random, sys
random.seed(1)
whole = open(sys.argv[1], "rb").read()
events = whole.index(b"datb") + 4
for number in range(1, 61):
    log = bytearray(whole)
    for _ in range(random.choice([1, 1, 3])):
        at = random.randrange(events) if number % 2 else random.randrange(events, len(log))
        log[at] = random.choice([0, 1, 127, 255, random.randrange(256)])
    if random.random() < 0.2:
        del log[random.randrange(events, len(log)) :]
    open(f"{sys.argv[2]}/changed{number}", "wb").write(log)
END
code_of() { # ARGUMENT…
    local code=0
    "$HECTIC" "$@" >"$work/out" 2>"$work/err" || code=$?
    echo "$code"
}
for number in $(seq 60); do
    changed=$work/changed$number
    rm -f "$work/repaired"
    before=$(code_of check "$changed")
    code=$(code_of check --repair "$changed" "$work/repaired")
    if [[ $code == 2 ]]; then
        [[ $before == 2 ]] || fail "change $number: nothing is written of a readable log"
        [[ -s $work/err ]] || fail "change $number: no message"
        [[ ! -e $work/repaired ]] || fail "change $number: exit code 2, and an output"
        continue
    fi
    after=$(code_of check "$work/repaired")
    [[ $after == 0 ]] || fail "change $number: the output of --repair is not sound: $(<"$work/out")"
    ((code <= before)) || fail "change $number: --repair ends with $code, check with $before"
done

# A type with an impossible size: its events are kept, with a free number.
misdeclared() { # NUMBER
    log_header "$1" 4
    be 2 "$1"
    be 8 5
    be 4 0
    be 2 65535
}
misdeclared 19 >"$work/misdeclared"
misdeclared 1000 >"$work/expected"
gives 1 check --repair --force "$work/misdeclared" -
says "written to standard output; lost: 0 bytes in 1 place, "
gives 1 check --repair --force "$work/misdeclared" "$work/repaired"
says "byte 20: the header declares event type 19 with an invalid size"
same "$work/expected" "$work/repaired"

log_header >"$work/untyped"
gives 2 check --repair "$work/untyped" "$work/nothing"
says "the header declares no event types"
[[ ! -e $work/nothing ]] || fail "an output without events"

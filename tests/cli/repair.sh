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

# A cap's block, damaged from the end of a collection on: what the cap did then is unknown, and the
# collection does not go on. A thread runs from 1 s, the cap collects from 2 s, the block ends at
# 5 s; in the next one, the thread runs up to 8 s.
event() { # TIME TYPE
    be 2 "$2"
    be 8 "$1"
}
message() { # TIME TEXT
    be 2 16
    be 8 "$1"
    be 2 ${#2}
    printf %s "$2"
}
lost() { # CAP: the log, with what is on stdin instead of the lost 44 bytes; the event before is lost, too
    log_header 0 4 18 14 1 4 16 65535 9 0 10 0 12 0
    block 1000000000 88 5000000000 "$1"
    run_thread 1000000000 1
    event 2000000000 12
    event 2000000000 9
    event 2000000000 12
    cat
    block 5000000000 28 8000000000 "$1"
    run_thread 5000000000 1
    run_thread 8000000000 1
    be 2 65535
}
head -c 44 /dev/zero | tr '\0' '\356' | lost 0 >"$work/damaged"
head -c 44 /dev/zero | lost 0 >"$work/zeros" # no creations of thread 0 at time 0
gives 1 check "$work/zeros"
prints "$work/zeros: byte $(($(log_header 0 4 18 14 1 4 16 65535 9 0 10 0 12 0 | wc -c) + 58)): zeros instead of an event; 54 bytes lost"
gives 1 check --repair --force "$work/damaged" "$work/repaired"
gives 0 check "$work/repaired"
prints "$work/repaired: sound, with gaps: 11 events in 4 blocks, $(stat -c %s "$work/repaired") bytes"
prints "    Gaps: 54 damaged bytes lost in 1 place"
gives 0 show --no-header "$work/repaired"
prints "2000000000: cap 0: hectic: events are missing from here"
prints "5000000000: cap 0: hectic: 54 damaged bytes were lost here"
# The damaged log has the same numbers: where bytes are lost, it reads as if the message were there.
for name in repaired damaged zeros; do
    code=$([[ $name == repaired ]] && echo 0 || echo 1)
    for interval in "" "--from 0"; do
        # shellcheck disable=SC2086 # words are meant
        gives "$code" stat --jsonl $interval "$work/$name"
        numbers=$(jq -c '[.time.gc_ns, .time.unrecorded_ns, (.caps[] | .running_ns, .unknown_ns, .gc_ns)]' "$work/out")
        [[ $numbers == "[0,3000000000,4000000000,3000000000,0]" ]] || fail "stat $interval of $name: $numbers"
    done
    gives "$code" threads --json "$work/$name"
    [[ $(jq -c '[.gaps.lost_bytes, (.threads[0] | .running_ns, .unknown_ns)]' "$work/out") == "[54,4000000000,3000000000]" ]] ||
        fail "threads of $name: $(cat "$work/out")"
    gives "$code" sql --csv "$work/$name" "SELECT kind, end_ns, bytes FROM gaps_each"
    prints "lost,5000000000,54"
    gives "$code" show --no-header "$work/$name"
    prints "5000000000: cap 0: hectic: 54 damaged bytes were lost here"
done
# So have intervals that begin or end within what is lost.
for name in repaired damaged zeros; do
    code=$([[ $name == repaired ]] && echo 0 || echo 1)
    for interval in "1 4 [0,2000000000,1000000000,2000000000]" "3 4 [0,1000000000,0,1000000000]" "4 7 [0,1000000000,2000000000,1000000000]"; do
        read -r from to numbers <<<"$interval"
        gives "$code" stat --jsonl --from "${from}s" --to "${to}s" "$work/$name"
        found=$(jq -c '[.time.gc_ns // 0, .time.unrecorded_ns, (.caps[] | .running_ns, .unknown_ns)]' "$work/out")
        [[ $found == "$numbers" ]] || fail "stat --from $from --to $to of $name: $found"
        gives "$code" threads --json --from "${from}s" --to "${to}s" "$work/$name"
        found=$(jq -c '.threads[0] | [0, .unknown_ns, .running_ns, .unknown_ns]' "$work/out")
        [[ $found == "$numbers" ]] || fail "threads --from $from --to $to of $name: $found"
    done
done
# Repairing it again changes nothing.
gives 0 check --repair --force "$work/repaired" "$work/again"
same "$work/repaired" "$work/again"
gives 1 redact --force "$work/damaged" -o "$work/redacted"
gives 0 show --no-header "$work/redacted"
prints "5000000000: cap 0: hectic: 54 damaged bytes were lost here"

# What another cap did meanwhile is known. It runs a thread from 1 s to 2 s, and from 8 s on.
stop_thread() { # TIME
    event "$1" 2
    be 4 2
    be 2 2
    be 4 0
}
{
    log_header 18 14 1 4 2 10 16 65535 9 0 10 0 12 0
    block 1000000000 46 9000000000 1
    run_thread 1000000000 2
    stop_thread 2000000000
    run_thread 8000000000 2
    head -c 44 /dev/zero | tr '\0' '\356' | lost 0 | tail -c +"$((1 + $(log_header 0 4 18 14 1 4 16 65535 9 0 10 0 12 0 | wc -c)))"
} >"$work/others"
gives 1 check --repair --force "$work/others" "$work/repaired"
for name in repaired others; do
    code=$([[ $name == repaired ]] && echo 0 || echo 1)
    for interval in "" "--from 0"; do
        # shellcheck disable=SC2086 # words are meant
        gives "$code" stat --jsonl $interval "$work/$name"
        numbers=$(jq -c '[.caps[] | .running_ns, .unknown_ns, .idle_ns]' "$work/out")
        [[ $numbers == "[4000000000,3000000000,0,1000000000,0,6000000000]" ]] || fail "stat $interval of $name: $numbers"
    done
done

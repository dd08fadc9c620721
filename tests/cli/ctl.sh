#!/usr/bin/env bash
# Commands reach programs that do not answer, such as those with eventlog-socket; unreachable programs
# are reported. Programs that answer: see tests/haskell/hectic_eventlog.sh.
. tests/support/lib.bash
needs cc
for name in one_reader reader; do
    cc -O -o "$work/$name" "tests/programs/$name.c"
done
relays=()

has() { # TEXT: the bytes that the program received end with it
    for ((i = 0; i < 600; i++)); do
        [[ $(cat "$work/got") == *"$1" ]] && return
        sleep 0.1
    done
    fail "it got: $(cat "$work/got")"
}

"$work/one_reader" "$work/sock" "$logs/tiny.eventlog" >"$work/got" &
program=$!
for ((i = 0; i < 600; i++)); do
    [[ -S $work/sock ]] && break
    sleep 0.1
done
gives 0 ctl "unix:$work/sock" heap-census
says "sent; the program does not report whether it executed the command"
has "reader f09e978c000f6576656e746c6f672d736f636b657405"
gives 0 ctl "unix:$work/sock" custom my-app 7
has "reader f09e978c00066d792d61707007"

# Another reader is connected.
"$work/reader" unix "$work/sock" 20000 >"$work/other" &
reader=$!
has "reader "
gives 2 ctl "unix:$work/sock" heap-census
says "no log received: the program has not begun one, or it uses eventlog-socket and another client"

kill "$program"
wait "$program" "$reader" 2>/dev/null || true
gives 2 ctl "unix:$work/sock" heap-census
says "no program listens there"
gives 64 ctl "unix:$work/sock" heap-consensus
says "unknown command, or wrong number of operands: heap-consensus"

# Through a relay: ctl reports the program's answer, not the relay's acceptance. The program is
# another relay: first of a program that never answers, then of one that accepts no commands.
head -c -2 "$logs/tiny.eventlog" >"$work/begun"
"$work/one_reader" "$work/program" "$work/begun" >"$work/got" &
program=$!
relays() { # NAME SOURCE: serves it at $work/NAME
    "$HECTIC" relay --from "$2" --listen "unix:$work/$1" 2>"$work/$1.err" &
    relays+=($!)
    soon grep -qs "connected as" "$work/$1.err"
}
relays near "unix:$work/program"
relays far "unix:$work/near"
gives 0 ctl "unix:$work/far" custom my-app 8
says "sent; the program does not report whether it executed the command"
mkfifo "$work/fifo"
exec 3<>"$work/fifo"
cat "$work/begun" >&3
relays one-way "fifo:$work/fifo"
relays further "unix:$work/one-way"
refuses() { # unless the relays are too slow for the client
    "$HECTIC" ctl "unix:$work/further" custom my-app 9 2>"$work/err" || (($? == 1))
    grep -q "my-app 9: the program cannot receive commands now" "$work/err"
}
soon refuses
kill "${relays[@]}"
for relay in "${relays[@]}"; do
    wait "$relay" || fail "a relay ended with $?"
done
has "f09e978c00066d792d61707008"

#!/usr/bin/env bash
# Commands reach programs that do not answer, such as those with eventlog-socket; unreachable programs
# are reported. Programs that answer: see tests/haskell/hectic_eventlog.sh.
. tests/support/lib.bash
. tests/support/live.bash
needs cc
for name in one_reader reader; do
    cc -O -o "$work/$name" "tests/programs/$name.c"
done
relays=()

got() { # TEXT: the bytes that the program received end with it
    [[ $(cat "$work/got") == *"$1" ]]
}

"$work/one_reader" "$work/sock" "$logs/tiny.eventlog" >"$work/got" &
program=$!
soon test -S "$work/sock"
gives 0 ctl "unix:$work/sock" heap-census
says "sent; the program does not report whether it executed the command"
soon got "reader f09e978c000f6576656e746c6f672d736f636b657405"
gives 0 ctl "unix:$work/sock" custom my-app 7
soon got "reader f09e978c00066d792d61707007"

# Another reader is connected.
"$work/reader" unix "$work/sock" 20000 >"$work/other" &
reader=$!
soon got "reader "
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
serves() { # NAME SOURCE: at $work/NAME
    launch_relay "$1" --from "$2" --listen "unix:$work/$1"
    relays+=("$relay")
    soon file_has "$work/$1.err" "connected as"
}
serves near "unix:$work/program"
serves far "unix:$work/near"
gives 0 ctl "unix:$work/far" custom my-app 8
says "sent; the program does not report whether it executed the command"
mkfifo "$work/fifo"
exec 3<>"$work/fifo"
cat "$work/begun" >&3
serves one-way "fifo:$work/fifo"
serves further "unix:$work/one-way"
refuses() { # unless the relays are too slow for the client
    "$HECTIC" ctl "unix:$work/further" custom my-app 9 2>"$work/err" || (($? == 1))
    grep -q "my-app 9: the program cannot receive commands now" "$work/err"
}
soon refuses
for relay in "${relays[@]}"; do finish "$relay"; done
soon got "f09e978c00066d792d61707008"

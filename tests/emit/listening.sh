#!/usr/bin/env bash
# A C program that listens for readers (examples/monitored): hectic's verbs attach and detach, late
# readers get the state, and each log is complete; commands; the end; existing files at its path.
. tests/support/lib.bash
. tests/support/live.bash
. tests/support/monitored.bash

reads() { # NAME VERB…: in the background; what it prints is in $work/NAME
    local name=$1
    shift
    "$HECTIC" "$@" >"$work/$name" 2>"$work/$name.err" 3>&- &
    reader=$!
}

state_says() { # NAME TEXT
    echo state >&3
    grep -q "$2" "$work/$1.said"
}

good() { # LOG: it is whole and valid
    gives 0 check "$1"
    gives 0 info --json "$1"
    grep -q '"complete":true' "$work/out" || fail "$1 has no end"
    gives 0 validate all "$1"
    command -v ghc-events >/dev/null || return 0
    local machine
    for machine in threads threadpool threadrun tasks; do
        ghc-events validate $machine "$1" | grep '^Valid' >/dev/null || fail "ghc-events: $machine of $1 is invalid"
    done
}

socket=$work/socket
HECTIC_EVENTLOG=listen:unix:$socket begin listens --caps 3 --load 10
soon test -S "$socket"
[[ $(stat -c %a "$socket") == 600 ]] || fail "accessible to other users: mode $(stat -c %a "$socket")"

# Two readers at a time, one of which is killed; a late one, which gets the threads.
reads first copy "unix:$socket" "$work/first.eventlog"
first=$reader
reads killed inc "unix:$socket"
killed=$reader
soon grep -qs ': created cap' "$work/killed"
soon state_says listens "readers *2"
kill -KILL "$killed"
wait "$killed" 2>/dev/null || true
soon state_says listens "readers *1"
echo say before the late one >&3
reads watched watch "unix:$socket"
watching=$reader
soon grep -qs 'mut%' "$work/watched"
kill -INT "$watching"
wait "$watching" || true
reads late copy "unix:$socket" "$work/late.eventlog"
late=$reader
soon state_says listens "readers *2"

# Commands.
refused() { # COMMAND…
    gives 1 ctl "unix:$socket" "$@"
}
gives 0 ctl "unix:$socket" flush
gives 0 ctl "unix:$socket" classes -- -s
state_says listens .
soon state_says listens "classes *process gc"
gives 0 ctl "unix:$socket" stop-logging
soon state_says listens "logging *off"
echo load 3 >&3
gives 0 ctl "unix:$socket" start-logging
gives 0 ctl "unix:$socket" classes s
soon state_says listens "logging *on"
soon state_says listens "classes *process scheduler gc"
refused heap-census
says "this program has no profiler of GHC's runtime"
refused classes -- -c
says "always on"
refused custom my-app 3
says "this program has no such command"

# The end.
echo say the last words >&3
echo quit >&3
ended listens
ends "$first"
ends "$late"
[[ ! -e $socket ]] || fail "the socket was not removed"
for log in first late; do
    good "$work/$log.eventlog"
    "$HECTIC" inc --no-header "$work/$log.eventlog" >"$work/$log.text"
    grep -q ': the last words$' "$work/$log.text" || fail "$log: the end is missing"
    grep -q 'hectic: logging is off from here' "$work/$log.text" || fail "$log: nothing of stop-logging"
    grep -q ' has label "main"' "$work/$log.text" || fail "$log: no state"
    grep -q 'hectic: hectic' "$work/$log.text" && fail "$log: an answer to another client"
done

# A port chosen by the system; the log is redirected there, and away.
begin tcp "$work/before.eventlog"
echo redirect listen:tcp:127.0.0.1:0 >&3
soon state_says tcp "readers *0, at port"
port=$(sed -n 's/.*at port //p' "$work/tcp.said" | tail -1)
reads tcp copy "tcp:127.0.0.1:$port" "$work/tcp.eventlog"
reader_of_tcp=$reader
soon state_says tcp "readers *1"
echo say by TCP >&3
gives 0 ctl "tcp:127.0.0.1:$port" flush
echo "redirect $work/after.eventlog" >&3
wait "$reader_of_tcp" || fail "the reader by TCP: exit code $?"
gives 2 ctl "tcp:127.0.0.1:$port" flush
echo quit >&3
ended tcp
for log in before tcp after; do good "$work/$log.eventlog"; done
"$HECTIC" inc "$work/tcp.eventlog" | grep ': by TCP$' >/dev/null || fail "a message is lost"

# A relay receives the log and passes commands to the program.
begin relayed "listen:unix:$socket"
soon test -S "$socket"
launch_relay relay --from "unix:$socket" --listen "unix:$work/relay"
soon test -S "$work/relay"
gives_soon() {
    "$HECTIC" ctl "unix:$work/relay" stop-logging 2>"$work/err"
}
soon gives_soon
soon state_says relayed "logging *off"
echo quit >&3
ended relayed
kill "$relay"
wait "$relay" || true

# Existing files and sockets.
cannot() { # TEXT DESTINATION
    local code=0
    "$monitored" "$2" </dev/null >"$work/out" 2>"$work/err" || code=$?
    [[ $code == 2 ]] || fail "$2: exit code $code"
    says "$1"
}
touch "$work/file"
begin holder "listen:unix:$socket"
soon test -S "$socket"
cannot "Address already in use" "listen:unix:$socket"
cannot "File exists" "listen:unix:$work/file"
cannot "No such file or directory" "listen:unix:$work/nowhere/socket"
kill -KILL "$program"
wait "$program" 2>/dev/null || true
exec 3>&-
[[ -S $socket ]] || fail "the killed program has left no socket"
echo quit | "$monitored" "listen:unix:$socket" >"$work/out" 2>&1 || fail "a dead program's socket is in the way"

#!/usr/bin/env bash
# Real Haskell programs serve their eventlog with the package hectic-eventlog: to readers that attach
# and detach at any time; from the first event on; and execute commands.
. tests/support/haskell.bash
needs python3
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
program=
end() {
    [[ -z $program ]] || kill -9 "$program"
    wait 2>/dev/null || true
    program=
}

# --- The programs: Live has its main in Haskell, steady in C

build() { # NAME GHC-ARGUMENT…
    compile_emitting "$1" -threaded "${@:2}"
}
build live ghc/examples/Live.hs -rtsopts -with-rtsopts=-l
build steady tests/programs/steady.hs ghc/examples/main.c -no-hs-main
cc -O -o "$work/reader" tests/programs/reader.c
cd "$work"

start() { # PROGRAM ARGUMENT…, in the background
    local name=$1
    shift
    "./$name" "$@" 2>said &
    program=$!
}
reads() { # as the program reader
    ./reader "$@" || fail "no listener at $2"
}
contains() { # LOG TEXT: by now
    "$HECTIC" inc "$1" 2>/dev/null | grep -- "$2" >"$work/found"
}
says_soon() { # TEXT PROGRAM…: waits until it prints the text, and checks that it runs
    rm -f said
    "${@:2}" 2>said &
    local other=$!
    soon grep -qs -- "$1" said
    kill -0 "$other" || fail "$2 has ended"
    kill -9 "$other"
    wait "$other" 2>/dev/null || true
}
is_sound() { # LOG: it decodes, and has events of the process and of threads
    "$HECTIC" check "$1" >out 2>&1 || fail "$1: $(cat out)"
    "$HECTIC" inc "$1" >"$1.txt"
    grep -q 'RTS version "GHC-' "$1.txt" || fail "$1 does not name its runtime"
    grep -q "running thread" "$1.txt" || fail "$1 has no thread"
    "$HECTIC" validate all "$1" >out 2>&1 || fail "$1: $(cat out)"
    if command -v ghc-events >/dev/null; then
        for verb in inc show; do
            ghc-events $verb "$1" >"$1.ghc" 2>&1 || fail "ghc-events $verb: $1: $(tail -1 "$1.ghc")"
        done
    fi
}
ctl() { # CODE ARGUMENT…
    local wanted=$1 code=0
    shift
    "$HECTIC" ctl unix:sock "$@" >out 2>err || code=$?
    [[ $code == "$wanted" ]] || fail "ctl $*: exit code $code; $(cat err)"
}

# --- From the first event on: a reader gets the same as a file. Heap sizes depend on the length of
# the environment; and GHC 9.0 sometimes exits without logging all of its end.

what_happened() { # LOG
    "$HECTIC" inc "$1" | sed -E 's/^[0-9]+: //; s/0x[0-9a-f]+/T/; s/(OS kernel thread|pid) [0-9]+/\1/
        /wall clock|event block|GC stats|allocated on heap|live data/d' | sort
}
what_was_done() { # LOG: with two caps, the assignment of work to threads is random
    what_happened "$1" | sed -E 's/^cap [0-9]+: //' |
        grep -E '^((message|worker|marker:|creating thread|capset) |[a-z]+ caps?)' | sort
}
gets_what_a_file_gets() { # FUNCTION FLAG…
    local what=$1 try
    shift
    for ((try = 0; try < 10; try++)); do
        ./steady +RTS -l -V0 "$@"
        GHC_EVENTLOG_UNIX_PATH=sock GHC_EVENTLOG_WAIT=1 HECTIC_EVENTLOG_FLUSH_MS=0 start steady \
            +RTS -l -V0 "$@"
        reads unix sock 0 >served.eventlog
        wait "$program"
        program=
        $what steady.eventlog >file.txt
        $what served.eventlog >served.txt
        cmp -s file.txt served.txt && return
    done
    fail "not what a file gets: $(diff file.txt served.txt | head -5)"
}
gets_what_a_file_gets what_was_done -N2
[[ $(grep -c "message" served.txt) == 40000 ]] || fail "messages are missing"
gets_what_a_file_gets what_happened
grep -q "message 40000" served.txt || fail "the program's last message is missing"
[[ $("$HECTIC" check served.eventlog) == *": sound:"* ]] || fail "not sound to its end"
[[ ! -e sock ]] || fail "the socket's file was left"

# --- A reader that attaches late, detaches and attaches again; and one that stays attached

export GHC_EVENTLOG_UNIX_PATH=sock HECTIC_EVENTLOG_FLUSH_MS=100
start live +RTS -N2 -hT -i100
soon test -S sock
ctl 0 flush # what it has logged before is kept for no reader
./reader unix sock 0 >always.eventlog &
always=$!
reads unix sock 1000 >once.eventlog
reads unix sock 1000 >again.eventlog

# --- Commands

ctl 0 flush
ctl 0 heap-census
ctl 0 custom live 1
ctl 0 stop-heap-profile
ctl 0 start-heap-profile
ctl 1 start-profile
grep -qx "hectic: start-profile: the program must be compiled with -prof" err || fail "$(cat err)"
ctl 1 classes I
grep -qx "hectic: classes I: this GHC cannot switch info tables.*setTraceFlag.*" err || fail "$(cat err)"
ctl 1 custom live 2
ctl 1 custom hectic 24
grep -qx "hectic: custom hectic 24: this program has no such command" err || fail "$(cat err)"
soon contains always.eventlog "live: hello" # the custom command was obeyed
soon contains always.eventlog "start heap prof sample"
kill "$always"
wait "$always"
for log in always once again; do
    is_sound $log.eventlog
done
grep -q "start heap prof sample" once.eventlog.txt && fail "there was a census before"

# --- Through a relay; and an incremental reader

"$HECTIC" relay --quiet --from unix:sock --listen unix:relayed &
relay=$!
reads unix relayed 2000 >relayed.eventlog
for command in flush heap-census; do
    "$HECTIC" ctl unix:relayed $command >out 2>err || fail "through a relay: $command: $(cat err)"
done
refused() { # the program's answer is reported
    ! "$HECTIC" ctl unix:relayed start-profile >out 2>err && grep -q "compiled with -prof" err
}
soon refused
kill "$relay"
wait "$relay" || fail "the relay ended with $?"
is_sound relayed.eventlog
if command -v ghc-events >/dev/null; then
    reads unix sock 1000 | ghc-events inc /dev/stdin >taken.txt 2>&1 || fail "$(tail -1 taken.txt)"
    grep -q "creating thread" taken.txt || fail "ghc-events got nothing from the socket"
fi

# --- Sockets of running and of ended programs

says_soon "another running program listens there" ./live
end
[[ -S sock ]] || fail "the test is wrong"
start live
reads unix sock 500 >replaced.eventlog
is_sound replaced.eventlog
end

# The Haskell main waits for a reader, too, before any output.
rm sock
GHC_EVENTLOG_WAIT='' start live
soon test -S sock
sleep 0.3 # it does nothing in this time
reads unix sock 1000 >waited.eventlog
end
is_sound waited.eventlog
first=$(grep -m 1 ": sum 1$" waited.eventlog.txt) || fail "its first message is missing"
((${first%%:*} >= 300000000)) || fail "it did not wait: $first"

long=$(printf '/%0120d' 0)
GHC_EVENTLOG_UNIX_PATH=$long says_soon "the system allows 107: choose a shorter path" ./live

# --- TCP

unset GHC_EVENTLOG_UNIX_PATH
port=$((20000 + RANDOM % 10000))
GHC_EVENTLOG_INET_HOST=127.0.0.1 GHC_EVENTLOG_INET_PORT=$port start live
reads tcp 127.0.0.1 $port 1000 >tcp.eventlog
is_sound tcp.eventlog
GHC_EVENTLOG_INET_HOST=127.0.0.1 GHC_EVENTLOG_INET_PORT=$port says_soon "choose another port" ./live
end
GHC_EVENTLOG_INET_PORT=$port start live
reads tcp 127.0.0.1 $port 500 >local.eventlog
is_sound local.eventlog
end
GHC_EVENTLOG_INET_HOST=127.0.0.1 says_soon "GHC_EVENTLOG_INET_HOST is set without GHC_EVENTLOG_INET_PORT: set" ./live

# Sizes have units; another value is reported on one line, and the default is used.
for value in abc -1 16X 99999999999999999999 1.5M; do
    for name in KEEP STATE FLUSH_MS; do
        GHC_EVENTLOG_INET_PORT=$port says_soon "hectic: HECTIC_EVENTLOG_$name=\"$value\" is invalid: expected " \
            env "HECTIC_EVENTLOG_$name=$value" ./live
    done
done
for name in KEEP STATE; do
    GHC_EVENTLOG_INET_PORT=$port says_soon "hectic: HECTIC_EVENTLOG_$name=\"0\" is invalid: expected " \
        env "HECTIC_EVENTLOG_$name=0" ./live
done
HECTIC_EVENTLOG_FLUSH_MS=1k GHC_EVENTLOG_INET_PORT=$port says_soon "expected milliseconds, such as 1000" ./live
HECTIC_EVENTLOG_KEEP=8Mi HECTIC_EVENTLOG_STATE=100MB GHC_EVENTLOG_INET_PORT=$port start live
reads tcp 127.0.0.1 $port 500 >units.eventlog
is_sound units.eventlog
end
[[ ! -s said ]] || fail "sizes with units: $(cat said)"

# To a relay that requires a token, as on another host.
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >token
"$HECTIC" relay --from listen:tcp:127.0.0.1:0 --token-file token --listen unix:relayed 2>relay.err &
relay=$!
soon grep -q "port " relay.err
port=$(sed -n 's/.*port //p' relay.err)
HECTIC_EVENTLOG=tcp:127.0.0.1:$port,token-file=nowhere says_soon "nowhere: No such file" ./live
HECTIC_EVENTLOG=tcp:127.0.0.1:$port,token-file=token start live
soon grep -q "connected as live" relay.err
kill "$relay"
wait "$relay" || fail "the relay ended with $?"
end

# --- A destination to write to; no destination; logging disabled

HECTIC_EVENTLOG=$work/written.eventlog start live
soon contains written.eventlog "running thread"
# Since a flush, and not for long: the next one comes after 100 ms.
python3 - written.eventlog <<'END' || fail "it never rests"
import os, sys, time, waiting
def rests():
    size = os.path.getsize(sys.argv[1])
    time.sleep(0.02)
    return os.path.getsize(sys.argv[1]) == size
waiting.soon(rests, "it never rests")
END
end
is_sound written.eventlog
timeout 2 ./live 2>said || true
[[ ! -s said ]] || fail "without settings in the environment: $(cat said)"
build silent ghc/examples/Live.hs
GHC_EVENTLOG_UNIX_PATH=sock says_soon "start the program with +RTS -l" ./silent

# --- Controlled by the program itself

steer() { # PROGRAM
    ./"$1" "$work/one.eventlog" "$work/two.eventlog" "$work/three.eventlog" >said 2>&1 ||
        fail "$(cat said)"
    {
        echo "not started: call start first"
        echo "already started: setDestination changes the destination"
        echo 'invalid destination "listen:nowhere": expected listen:unix:PATH, listen:tcp:HOST:PORT,' \
            'unix:PATH, tcp:HOST:PORT, fifo:PATH, file:PATH, fd:N'
        echo "start the program with a kind of heap profile, such as +RTS -hT"
        echo "this GHC cannot switch info tables: that needs setTraceFlag, which came after GHC 9.14"
        echo "this namespace is reserved: choose another, such as the package's name"
    } >wanted
    diff wanted said || fail "other messages"
    for log in one two three; do
        is_sound $log.eventlog
        local state=": sound:"
        [[ $log != three ]] || state=": sound, with gaps:" # it was stopped before
        [[ $("$HECTIC" check $log.eventlog) == *"$state"* ]] || fail "$log: $("$HECTIC" check $log.eventlog)"
        grep -q ": $log\$" $log.eventlog.txt || fail "$log is not in its log"
    done
    grep -q ": before$" one.eventlog.txt || fail "an earlier event is missing"
    [[ $(grep -Ec ': (one|two|three)$' one.eventlog.txt) == 1 ]] || fail "a log has events of another one"
    ! grep -q "nobody hears" ./*.txt || fail "it was not stopped"
}
build steered tests/programs/steered.hs -with-rtsopts=-l
compile_emitting alone tests/programs/steered.hs -with-rtsopts=-l
steer steered
steer alone

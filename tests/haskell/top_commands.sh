#!/usr/bin/env bash
# The keys of hectic top that send commands, with a real Haskell program.
. tests/support/lib.bash
needs ghc
needs tmux
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
terminal() {
    tmux -S "$work/tmux" -f /dev/null "$@"
}
end() {
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>"$work/null" || true
    terminal kill-server 2>"$work/null" || true
    rm -rf "$work"
}
trap end EXIT

read -ra libraries < <(PKG_CONFIG_PATH=$HECTIC_BUILD pkg-config --static --libs-only-l hectic)
ghc -v0 -threaded -eventlog -rtsopts -outputdir "$work/objects" -ighc/src -Ighc/include -Ighc/cbits \
    -Iinclude -I"$HECTIC_BUILD/include" -o "$work/live" ghc/examples/Live.hs ghc/cbits/*.c \
    -L"$HECTIC_BUILD" "${libraries[@]/-lhectic/-l:libhectic.a}" >"$work/ghc.out" 2>&1 ||
    fail "ghc: $(cat "$work/ghc.out")"
cd "$work"

# eventually COMMAND…: succeeds within a minute.
eventually() {
    for _ in $(seq 1200); do
        "$@" && return
        sleep 0.05
    done
    fail "in vain: $*; $(terminal capture-pane -p)"
}
shows() {
    terminal capture-pane -p | grep -qE -- "$1"
}
lacks() {
    ! shows "$1"
}
# send KEY ANSWER
send() {
    terminal send-keys c
    eventually shows '^send: h heap census  s S heap profile on, off  p P time profile  f flush'
    terminal send-keys "$1"
    eventually shows "^$2"
}
samples() {
    grep -c 'start heap prof sample' log || true
}
more_samples() {
    (($(samples) > $1))
}

# Its first periodic census would be after 1000 s.
GHC_EVENTLOG_UNIX_PATH=sock HECTIC_EVENTLOG_FLUSH_MS=100 ./live +RTS -l -hT -i1000 >said 2>&1 &
eventually test -S sock
"$HECTIC" inc unix:sock >log 2>notes &
terminal new-session -d -x 80 -y 24 "'$HECTIC' top unix:sock"
eventually shows '^ live  pid [0-9]+  up'
more_samples 0 && fail "there was a census already"
send h 'heap census: done'
eventually shows '^heap profile .*messages'
eventually shows '^ +[0-9.]+K [↗→↘] (ARR_WORDS|STACK|MUT_ARR)'
eventually more_samples 0
send S 'heap profile off: done'
send s 'heap profile on: done'
send p 'time profile on: .*compiled with -prof'
send P 'time profile off: '
send f 'flush: done'
eventually shows '^q quit'
terminal send-keys c x
eventually lacks '^send: '
lacks '^sent: ' || fail "any key sends something"
terminal send-keys q
is_over() {
    ! terminal has-session 2>"$work/null"
}
eventually is_over

#!/usr/bin/env bash
# The keys of hectic top that send commands, with a real Haskell program.
. tests/support/haskell.bash
. tests/support/live.bash
needs tmux
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
end() {
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>"$work/null" || true
    end_terminal
    rm -rf "$work"
}
trap end EXIT

compile_emitting live -threaded -rtsopts -with-rtsopts=-l ghc/examples/Live.hs
cd "$work"

evidence() {
    cat "$work/screen"
}
# send KEY ANSWER
send() {
    keys c
    shows '^send: h heap census  s S heap profile on, off  p P time profile  f flush'
    keys "$1"
    shows "^$2"
}
samples() {
    grep -c 'start heap prof sample' log || true
}
more_samples() {
    (($(samples) > $1))
}

# Its first periodic census would be after 1000 s.
GHC_EVENTLOG_UNIX_PATH=sock HECTIC_EVENTLOG_FLUSH_MS=100 ./live +RTS -l -hT -i1000 >said 2>&1 &
soon test -S sock
"$HECTIC" inc unix:sock >log 2>notes &
terminal new-session -d -x 80 -y 24 "'$HECTIC' top unix:sock"
shows '^ live  pid [0-9]+  up'
more_samples 0 && fail "there was a census already"
send h 'heap census: done'
shows '^heap profile .*messages'
shows '^ +[0-9.]+K [↗→↘] (ARR_WORDS|STACK|MUT_ARR)'
soon more_samples 0
send S 'heap profile off: done'
send s 'heap profile on: done'
send p 'time profile on: .*compiled with -prof'
send P 'time profile off: '
send f 'flush: done'
shows '^q quit'
keys c x
lacks '^send: '
screen_lacks '^sent: ' || fail "any key sends something"
keys q
is_over() {
    ! terminal has-session 2>"$work/null"
}
soon is_over

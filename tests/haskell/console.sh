#!/usr/bin/env bash
# ghc/examples/Live.hs is controlled by commands on standard input while it runs: classes, logging, where the log
# goes, flushing, censuses.
. tests/support/haskell.bash
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
compile_emitting live -threaded -rtsopts -with-rtsopts=-l ghc/examples/Live.hs
cd "$work"
mkfifo commands
HECTIC_EVENTLOG=file:first.eventlog HECTIC_EVENTLOG_FLUSH_MS=100 ./live +RTS -N2 -hT -i100 <commands >said 2>err &
program=$!
exec 3>commands
tell() { # COMMAND: and waits until it was executed
    local before
    before=$(wc -l <said)
    echo "$*" >&3
    soon was_done "$before" "$*"
}
was_done() {
    tail -n "+$(($1 + 1))" said | grep -qxF "done: $2"
}
evidence() {
    echo "said: $(tail -3 said); err: $(cat err)"
}
refused() { # TEXT COMMAND
    : >err
    echo "${*:2}" >&3
    soon grep -qF -- "$1" err
}
count() { # LOG TEXT
    "$HECTIC" inc "$1" 2>/dev/null | grep -c -- "$2" || true
}

tell help
grep -q '^class NAME on|off ' said || fail "help: $(cat said)"
[[ $(wc -L <said) -le 80 ]] || fail "help is wider than 80 columns"
tell class
grep -q '^scheduler gc ' said || fail "class: $(cat said)"
tell say in the first log
tell class scheduler off
tell say without threads
tell class scheduler on
tell off
tell say nobody hears this
tell on
tell census
refused "no such command" "class scheduler maybe"
refused "no such command" nonsense
refused "no class is named x" "class x on"
refused "must be compiled with -prof" "profile on"
tell to file:second.eventlog
tell mark in the second log
tell flush-every 0
tell replay
tell flush
tell to listen:unix:socket
"$HECTIC" inc --match "served" --limit 1 unix:socket >served 2>/dev/null &
reader=$!
until grep -qs served served; do
    kill -0 "$program" || fail "the program has ended: $(cat err)"
    tell say served
    tell flush
done
wait "$reader"
tell stop
tell start file:third.eventlog
tell say in the third log
echo quit >&3
exec 3>&-
wait "$program" || fail "exit code $?: $(cat err)"

for log in first second third; do
    gives 0 check $log.eventlog
done
[[ $(count first.eventlog ": in the first log") == 1 ]] || fail "the first log has another text"
[[ $(count second.eventlog ": in the first log") == 0 ]] || fail "the second log has it, too"
[[ $(count second.eventlog "marker: in the second log") == 1 ]] || fail "the second log has no marker"
[[ $(count third.eventlog ": in the third log") == 1 ]] || fail "the third log has another text"
[[ $(count first.eventlog "nobody hears this") == 0 ]] || fail "a message was logged while logging was off"
[[ $(count first.eventlog "start heap prof sample") -ge 1 ]] || fail "there was no census"
[[ $("$HECTIC" inc --no-header --event SYNC second.eventlog | wc -l) -ge 1 ]] || fail "there was no replay"
"$HECTIC" inc first.eventlog >first.txt
grep -q "logging of scheduler is off from here" first.txt || fail "no gap: $(grep hectic first.txt | head -3)"

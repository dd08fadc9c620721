#!/usr/bin/env bash
# Real Haskell programs switch logging and classes of events off and on, by themselves and by
# `hectic ctl`: afterwards readers have the correct live threads, and no log has events from
# meanwhile.
. tests/support/haskell.bash
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
cc -O -o "$work/reader" tests/programs/reader.c
cd "$work"
# No event may be dropped for a reader that is delayed by a busy machine.
export HECTIC_EVENTLOG_FLUSH_MS=100 HECTIC_EVENTLOG_KEEP=1000000000

# --- A program controlled by lines on stdin

begin() { # PROGRAM ARGUMENT…
    rm -f sock ./*.eventlog
    coproc program { exec "./$1" "${@:2}" 2>program.err; }
    [[ ! -v GHC_EVENTLOG_UNIX_PATH && ! -v HECTIC_EVENTLOG ]] || soon test -S sock
}
end() {
    local code=0 pid=${program_PID:?}
    eval "exec ${program[1]}>&-"
    wait "$pid" || code=$?
    ((code == 0)) || fail "the program ended with $code: $(cat program.err)"
    [[ ! -s program.err ]] || fail "the program printed: $(head -3 program.err)"
}
tell() { # WORD…: sends a command and waits for its completion
    local answer
    echo "$*" >&"${program[1]}"
    read -r -t 60 answer <&"${program[0]}" || fail "no answer to: $*; $(cat program.err)"
    [[ $answer == "${wanted:-done}" ]] || fail "$*: $answer"
}
refuses() { # TEXT WORD…
    wanted=$1 tell "${@:2}"
}
# ctl ARGUMENT…: while the program works: without -threaded it waits for its collections.
ctl() {
    rm -f code
    {
        "$HECTIC" ctl unix:sock "$@" 2>ctl.err && echo 0 >code || echo $? >code
    } &
    local asker=$!
    works_until_answered() {
        [[ -s code ]] || { tell busy 200 && false; }
    }
    soon works_until_answered
    wait $asker
    [[ $(cat code) == "${wanted_code:-0}" ]] || fail "ctl $*: exit code $(cat code); $(cat ctl.err)"
}
is_refused() { # TEXT ARGUMENT…
    wanted_code=1 ctl "${@:2}"
    grep -qF -- "$1" ctl.err || fail "ctl ${*:2}: $(cat ctl.err)"
}

# --- Contents of logs

column() { # NAME
    awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} NR > 1 {print $at[name]}' csv
}
threads() { # LOG
    "$HECTIC" threads --csv "$1" >csv
}
alive() { # LOG: the labels of the threads that are alive at its end, "-" where there is none
    threads "$1"
    paste -d, <(column ended_ns) <(column label) | sed -n 's/^,$/-/p; s/^,//p'
}
is_sound() { # LOG
    "$HECTIC" check "$1" >out || fail "$1: $(cat out)"
    "$HECTIC" inc "$1" >"$1.txt"
    "$HECTIC" validate all "$1" >out || fail "$1: $(cat out)"
}
has() { # LOG TEXT
    grep -q -- "$2" "$1.txt" || fail "$1 has no \"$2\""
}
lacks() { # LOG TEXT
    ! grep -q -- "$2" "$1.txt" || fail "$1 has \"$2\""
}
# between LOG OFF ON PATTERN: counts such events between these messages, by time.
between() {
    "$HECTIC" show --no-header "$1" | sed -n "/$2/,/$3/p" | sed '1d;$d' | grep -cE "$4" || true
}
off=" is off from here" on=" is on from here; it was off since"
own='(creating|running|stopping|waking up|migrating) thread|GC|message|heap'

# --- Classes, logging, destinations

switch() { # PROGRAM ARGUMENT…
    local count
    export "${place:-GHC_EVENTLOG_UNIX_PATH=sock}"
    begin "$@"
    ./reader unix sock 0 >always.eventlog &
    local reader=$!
    soon test -s always.eventlog
    tell start stays
    tell start ends
    tell busy 50
    ctl classes -- -s
    tell end ends
    tell start begins
    tell start brief
    tell end brief
    ctl classes s
    tell class 1 False # GC
    tell busy 300
    tell class 1 True
    ctl stop-logging
    is_refused "logging is off" classes u
    tell say unheard
    tell end begins
    tell start later
    ctl start-logging
    tell say heard
    ctl stop-logging # off and on twice, and requested once more
    ctl stop-logging
    ctl start-logging
    tell flush
    soon reads_now ': heard$' always.eventlog
    ./reader unix sock 700 >late.eventlog
    end
    wait "$reader"
    is_sound always.eventlog
    is_sound late.eventlog
    has always.eventlog "logging of scheduler$off"
    has always.eventlog "logging of scheduler$on"
    has always.eventlog "logging of gc$on"
    (($(grep -c "hectic: logging$on" always.eventlog.txt) == 2)) || fail "messages are missing"
    lacks always.eventlog unheard
    lacks late.eventlog unheard
    count=$(between always.eventlog "hectic: logging$off" "hectic: logging$on" "$own")
    ((count == 0)) || fail "$count events were logged while logging was off"
    count=$(between always.eventlog "scheduler events$off" "scheduler events$on" "(running|creating) thread")
    ((count == 0)) || fail "$count scheduler events were logged while they were off"
    count=$(between always.eventlog "GC events$off" "GC events$on" "GC (working|idle|done|stats)|(starting|finished) GC")
    ((count == 0)) || fail "$count events of collections came while they were off"
    # Live threads are those of the runtime, and those started here; a late reader gets the same.
    alive late.eventlog >late
    alive always.eventlog >always
    cmp <(sort late) <(sort always) || fail "$(diff late always)"
    (($(wc -l <late) <= 12)) || fail "$(wc -l <late) threads still live"
    grep -qx stays late || fail "a thread is lost: $(cat late)"
    ! grep -qxE "ends|brief" late || fail "a thread that has ended still lives: $(cat late)"
    unset GHC_EVENTLOG_UNIX_PATH HECTIC_EVENTLOG
}
reads_now() { # TEXT LOG
    "$HECTIC" inc "$2" 2>/dev/null | grep -- "$1" >out
}

# Destinations: earlier events go to the first one; events while stopped go to none.
move() { # PROGRAM ARGUMENT…
    begin "$@"
    tell at "file:$work/one.eventlog"
    tell start stays
    tell start ends
    tell say one
    tell move "file:$work/two.eventlog"
    tell say two
    tell stop
    tell say unheard
    tell end ends
    tell start begins
    tell busy 20000 # more than the runtime's buffers hold
    tell at "file:$work/three.eventlog"
    tell say three
    tell stop
    refuses "logging is off: start it first" class 5 True
    end
    local log
    for log in one two three; do
        is_sound $log.eventlog
        has $log.eventlog ": $log\$"
        lacks $log.eventlog unheard
        (($(grep -cE ': (one|two|three)$' $log.eventlog.txt) == 1)) || fail "a log has events of another one"
    done
    alive three.eventlog >late
    (($(wc -l <csv) < 100)) || fail "threads of the interval between the logs are in the next log"
    grep -qx stays late || fail "a thread is lost: $(cat late)"
    ! grep -qx ends late || fail "a thread that has ended lives in the next log: $(cat late)"
}

compile_emitting threaded -threaded -rtsopts tests/programs/switched.hs
switch threaded +RTS -l -N4
move threaded +RTS -l -N4
compile_emitting alone -rtsopts tests/programs/switched.hs
switch alone +RTS -l
move alone +RTS -l
compile_emitting debugged -debug -threaded -rtsopts tests/programs/switched.hs
place=HECTIC_EVENTLOG=listen:unix:sock switch debugged +RTS -l -N4
grep -q 'has label "begins"' always.eventlog.txt || fail "labels known to the runtime are missing"
switch threaded +RTS -l -N2 --nonmoving-gc -A1m

# --- A shared runtime does not export all needed symbols, and the error says so; a main in C helps

compile_emitting shared -dynamic -threaded -rtsopts tests/programs/switched.hs
export GHC_EVENTLOG_UNIX_PATH=sock
begin shared +RTS -l -N2
is_refused "classes -s: this program's runtime has no setTraceFlag, which came after GHC 9.14, and hides TRACE_sched" classes -- -s
is_refused "stop-logging: this requires a program linked statically, or with a main in C" stop-logging
end
compile_emitting shared_c -dynamic -threaded -no-hs-main ghc/examples/main.c tests/programs/switched.hs
begin shared_c +RTS -l -N2
./reader unix sock 0 >c.eventlog &
reader=$!
soon test -s c.eventlog
tell start ends
is_refused "hides TRACE_gc" classes -- -g
ctl classes -- -u
tell say unheard
ctl classes u
ctl stop-logging
tell end ends
tell say unheard
ctl start-logging
end
wait $reader
unset GHC_EVENTLOG_UNIX_PATH
is_sound c.eventlog
lacks c.eventlog unheard
! alive c.eventlog | grep -x ends >/dev/null || fail "a thread that has ended lives for ever"

# --- Eight threads on four caps, and everything at random moments

messages() {
    for log in random.*.eventlog; do
        "$HECTIC" inc "$log" | grep -oE ': [0-7] [0-9]+$' || true
    done | sort
}
at_random() { # on|off SEED
    echo "restless $*"
    rm -f random.*
    ./restless random "$1" 200 "$2" +RTS -l -N4 >counts 2>program.err || fail "it ended with $?: $(cat program.err)"
    [[ ! -s program.err ]] || fail "the program printed: $(head -3 program.err)"
    for log in random.*.eventlog; do
        "$HECTIC" check "$log" >out || fail "$log: $(cat out)"
        for kind in threads threadrun threadpool gc; do
            "$HECTIC" validate $kind "$log" >out || fail "$log: $(head -3 out)"
        done
    done
    messages >all
    sort -u all | cmp - all || fail "a message is in two logs"
}
compile_emitting restless -threaded -rtsopts tests/programs/restless.hs
for _ in 1 2 3; do
    at_random on $RANDOM
    for worker in {0..7}; do
        grep -c ": $worker " all
    done | paste -sd' ' | cmp - counts || fail "messages are missing"
    at_random off $RANDOM
done

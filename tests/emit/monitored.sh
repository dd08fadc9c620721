#!/usr/bin/env bash
# examples/monitored.c: controls a logging program, with files, FIFOs, sockets and the ring, from a
# script, a pipe and a terminal.
. tests/support/lib.bash
. tests/support/monitored.bash

# play NAME OPTION…: runs it with the commands on stdin; its output is in $work/NAME.said.
play() {
    local name=$1
    shift
    cat >"$work/$name.commands"
    timeout -k 30 600 "$monitored" --script "$work/$name.commands" "$@" >"$work/$name.said" 2>&1 ||
        fail "$name: exit code $?: $(tail -3 "$work/$name.said")"
}

said() { # NAME TEXT
    grep -qF -- "$2" "$work/$1.said" || fail "$1 has not printed \"$2\", but: $(cat "$work/$1.said")"
}

events_of() { # LOG NAME…: how many of those
    local log=$1
    shift
    "$HECTIC" inc --no-header "${@/#/--event=}" "$log" 2>/dev/null | grep -c '^[0-9]*: ' || true
}

holds() { # LOG MESSAGE
    (($("$HECTIC" inc --no-header "$1" | grep -c ": $2\$") > 0)) || fail "$1 does not hold \"$2\""
}

good() { # LOG: it is whole, and its events do not contradict each other
    gives 0 check "$1"
    gives 0 info --json "$1"
    grep -q '"complete":true' "$work/out" || fail "$1 has no end: $(cat "$work/out")"
    gives 0 validate all "$1"
    command -v ghc-events >/dev/null || return 0
    local machine
    for machine in threads threadpool threadrun taskpool tasks sparks; do
        ghc-events validate $machine "$1" >"$work/verdict" || fail "ghc-events cannot read $1"
        grep -q '^Valid' "$work/verdict" || fail "ghc-events finds $machine of $1 invalid"
    done
}

shows() { # FILE TEXT: soon
    soon grep -qas -- "$2" "$1"
}

# A file: the log is valid and matches the output.
tells_of() { # NAME OF EVENT
    (($(events_of "$work/plain.eventlog" "$1") > 0))
}
tells_spans() {
    [[ $("$HECTIC" spans --json "$work/plain.eventlog" 2>/dev/null) == *'"label":"lookup"'* ]]
}
begin plain --caps 3 "$work/plain.eventlog"
for what in CREATE_THREAD THREAD_LABEL RUN_THREAD MIGRATE_THREAD THREAD_WAKEUP GC_STATS_GHC HEAP_LIVE \
    HEAP_PROF_SAMPLE_STRING SPARK_RUN USER_MSG USER_MARKER TASK_CREATE SPARK_COUNTERS; do
    soon tells_of $what
done
soon tells_spans
echo quit >&3
ended plain
good "$work/plain.eventlog"
play short --seconds 1 "$work/short.eventlog" </dev/null
good "$work/short.eventlog"

# All commands. Classes that are off are not logged; the missed changes are logged later.
play commands --load 20 "$work/first.eventlog" <<END
help
state
wait 200
off
say nobody hears this
wait 200
on
say logging again
wait 200
classes -s
say without threads
wait 1000
say with threads
classes +s -gp
say without collections
wait 200
classes +a
heap 50
sync
flush
buffer 70000
flush-every 20
sync-every 50
wait 300
heap 0
load 2
redirect $work/second.eventlog
say to the second
wait 200
redirect ring
say into the ring
wait 200
dump $work/ring.eventlog
dump $work/ring-again.eventlog
redirect unix:$work/nobody
state
redirect $work/nowhere/log
redirect tcp:nowhere
classes +q
load many
nonsense
redirect $work/third.eventlog
state
quit
say never
END
for log in first second ring third; do good "$work/$log.eventlog"; done
gives 0 check "$work/first.eventlog"
grep -q "first.eventlog: sound, with gaps: " "$work/out" || fail "no gaps: $(cat "$work/out")"
gives 0 info --json "$work/first.eventlog" # logging; threads; collections; flags that were off before
grep -qE '"gaps":\{"dropped_events":0,"dropped_places":0,"lost_bytes":0,"lost_places":0,"switched_off":[3-9],"off_ns":[1-9]' "$work/out" ||
    fail "gaps: $(cat "$work/out")"
said commands "logging      on, to $work/first.eventlog: ready"
said commands "logging      on, to unix:$work/nobody: waiting for a reader"
said commands "logging      on, to $work/third.eventlog: ready"
said commands "No such file or directory"
said commands "invalid destination \"tcp:nowhere\""
said commands "invalid class (expected: s, g, n"
said commands "invalid number \"many\""
said commands "unknown command \"nonsense\""
"$HECTIC" show --no-header "$work/first.eventlog" >"$work/first"
grep -q ': logging again$' "$work/first" || fail "a message is lost"
grep -q 'nobody hears this' "$work/first" && fail "logged while off"
sed -n '/: without threads$/,/: with threads$/p' "$work/first" >"$work/between"
grep -q ': running thread' "$work/between" && fail "-s has no effect"
grep -q ': starting GC' "$work/between" || fail "-s stops collections"
grep -q ': to the second$' "$work/first" && fail "redirect: a message goes to the old log"
holds "$work/second.eventlog" 'to the second'
holds "$work/ring.eventlog" 'into the ring'
(($(events_of "$work/first.eventlog" SYNC) > 0)) || fail "no SYNC"

# Threads are created and finish while logging, or their class, is off, also across a redirect: every
# log stays valid, and the new one has no events of threads before they are logged again.
play missed --caps 4 --load 30 "$work/missed.eventlog" <<END
wait 200
off
load 5
wait 300
load 60
wait 200
on
wait 200
classes -s
load 3
wait 300
say redirected
redirect $work/meanwhile.eventlog
load 40
wait 200
say unknown so far
flush
classes +s
wait 200
off
on
quit
END
for log in missed meanwhile; do good "$work/$log.eventlog"; done
holds "$work/missed.eventlog" "hectic: logging is off from here"
holds "$work/missed.eventlog" "hectic: logging of scheduler, task is off from here"
"$HECTIC" show --no-header "$work/meanwhile.eventlog" >"$work/meanwhile"
sed '/: unknown so far$/q' "$work/meanwhile" >"$work/before"
grep -E '(creating|running|stopping|migrating|waking up) thread|: (thread|task) ' "$work/before" >"$work/early" &&
    fail "events of unknown threads: $(head -3 "$work/early")"
grep -q ': creating thread' "$work/meanwhile" || fail "no events of threads"

# Consecutive pauses during collections.
for _ in $(seq 1000); do printf 'off\non\n'; done | play pauses --caps 3 --load 20 "$work/pauses.eventlog"
good "$work/pauses.eventlog"

# A FIFO: its reader gets events while the program runs, and another reader can follow.
mkfifo "$work/fifo"
begin fifo "fifo:$work/fifo"
"$HECTIC" inc "$work/fifo" >"$work/shown" 3>&- &
reader=$!
shows "$work/shown" 'marker: second 1'
echo say you are being watched >&3
shows "$work/shown" ': you are being watched$'
{ kill "$reader" && wait "$reader"; } 2>/dev/null || true
misses_it() {
    echo state >&3
    grep -q "waiting for a reader" "$work/fifo.said"
}
soon misses_it
cat "$work/fifo" >"$work/fifo.eventlog" 3>&- &
reader=$!
shows "$work/fifo.eventlog" main
echo say again >&3
echo quit >&3
ended fifo
wait "$reader"
good "$work/fifo.eventlog"
holds "$work/fifo.eventlog" again

# A signal ends the program, and the log.
begin signal "$work/signal.eventlog"
shows "$work/signal.eventlog" 'START'
kill -TERM "$program"
ended signal
good "$work/signal.eventlog"

# A prompt on a terminal, and nowhere else.
if command -v script >/dev/null; then
    printf 'state\nwait 300\nquit\n' |
        timeout -k 30 600 script -qec "$monitored $work/terminal.eventlog" /dev/null >"$work/terminal.said"
    grep -q '^monitored> .*' "$work/terminal.said" || fail "no prompt on a terminal"
    good "$work/terminal.eventlog"
fi
printf 'state\nquit\n' | timeout -k 30 600 "$monitored" "$work/pipe.eventlog" >"$work/pipe.said"
grep -q 'monitored>' "$work/pipe.said" && fail "a prompt without a terminal"

# Help and errors: messages go to stderr, usage errors with usage, and exit codes differ.
for help in -h --help; do
    "$monitored" $help >"$work/help" 2>"$work/errors" </dev/null || fail "$help: exit code $?"
    [[ ! -s $work/errors ]] || fail "$help writes to stderr: $(cat "$work/errors")"
    for word in "usage: monitored" --caps --load --seconds --script --help DESTINATION \
        "  redirect " "  quit " "Exit code"; do
        grep -qF -- "$word" "$work/help" || fail "$help does not mention \"$word\""
    done
done
refused() { # CODE MESSAGE ARGUMENT…
    local code=$1 message=$2 got=0
    shift 2
    "$monitored" "$@" </dev/null >"$work/out" 2>"$work/errors" || got=$?
    ((got == code)) || fail "monitored $*: exit code $got, not $code"
    [[ ! -s $work/out ]] || fail "monitored $*: writes to stdout: $(cat "$work/out")"
    grep -qF -- "$message" "$work/errors" || fail "monitored $*: $(cat "$work/errors")"
    ((code != 64)) || grep -q '^usage: monitored' "$work/errors" || fail "monitored $*: no usage"
}
refused 64 "invalid number \"0\" for --caps (from 1 to 64)" --caps 0
refused 64 "\"100\" for --caps" --caps 100
refused 64 "invalid number \"x\" for --load (from 0 to" --load x
refused 64 "\"-1\" for --seconds" --seconds -1
refused 64 "missing value for --script" --script
refused 64 "unknown option --nonsense" --nonsense
refused 64 "unknown option -x" -xh
refused 64 "extra operand: \"two\"" one two
refused 64 "invalid destination \"tcp:nowhere\"" tcp:nowhere
refused 64 "invalid destination \"\"" ""
refused 2 "No such file or directory" "$work/nowhere/log"
refused 2 "$work/nowhere: No such file" --script "$work/nowhere" "$work/unused"

# Sockets: the complete log from the first listener on.
needs perl
cat >"$work/listen" <<'END'
use IO::Socket::UNIX; use IO::Socket::INET; use strict;
my ($where, $to) = @ARGV;
my $server = $where eq "tcp" ? IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)
                             : IO::Socket::UNIX->new(Local => $where, Listen => 1);
die "cannot listen" unless $server;
$| = 1;
print $where eq "tcp" ? $server->sockport : 0, "\n";
my $peer = $server->accept;
open my $out, ">", $to or die;
$out->autoflush;
print $out $_ while sysread $peer, $_, 65536;
END
begin socket --load 4 "$work/before.eventlog"
perl "$work/listen" "$work/socket" "$work/unix.eventlog" >"$work/unix.port" 3>&- &
unix=$!
perl "$work/listen" tcp "$work/tcp.eventlog" >"$work/tcp.port" 3>&- &
tcp=$!
shows "$work/unix.port" .
echo "redirect unix:$work/socket" >&3
shows "$work/unix.eventlog" START
shows "$work/tcp.port" .
echo "redirect tcp:127.0.0.1:$(cat "$work/tcp.port")" >&3
shows "$work/tcp.eventlog" START
echo quit >&3
ended socket
wait $unix $tcp
for log in before unix tcp; do good "$work/$log.eventlog"; done

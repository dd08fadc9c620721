#!/usr/bin/env bash
# The Haskell package hectic reads programs that are running: from every kind of source, in both orders; of programs
# that end, are killed, or are started again; and exceptions end that.
. tests/support/haskell.bash
. tests/support/live.bash
. tests/support/reading.bash
needs jq
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
build_reader || fail "the package cannot be built"
# The package calls the command by its name.
mkdir "$work/bin"
ln -s "$(realpath "$HECTIC")" "$work/bin/hectic"
export PATH=$work/bin:$PATH
compile_reading following tests/programs/following.hs -Wall -Werror -threaded
compile_reading following-one tests/programs/following.hs -Wall -Werror
compile_emitting steady -threaded tests/programs/steady.hs ghc/examples/main.c -no-hs-main
compile tiny tiny.hs

follows() { # CODE ARGUMENT…: its output is in $work/out
    local wanted=$1 code=0
    shift
    timeout --foreground 300 "$work/${follower:-following}" "$@" >"$work/out" 2>"$work/err" || code=$?
    [[ $code == "$wanted" ]] || fail "following $*: exit code $code; $(head -3 "$work/err")"
}
# items_are VERB LOG END: the items are the events that the command prints. Where bytes are damaged, a live log has no message
# for them.
items_are() {
    "$HECTIC" "$1" --json "$2" 2>/dev/null | grep -vE 'damaged bytes were lost here|events are missing from here' >"$work/expected" || true
    grep '^{' "$work/out" | cmp -s - "$work/expected" || fail "$2: not as $1"
    [[ $(tail -n 1 "$work/out") == "$3" ]] || fail "$2: it ends with $(tail -n 1 "$work/out")"
}
# No process has that one as its parent, or its socket open.
no_child_is_left() {
    ! pgrep -f -- "cut --as-is --quiet .*$work" >/dev/null
}

# --- Files: sound, restarted, cut off, damaged, empty

for log in demo threads spans restarted every-event; do
    follows 0 time "$logs/$log.eventlog"
    items_are show "$logs/$log.eventlog" ended
    follows 0 arrival "$logs/$log.eventlog"
    items_are inc "$logs/$log.eventlog" ended
done
follows 0 time "$logs/restarted.eventlog"
[[ $(grep -c '^began' "$work/out") == $("$HECTIC" info --json "$logs/restarted.eventlog" | jq '.sections | length') ]] ||
    fail "sections: $(grep '^began' "$work/out")"
follows 0 gc "$logs/threads.eventlog"
"$HECTIC" show --json --event gc "$logs/threads.eventlog" >"$work/expected"
grep '^{' "$work/out" | cmp - "$work/expected" || fail "selected events"
head -c 9000 "$logs/demo.eventlog" >"$work/cut.eventlog"
{ head -c 9000 "$logs/demo.eventlog"; printf 'xxxxxxxxxx'; tail -c +9001 "$logs/demo.eventlog"; } >"$work/bad.eventlog"
for order in time=show arrival=inc; do
    follows 0 "${order%=*}" "$work/cut.eventlog"
    items_are "${order#*=}" "$work/cut.eventlog" "cut off"
    follows 0 "${order%=*}" "$work/bad.eventlog"
    items_are "${order#*=}" "$work/bad.eventlog" ended
    [[ $(grep -c '^damaged at 8986: undeclared event type 30840' "$work/out") == 1 ]] || fail "damage: $(grep '^damaged' "$work/out")"
    for source in /dev/null "$logs/table" "$work/none"; do
        follows 1 "${order%=*}" "$source"
        [[ ! -s $work/out ]] || fail "$source: $(head -1 "$work/out")"
    done
done
follows 1 time nothing:x
follows 1 time unix:
follows 1 wait "unix:$work/none.sock"

# --- A slow pipe, a FIFO, two writers in turn: events arrive before the log goes on

mkfifo "$work/fifo"
"$work/following" arrival "fifo:$work/fifo" >"$work/slow" 2>"$work/err" &
slow=$!
exec 7>"$work/fifo"
head -c 9000 "$logs/demo.eventlog" >&7
"$HECTIC" inc --json "$work/cut.eventlog" 2>/dev/null >"$work/expected"
so_far=$(($(wc -l <"$work/expected") + 1))
soon has_lines "$work/slow" $so_far
grep '^{' "$work/slow" | cmp - "$work/expected" || fail "the events so far"
tail -c +9001 "$logs/demo.eventlog" >&7
exec 7>&-
wait $slow || fail "a slow log: $(cat "$work/err")"
cp "$work/slow" "$work/out"
items_are inc "$logs/demo.eventlog" ended
# In order of time they arrive before the end, too.
"$work/following-one" soon "fifo:$work/fifo" >"$work/slow" 2>"$work/err" &
slow=$!
exec 7>"$work/fifo"
cat "$work/cut.eventlog" >&7
soon has_lines "$work/slow" $so_far
exec 7>&-
wait $slow || fail "a slow log: $(cat "$work/err")"
[[ $(tail -n 1 "$work/slow") == "cut off" ]] || fail "its end: $(tail -n 1 "$work/slow")"
"$work/following" again 2 "fifo:$work/fifo" >"$work/again" 2>"$work/err" &
again=$!
cat "$logs/demo.eventlog" >"$work/fifo"
soon has_lines "$work/again" 2
cat "$work/cut.eventlog" >"$work/fifo"
wait $again || fail "two writers: $(cat "$work/err")"
[[ $(tr '\n' ' ' <"$work/again") == "began 1 Ended True began 2 Ended False enough " ]] || fail "two writers: $(cat "$work/again")"

# --- Programs

cp "$(realpath "$work/tiny")" "$work/program"
follows 0 time "run:$work/program"
[[ $(tail -n 1 "$work/out") == ended ]] || fail "run: ends with $(tail -n 1 "$work/out")"
grep -q '"event":"PROGRAM_ARGS"' "$work/out" || fail "run: has no program"
follows 1 time "run:/bin/true"

steady() { # SOCKET
    GHC_EVENTLOG_UNIX_PATH=$1 GHC_EVENTLOG_WAIT=1 "$work/steady" +RTS -l -V0 -RTS >/dev/null 2>&1 &
}
steady "$work/one.sock"
steady "$work/two.sock"
follower=following-one follows 0 several "unix:$work/one.sock" "unix:$work/two.sock"
wait
[[ $(grep -c ',True)$' "$work/out") == 2 ]] || fail "two programs: $(cat "$work/out")"
awk -F'[(,]' '$2 < 40000 { exit 1 }' "$work/out" || fail "events are missing: $(cat "$work/out")"
# The program is started again at its socket; the next one is killed.
"$work/following" again 2 "unix:$work/one.sock" >"$work/again" 2>"$work/err" &
again=$!
steady "$work/one.sock"
soon has_lines "$work/again" 2
wait $! # it listens until it has ended
GHC_EVENTLOG_UNIX_PATH=$work/one.sock GHC_EVENTLOG_WAIT=1 "$work/steady" +RTS -l >/dev/null 2>&1 &
victim=$!
soon has_lines "$work/again" 3
kill -9 $victim 2>/dev/null || true
wait $again || fail "started again: $(cat "$work/err")"
[[ $(head -n 3 "$work/again" | tr '\n' ' ') == "began 1 Ended True began 2 " ]] || fail "started again: $(cat "$work/again")"

# --- A relay, over TCP: its events, until it ends

mkfifo "$work/in"
launch_relay relay --once --from "one=fifo:$work/in" --listen tcp:127.0.0.1:0
port_of relay
"$work/following" arrival "tcp:127.0.0.1:$port" >"$work/out" 2>"$work/err" &
reader=$!
accepts() { # a connection: it has an inode then
    awk -v port="$(printf ':%04X' "$port")" '$2 ~ port "$" && $4 == "01" && $10 > 0 { found = 1 } END { exit !found }' /proc/net/tcp
}
soon accepts
cat "$logs/threads.eventlog" >"$work/in"
wait $reader || fail "tcp: $(cat "$work/err")"
items_are inc "$logs/threads.eventlog" ended
ends "$relay"

# --- Gaps, which producers write as messages

python3 - "$work/gaps.eventlog" <<'END'
import sys
sys.path.insert(0, "tests/support")
import eventlog
texts = ["12 events were dropped here", "logging is off from here: /dev/sda is full", "logging of task is on from here", "dropped"]
events = [(time, eventlog.NONE, 16, f"hectic: {text}".encode()) for time, text in enumerate(texts, 1)]
open(sys.argv[1], "wb").write(eventlog.write(events, {}))
END
follows 0 arrival "$work/gaps.eventlog"
grep -v '^{' "$work/out" >"$work/found"
cat >"$work/expected" <<'END'
began 1
EventsDropped 12
LoggingSwitched False "hectic: logging is off from here: /dev/sda is full"
LoggingSwitched True "hectic: logging of task is on from here"
ended
END
same "$work/expected" "$work/found"

# --- Several begin at the same time: none waits for the end of another. The command is missing

mkfifo "$work/other"
sleep 1000 3<>"$work/other" &
holder=$!
for follower in following following-one; do
    follows 0 together 20 "$logs/demo.eventlog" "fifo:$work/other"
    follows 0 abandoned "fifo:$work/other"
    soon no_child_is_left
    follows 0 missing "$logs/demo.eventlog"
    [[ $(head -n 1 "$work/out") == *"no-such-command"*"is hectic installed, and in the PATH?"* ]] || fail "no command: $(cat "$work/out")"
    [[ $(tail -n 1 "$work/out") == 0 ]] || fail "descriptors stay: $(cat "$work/out")"
done
kill $holder
wait $holder 2>/dev/null || true

# --- Exceptions, with and without -threaded; nothing stays

for follower in following following-one; do
    follows 0 interrupted "unix:$work/none.sock" "$logs/demo.eventlog"
    mkfifo "$work/open"
    sleep 1000 3<>"$work/open" &
    holder=$!
    follows 0 interrupted "fifo:$work/open" "$logs/demo.eventlog"
    kill $holder
    wait $holder 2>/dev/null || true
    rm "$work/open"
done
soon no_child_is_left

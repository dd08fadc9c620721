#!/usr/bin/env bash
# relay serves the logs of many programs to many clients, and records them.
. tests/support/lib.bash
. tests/support/live.bash

# The events of a log, without blocks.
story() {
    "$HECTIC" show --no-header "$1" | grep -av -e ': event block' -e ': env: ' -e '^$'
}

# How many files of that name there are in DIR.
files() { # DIR NAME
    find "$1" -name "$2-*.eventlog.zst" | wc -l
}

# A client that connects before the program gets everything but the environment; so does the recording.
mkfifo "$work/in"
launch_relay relay --from "name=fifo:$work/in" --listen "unix:$work/out" --listen "unix:$work/%n.sock" \
    --record "$work/record"
soon test -S "$work/out"
[[ $(stat -c %a "$work/out") == 600 ]] || fail "others may read"
"$HECTIC" inc --no-header "unix:$work/out" >"$work/early" 2>/dev/null &
reader=$!
soon is_let_in "$work/out"
exec 9>"$work/in"
part=$(($(stat -c %s "$logs/threads.eventlog") * 2 / 3))
head -c "$part" "$logs/threads.eventlog" >&9
soon test -S "$work/name.sock"
# A client that connects later gets a complete log, too.
timeout 60 "$HECTIC" inc "unix:$work/name.sock" >"$work/late" 2>/dev/null &
late=$!
soon grep -q "running thread" "$work/late"
tail -c +$((part + 1)) "$logs/threads.eventlog" >&9
exec 9>&-
ends "$reader"
ends "$late"
soon file_has "$work/relay.err" "name: log ended"
finish "$relay"
[[ ! -e $work/out && ! -e $work/name.sock ]] || fail "sockets were left"
"$HECTIC" inc --no-header "$logs/threads.eventlog" | grep -v -e ': event block' -e ': env: ' -e '^$' |
    sort >"$work/expected"
grep -v -e ': event block' -e '^$' "$work/early" | sort >"$work/got"
same "$work/got" "$work/expected"
gives 0 check "$work"/record/name-????????T??????Z-000001.eventlog.zst
story "$logs/threads.eventlog" >"$work/expected"
story "$work"/record/name-*.zst >"$work/got"
same "$work/got" "$work/expected"
grep -q "created cap 0" "$work/late" || fail "a late reader does not know of the caps"

# Several programs, under their names; files of little size.
generate_log --seed 1 --size 3M -o "$work/first"
generate_log --seed 2 --size 3M -o "$work/second"
gives 0 relay --once --with-env --from "one=$work/first" --from "two=file:$work/second" \
    --from "$logs/demo.eventlog" --record "$work/both" --record-size 1M
[[ $(files "$work/both" one) -ge 3 && $(files "$work/both" two) -ge 3 ]] || fail "the files are not rotated"
[[ $(files "$work/both" demo) == 1 ]] || fail "the source's name is not taken"
for file in "$work"/both/*.zst; do gives 0 check "$file"; done
# Events before the name of the program was known are recorded, too.
story "$logs/demo.eventlog" >"$work/expected"
story "$work"/both/demo-*.zst >"$work/got"
same "$work/got" "$work/expected"
total=0
for file in "$work"/both/one-*.zst; do
    total=$((total + $("$HECTIC" inc "$file" | grep -c ': λ-lifted ')))
done
[[ $total == $("$HECTIC" inc "$work/first" | grep -c ': λ-lifted ') ]] ||
    fail "events are missing between files, or twice"

# The environment, on request only.
gives 0 relay --once --from "env=$logs/every-event.eventlog" --record "$work/without"
gives 0 relay --once --from "env=$logs/every-event.eventlog" --record "$work/with" --with-env
[[ $("$HECTIC" inc "$work"/without/env-*.zst | grep -c ': env: ') == 0 ]] || fail "it was recorded"
[[ $("$HECTIC" inc "$work"/with/env-*.zst | grep -c ': env: ') == 1 ]] || fail "it was not recorded"

# If space cannot be freed by removing old files, the relay does not start.
gives 2 relay --from "one=$work/first" --record "$work/both" --keep-free 1000000G
says "$work/both: cannot write recordings: "
says "--keep-free is 909 TiB: free some space, choose another directory, or reduce --keep-free"
[[ $(files "$work/both" demo) == 1 ]] || fail "it removed another program's files"

# Over TCP with a token.
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$work/token"
launch_relay relay --from "one=fifo:$work/in" --listen tcp:127.0.0.1:0 --token-file "$work/token"
exec 9>"$work/in"
head -c "$part" "$logs/threads.eventlog" >&9
soon file_has "$work/relay.err" "connected as one"
port_of relay
exec 8<>"/dev/tcp/127.0.0.1/$port"
printf '%s\n' "$(cat "$work/token")" >&8
timeout 60 head -c 4 <&8 >"$work/got" || true
[[ $(cat "$work/got") == hdrb ]] || fail "the token is not taken"
exec 8>&-
exec 8<>"/dev/tcp/127.0.0.1/$port"
printf 'something else\n' >&8
[[ -z $(timeout 60 head -c 4 <&8 || true) ]] || fail "any token is taken"
exec 8>&- 9>&-
finish "$relay"

# Bytes before a log are skipped and reported, with the sender.
cat >"$work/send.py" <<'EOF'
import socket, sys, os
place, log, soup = sys.argv[1], open(sys.argv[2], "rb").read(), sys.argv[3].encode()
host, _, port = place.rpartition(":")
s = socket.create_connection((host, int(port))) if host else socket.socket(socket.AF_UNIX)
if not host: s.connect(place)
print(s.getsockname()[1] if host else os.getpid())
for byte in soup + log[:50]: s.sendall(bytes([byte]))
s.sendall(log[50:])
s.shutdown(socket.SHUT_WR)
s.settimeout(60)
s.recv(1) # the process exists until its name was looked up
EOF
soup="HTTP/1.1 hdrbhetb hdrbhdrbhetb, and hdrbhetbetb"
story "$logs/threads.eventlog" >"$work/expected"
launch_relay relay --from "listen:unix:$work/programs" --from listen:tcp:127.0.0.1:0 --record "$work/soup" \
    --token-file "$work/token"
soon test -S "$work/programs"
sender=$(python3 "$work/send.py" "$work/programs" "$logs/threads.eventlog" "$soup")
soon file_has "$work/relay.err" "process $sender (python3): skipped the first ${#soup} bytes"
soon file_has "$work/relay.err" "process $sender (python3): connected as program"
soon file_has "$work/relay.err" "program: log ended"
port_of relay
sender=$(python3 "$work/send.py" "127.0.0.1:$port" "$logs/threads.eventlog" "$(cat "$work/token")
$soup")
soon file_has "$work/relay.err" "tcp:127.0.0.1:$sender: skipped the first ${#soup} bytes"
soon file_has "$work/relay.err" "tcp:127.0.0.1:$sender: connected as program"
finish "$relay"
for file in "$work"/soup/program-*.zst; do
    story "$file" >"$work/got"
    same "$work/got" "$work/expected"
done
# The same for sources that the relay opens; a source without a log is reported, too.
{ printf '%s' "$soup" && cat "$logs/threads.eventlog"; } >"$work/soup.eventlog"
head -c 3M /dev/zero >"$work/zeros"
echo "no log" >"$work/text"
gives 0 relay --once --from "soup=$work/soup.eventlog" --from "$work/zeros" --from "$work/text" \
    --record "$work/soup" --metrics 127.0.0.1:0
says "soup: skipped the first ${#soup} bytes, which are not an eventlog"
says "$work/zeros: ignored: not an eventlog"
says "$work/text: ended without an eventlog"
story "$work"/soup/soup-*.zst >"$work/got"
same "$work/got" "$work/expected"

# A restarted program gets its socket, although a client still reads the previous log.
cat >"$work/sleeps.py" <<'EOF'
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.recv(1)
print("reads", flush=True)
time.sleep(600)
EOF
mkfifo "$work/asleep"
launch_relay relay --from "name=fifo:$work/in" --listen "unix:$work/%n.sock"
soon file_has "$work/relay.err" "waiting for a program"
exec 9>"$work/in"
head -c 2M "$work/first" >&9
soon test -S "$work/name.sock"
python3 "$work/sleeps.py" "$work/name.sock" >"$work/asleep" 9>&- &
sleeper=$!
read -r <"$work/asleep"
exec 9>&-
soon file_has "$work/relay.err" "name: log ended"
cat "$work/first" >"$work/in"
is_there_again() { (($(grep -c "connected as name" "$work/relay.err") == 2)); }
soon is_there_again
kill "$sleeper"
if grep "cannot listen" "$work/relay.err"; then fail "it has no place"; fi
finish "$relay"

# A source without a log does not end a relay with --once.
launch_relay relay --once --from "listen:unix:$work/programs" --record "$work/once"
soon test -S "$work/programs"
python3 "$work/send.py" "$work/programs" "$work/text" "" >/dev/null
soon file_has "$work/relay.err" "ended without an eventlog"
python3 "$work/send.py" "$work/programs" "$logs/threads.eventlog" "" >/dev/null
ends "$relay"
story "$work"/once/program-*.zst >"$work/got"
same "$work/got" "$work/expected"

# A client that has shut down its sending side before there is a program still reads.
cat >"$work/reads.py" <<'EOF'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(sys.argv[1])
s.shutdown(socket.SHUT_WR)
while piece := s.recv(65536): sys.stdout.buffer.write(piece)
EOF
launch_relay relay --from "listen:unix:$work/programs" --listen "unix:$work/readers"
soon test -S "$work/programs"
python3 "$work/reads.py" "$work/readers" >"$work/whole" &
reader=$!
soon is_let_in "$work/readers"
python3 "$work/send.py" "$work/programs" "$logs/threads.eventlog" "" >/dev/null
ends "$reader"
finish "$relay"
story "$work/whole" >"$work/got"
same "$work/got" "$work/expected"

# Several logs on one connection, complete or cut short, however they arrive: each is served.
brings() { # DIR LOG…: the records in DIR
    local directory=$1 record
    shift
    for record in "$directory"/one-*.zst; do
        [[ $# -gt 0 ]] || fail "there are more than were sent"
        story "$record" >"$work/got"
        story "$1" >"$work/expected"
        same "$work/got" "$work/expected"
        shift
    done
    [[ $# == 0 ]] || fail "$1 and what follows is missing"
}
head -c -8 "$logs/killed.eventlog" >"$work/killed.eventlog" # it ends in an event, which would swallow more
several=("$logs"/{threads,demo,every-event}.eventlog "$work/killed.eventlog" "$logs/tiny.eventlog")
cat "${several[@]}" >"$work/several"
gives 0 relay --once --from "one=$work/several" --record "$work/at-once"
brings "$work/at-once" "${several[@]}"
for ((i = 0; i < 200; i++)); do cat "$logs/tiny.eventlog"; done >"$work/hundreds"
gives 0 relay --once --from "one=$work/hundreds" --listen "unix:$work/readers"
[[ $(grep -c "one: log ended" "$work/err") == 200 ]] || fail "of 200 logs, not all were served"
launch_relay relay --once --from "one=fifo:$work/in" --record "$work/pieces" --listen "unix:$work/readers"
soon file_has "$work/relay.err" "waiting for a program"
exec 9>"$work/in"
first=$(stat -c %s "$logs/threads.eventlog")
head -c $((first + 5)) "$work/several" >&9 # it ends in a header
soon file_has "$work/relay.err" "one: log ended"
exec 8< <(exec 9>&- && exec timeout 60 "$HECTIC" inc --no-header "unix:$work/readers" 2>&1 >"$work/whole")
read -r -u 8 line
[[ $line == *"connected to unix:$work/readers"* ]] || fail "the reader says: $line"
tail -c +$((first + 6)) "$work/several" >&9
exec 9>&-
ends "$relay"
while read -r -u 8 line; do :; done # until the reader ends
exec 8<&-
grep -v -e ': event block' -e '^$' "$work/whole" | sort >"$work/got"
"$HECTIC" inc --no-header "$logs/demo.eventlog" | grep -v -e ': event block' -e ': env: ' -e '^$' |
    sort >"$work/expected"
same "$work/got" "$work/expected"
brings "$work/pieces" "${several[@]}"

# A client that does not send a log is disconnected.
launch_relay relay --from "listen:unix:$work/programs" --listen "unix:$work/readers"
soon test -S "$work/programs"
cat >"$work/soup.py" <<'EOF'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(sys.argv[1])
try:
    while True: s.sendall(b"\xff" * 65536)
except (BrokenPipeError, ConnectionResetError):
    pass
EOF
python3 "$work/soup.py" "$work/programs" || fail "it was not disconnected"
soon file_has "$work/relay.err" "disconnected: not an eventlog"
finish "$relay"

# Errors.
gives 64 relay
says "hectic relay: missing option: --from SRC"
gives 2 relay --from "p=listen:unix:$work/in" --listen "unix:$work/named"
says "programs that connect have names of their own: use listen:unix:$work/in"
gives 2 relay --from "$work/first" --listen tcp:0.0.0.0:0
says "is reachable from other hosts: require a token"
gives 2 relay --from "$work/first" --listen "tcp:127.0.0.1:%n"
says "%n requires a Unix socket"
gives 2 relay --from "$work/first" --listen "$work/first"
says "invalid listen address"
touch "$work/file"
gives 2 relay --from x --record "$work/file"
says "$work/file: cannot write recordings: Not a directory"
touch "$work/short"
gives 64 relay --from "$work/first"
says "hectic relay: missing option: --listen ADDRESS, --record DIR, --metrics HOST:PORT, --clickhouse URL or --otlp URL"
gives 2 relay --from "$work/first" --listen "unix:$work/readers" --token-file "$work/short"
says "invalid token: the first line must have 16 to 255 characters"

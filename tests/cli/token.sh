#!/usr/bin/env bash
# Every verb that connects over TCP sends a token if one is given. A relay rejects clients without the
# right token, and they report the reason.
. tests/support/lib.bash
. tests/support/live.bash
needs cc
cc -O -o "$work/one_reader" tests/programs/one_reader.c
relays() { # NAME OPTION…: as $relay, at $port
    launch_relay "$@" --listen tcp:127.0.0.1:0 --token-file "$work/token"
    port_of "$1"
}

for name in token other; do
    head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$work/$name"
done
own="token-file=$work/token"
other="token-file=$work/other"

# A chain of relays, each with the token: the log arrives completely. The rest of the log follows when the
# header has passed both: a reader that is late would begin with the replay of the live state.
mkfifo "$work/in"
relays near --from "near=fifo:$work/in"
near=$relay
relays far --from "far=tcp:127.0.0.1:$port,$own"
far=$relay
timeout 600 "$HECTIC" inc --no-header "tcp:127.0.0.1:$port,$own" >"$work/listing" 2>"$work/inc.err" &
reader=$!
soon file_has "$work/inc.err" "connected to tcp:127.0.0.1:$port, no data"
header=$(($(grep -abo datb "$logs/threads.eventlog" | head -n 1 | cut -d: -f1) + 4))
exec {in}>"$work/in"
head -c "$header" "$logs/threads.eventlog" >&$in
soon file_has "$work/far.err" "connected as far"
tail -c +$((header + 1)) "$logs/threads.eventlog" >&$in
exec {in}>&-
ends "$reader"
grep -v -e ': event block' -e ': env: ' -e '^$' "$work/listing" | sort >"$work/got"
"$HECTIC" inc --no-header "$logs/threads.eventlog" |
    grep -v -e ': event block' -e ': env: ' -e '^$' | sort >"$work/expected"
same "$work/got" "$work/expected"

# With another token, or none, the reason is reported once, not at each attempt.
launch watch "$HECTIC" watch "tcp:127.0.0.1:$port,$other"
watch=$launched
launch none "$HECTIC" relay --from "x=tcp:127.0.0.1:$port" --listen "unix:$work/readers"
none=$launched
before="connection closed before a log arrived; if a token is required,"
soon file_has "$work/watch.err" "waiting for tcp:127.0.0.1:$port: $before the one in the given file is wrong"
soon file_has "$work/none.err" "waiting for tcp:127.0.0.1:$port: $before use tcp:HOST:PORT,token-file=FILE"
several_attempts() {
    (($(grep -c "authentication failed" "$work/far.err") >= 6))
}
soon several_attempts
kill "$watch" "$none"
wait "$watch" "$none" || true
(($(grep -c "waiting for" "$work/watch.err") == 1)) || fail "reported more than once: $(cat "$work/watch.err")"
[[ ! -s $work/watch.said ]] || fail "something came"
gives 2 ctl "tcp:127.0.0.1:$port,$other" flush
says "if a token is required, the one in the given file is wrong"
finish "$far"
finish "$near"

# Commands are sent in the opposite direction.
head -c $(($(stat -c %s "$logs/threads.eventlog") * 2 / 3)) "$logs/threads.eventlog" >"$work/begun"
"$work/one_reader" "$work/sock" "$work/begun" >"$work/heard" &
soon test -S "$work/sock"
relays program --from "unix:$work/sock"
soon file_has "$work/program.err" "connected as "
gives 0 ctl "tcp:127.0.0.1:$port,$own" heap-census
soon file_has "$work/heard" "reader f09e978c000f6576656e746c6f672d736f636b657405"
finish "$relay"

# A program sends the token itself, to a relay that is reachable from other hosts.
launch_relay direct --from "listen:tcp:127.0.0.1:0" --token-file "$work/token" --listen "unix:$work/readers"
port_of direct
"$HECTIC_BUILD/monitored" --seconds 600 "tcp:127.0.0.1:$port,$other" </dev/null >"$work/monitored.said" 2>&1 &
program=$!
soon file_has "$work/direct.err" "client disconnected: authentication failed: wrong token"
kill "$program"
"$HECTIC_BUILD/monitored" --seconds 600 "tcp:127.0.0.1:$port,$own" </dev/null >"$work/monitored.said" 2>&1 &
program=$!
soon file_has "$work/direct.err" "connected as monitored"
kill "$program"
finish "$relay"
code=0
"$HECTIC_BUILD/monitored" --seconds 600 "tcp:127.0.0.1:$port,token-file=$work/nowhere" </dev/null >"$work/err" 2>&1 || code=$?
[[ $code == 2 ]] || fail "without its token a program ended with $code"
says "No such file or directory"

# Errors; a token cannot be given on the command line.
gives 64 watch "tcp:127.0.0.1:$port,token=secret"
says "only ,token-file=FILE may follow"
gives 64 watch "tcp:127.0.0.1:$port,token-file="
says "only ,token-file=FILE may follow"
gives 64 watch "tcp:127.0.0.1:$port,token-file=$work/nowhere"
says "$work/nowhere: No such file or directory"
gives 2 relay --from "tcp:127.0.0.1:$port,token-file=/dev/null" --listen "unix:$work/readers"
says "/dev/null: invalid token: the first line must have 16 to 255 characters"
head -c 256 /dev/zero | tr '\0' x >"$work/long"
gives 64 watch "tcp:127.0.0.1:$port,token-file=$work/long"
says "$work/long: invalid token"
gives 2 relay --from "tcp:127.0.0.1:$port" --listen tcp:127.0.0.1:0 --token-file "$work/long"
says "$work/long: invalid token"
gives 2 relay --from "tcp:127.0.0.1:$port" --listen "tcp:127.0.0.1:0,$own"
says "remove ,$own"
gives 2 ctl "tcp:127.0.0.1:$port,token-file=$work/nowhere" flush
says "$work/nowhere: No such file or directory"

# Every verb that reads a token warns if all users of the host can read it, and continues.
chmod 644 "$work/token"
warning="$work/token: warning: every user of this host can read its token: chmod o-rwx $work/token"
relays warned --from "near=unix:$work/sock"
file_has "$work/warned.err" "hectic: $warning" || fail "the relay does not warn of its token"
for verb in "ctl SOURCE flush" "watch SOURCE" "inc SOURCE" "stat SOURCE" \
    "copy SOURCE $work/copied" "relay --from SOURCE --listen unix:$work/more"; do
    rm -f "$work/verb.err"
    read -ra arguments <<<"${verb//SOURCE/tcp:127.0.0.1:$port,$own}"
    "$HECTIC" "${arguments[@]}" >"$work/out" 2>"$work/verb.err" </dev/null &
    soon file_has "$work/verb.err" "$warning"
    kill $! 2>/dev/null || true
    wait $! || true
done
finish "$relay"
chmod 600 "$work/token"
relays private --from "near=tcp:127.0.0.1:$port,$own"
! file_has "$work/private.err" warning || fail "it warns of a token that only its owner can read"
finish "$relay"

#!/usr/bin/env bash
# The relay's HTTP server: pages, access control, logs, and malicious clients.
. tests/support/lib.bash
. tests/support/live.bash
needs curl
monitored=$HECTIC_BUILD/monitored

relays() { # OPTION…: as $relay, at $server
    launch_relay relay --from "listen:unix:$work/in" "$@"
    port_of relay
    server=http://127.0.0.1:$port
}

tells() { # PATTERN: in the metrics
    answers 200 "$server/metrics"
    grep -q -- "$1" "$work/body"
}

is_relayed() { # NAME
    answers 200 "$server/"
    grep -qxF "/log/$1" "$work/body"
}

# FD: the connection is still open after another byte.
is_open() {
    local code=0
    printf x >&"$1" || return 1
    read -r -t 0.5 -N 4000 -u "$1" _ || code=$?
    ((code > 128))
} 2>/dev/null

descriptors() {
    find "/proc/$relay/fd" -mindepth 1 | wc -l
}

# --- Listen addresses
echo a-token-of-enough-letters >"$work/token"
gives 2 relay --from "listen:unix:$work/in" --metrics 0.0.0.0:0
says "is reachable from other hosts: require a token"
gives 2 relay --from "listen:unix:$work/in" --metrics nonsense
says 'expected HOST:PORT, such as'

# --- Pages
relays --metrics 127.0.0.1:0
gives 2 relay --from "listen:unix:$work/other" --metrics "127.0.0.1:$port"
says "in use"
answers 200 "$server/healthz"
body_matches '^ok$'
answers 200 "$server/metrics"
body_matches '^hectic_programs 0$'
"$monitored" --seconds 3600 --caps 2 "unix:$work/in" </dev/null >"$work/monitored.said" 2>&1 &
program=$!
soon is_relayed monitored
soon tells '^ghc_allocated_bytes_total{program="monitored",pid="[0-9]*"} [1-9]'
body_matches '^# TYPE ghc_allocated_bytes_total counter$'
answers 200 "$server/metrics" -H 'Accept: application/openmetrics-text; version=1.0.0'
body_matches '^# TYPE ghc_allocated_bytes counter$'
[[ $(tail -1 "$work/body") == '# EOF' ]] || fail "no # EOF"
answers 200 "$server/metrics" -I
answers 404 "$server/log/nobody"
answers 404 "$server/metric"
answers 405 "$server/metrics" -X POST -d x=1
answers 405 "$server/log/monitored" -X DELETE

# --- Host header
answers 403 "$server/metrics" -H 'Host: evil.example'
answers 403 "$server/log/monitored" -H "Host: evil.example:$port"
answers 400 "$server/" -H 'Host:'
for host in localhost "LocalHost:$port" 127.0.0.1 "[::1]:$port"; do
    answers 200 "$server/metrics" -H "Host: $host"
done

# --- Logs: complete for each client, without leaks after a disconnect
short_visits() {
    for _ in $(seq 8); do
        curl -sN -m 0.3 -o "$work/short" "http://127.0.0.1:$port/log/monitored" || true
    done
}

is_down_to() { # NUMBER of descriptors
    (($(descriptors) <= $1))
}

before=$(descriptors)
short_visits
soon is_down_to "$before"
kill -STOP "$program" # likewise without data to send
counted=
counts_no_more() { # events
    local before=$counted
    answers 200 "$server/metrics"
    counted=$(sed -n 's/^hectic_events_total{.*} //p' "$work/body")
    [[ $counted && $counted == "$before" ]]
}
soon counts_no_more
short_visits
soon is_down_to "$before"
kill -CONT "$program"
curl -sN -m 3600 -o "$work/log" "http://127.0.0.1:$port/log/monitored" &
reader=$!
# A client that reads nothing does not block others.
exec 5<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /log/monitored HTTP/1.1\r\nHost: localhost\r\n\r\n' >&5
much_waits() {
    (($(bytes_in 5) > 20000))
}
soon much_waits
answers 200 "$server/metrics"
exec 5<&- 5>&-
soon is_down_to $((before + 3)) # of the reader that stays

# --- Malicious clients
trap '' PIPE
head -c 100000000 /dev/zero 2>/dev/null | tr '\0' '\377' >"/dev/tcp/127.0.0.1/$port" 2>/dev/null || true
for seed in $(seq 100); do
    {
        ((seed % 2)) && printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n'
        ((seed % 3)) && printf 'Content-Length: 99999999999999999999\r\n'
        head -c $((seed * 97)) /dev/urandom
    } 2>/dev/null >"/dev/tcp/127.0.0.1/$port" || true
done
answers 431 "$server/" -H "Long: $(head -c 30000 /dev/zero | tr '\0' x)"
answers 200 "$server/metrics"
(($(awk '/^VmRSS/ { print $2 }' "/proc/$relay/status") < 300000)) || fail "the relay has grown"

# Slow clients fill all slots; other clients are accepted, and slow ones are disconnected.
slow=()
for _ in $(seq 100); do
    exec {fd}<>"/dev/tcp/127.0.0.1/$port" || fail "no connection"
    printf 'GET /metrics HTTP/1.1\r\nHo' 2>/dev/null 1>&"$fd" || true
    slow+=("$fd")
done
served=0
for _ in 1 2 3 4 5; do
    [[ $(get "$server/metrics") == 200 ]] && served=1
done
((served)) || fail "the slow ones hinder the others"
from=$SECONDS
for fd in "${slow[@]}"; do
    # One byte more now and then does not help them.
    while is_open "$fd"; do
        ((SECONDS - from < 120)) || fail "a slow one is still there"
    done
    exec {fd}<&- {fd}>&-
done
answers 200 "$server/metrics"

# --- The end: the readers of logs get it
kill "$program"
wait "$program" || true
ends "$reader"
gives 0 check "$work/log"
grep -q ': sound:' "$work/out" || fail "the reader's log has no end: $(cat "$work/out")"
finish "$relay"

# --- With a token
relays --metrics 0.0.0.0:0 --token-file "$work/token"
answers 401 "$server/metrics"
answers 401 "$server/" -H 'Authorization: Bearer a-token-of-enough-letterz'
answers 401 "$server/" -H 'Authorization: Basic a-token-of-enough-letters'
answers 200 "$server/healthz"
answers 200 "$server/metrics" -H 'Authorization: Bearer a-token-of-enough-letters' -H 'Host: far.example'
finish "$relay"

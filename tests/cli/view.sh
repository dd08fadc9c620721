#!/usr/bin/env bash
# hectic view: the page and the engine's answers over HTTP, to those who know the address.
. tests/support/lib.bash
. tests/support/live.bash
needs curl
# shellcheck disable=SC2154 # set by lib.bash
log=$logs/demo.eventlog
stdin=/dev/null

views() { # ARGUMENT…: the command's process is $viewer, the page's address $page
    launch view "$HECTIC" view --no-browser "$@" <"$stdin"
    viewer=$launched
    soon has_address
    [[ $page =~ ^(http://127\.0\.0\.1:[0-9]+)/([0-9a-f]{32})/$ ]] || fail "address: $page"
    server=${BASH_REMATCH[1]}
    token=${BASH_REMATCH[2]}
}

has_address() {
    page=$(cat "$work/view.said")
    [[ $page == */ ]] || { is_gone "$viewer" && fail "hectic view: $(cat "$work/view.err")"; }
}

ends_by() { # SIGNAL: the command exits successfully
    kill "-$1" "$viewer"
    ends "$viewer"
}

is_read() {
    answers 200 "${page}api/overview"
    grep -qF '"complete":true' "$work/body"
}

grows() { # true|false
    answers 200 "${page}api/overview"
    grep -qF "\"grows\":$1," "$work/body"
}

has_sent() { # BYTES: so many of the log were read
    answers 200 "${page}api/overview"
    grep -qF "\"read_bytes\":$1," "$work/body"
}

# The page, or why there is none.
views "$log"
if [[ -e $(dirname "$HECTIC")/view.html ]]; then
    answers 200 "$page"
    cmp "$(dirname "$HECTIC")/view.html" "$work/body"
else
    answers 404 "$page"
    body_has "docs/dependencies.md"
fi
grep -qi "^content-security-policy: default-src 'none';" "$work/head" || fail "no policy"
grep -qi "^x-content-type-options: nosniff" "$work/head" || fail "content may be sniffed"
grep -qi "^referrer-policy: no-referrer" "$work/head" || fail "the token may be sent as referrer"

# Answers are those of the engine.
soon is_read
body_has '"program":"./demo"'
requests=(overview columns 'columns?width=300' 'labels?width=100' 'curves?width=50' stat
    'stat?from=1000000&to=3000000' 'columns?from=1000000&to=1010000&width=64')
for request in "${requests[@]}"; do
    answers 200 "${page}api/$request"
    "$HECTIC_BUILD/view_answers" "$log" <<<"$request" | sed 1,2d >"$work/wanted"
    echo >>"$work/body"
    [[ $request == overview ]] || cmp "$work/wanted" "$work/body"
done
answers 200 "${page}api/stat?from=1000000&to=3000000"
echo >>"$work/body"
"$HECTIC" stat --jsonl --from 1ms --to 3ms "$log" | cmp - "$work/body"
answers 200 "${page}api/columns"
grep -qi '^content-type: application/octet-stream' "$work/head" || fail "$(cat "$work/head")"
refused() { # CODE REQUEST…
    local code=$1 request
    shift
    for request; do
        answers 400 "${page}api/$request"
        body_has "\"code\":\"$code\""
    done
}
refused malformed 'columns?width=0' 'columns?width=16385' 'stat?section=0' 'stat?from=x' 'heap?by=cost' 'heap?points=3' \
    'events?count=1001' links 'links?thread=4294967296' 'stat?from=2&to=1' 'search?text=%00' 'events?cap=x'
refused unknown_request nothing ''
refused no_section 'stat?section=2'
refused no_events 'stat?from=900000000000&to=900000000001' 'threads?from=900000000000&to=900000000001'
answers 400 "${page}api/columns?width=0"
body_has '"message":"width'

# Nobody else is answered: not without the token, by another name, by another method, or in another
# spelling.
answers 404 "$server/"
answers 404 "$server/$token"
answers 404 "$server/${token%?}/api/overview"
answers 404 "$server/${token}0/api/overview"
answers 404 "$server/api/overview"
answers 404 "$server//$token/api/overview"
answers 404 "$server/x/../$token/api/overview"
answers 404 "$server/%${token}/"
answers 404 "$server/$token%2fapi/overview"
answers 404 "$server/$token/../../../../etc/passwd"
answers 404 "$server/$token/..%2f..%2fetc/passwd"
answers 404 "$server/$token/view.html"
answers 404 "$server/$token/API/overview"
for host in example.com 127.0.0.1.example.com "localhost.example.com:80" "" "127.0.0.2"; do
    answers 403 "${page}api/overview" -H "Host: $host"
done
answers 200 "${page}api/overview" -H "Host: localhost:1"
answers 200 "${page}api/overview" --head
answers 404 "$server/api/overview" -H "Sec-Fetch-Site: cross-site"
answers 200 "${page}api/overview" -H "Sec-Fetch-Site: cross-site" # it knows the token
for method in POST PUT DELETE OPTIONS PATCH; do
    got=$(get "${page}api/overview" -X "$method" -m 5)
    [[ $got == 405 ]] || fail "$method: $got"
done
answers 404 "$server/$(head -c 6000 /dev/zero | tr '\0' a)"
[[ $(get "${page}api/$(head -c 60000 /dev/zero | tr '\0' a)") =~ ^(000|4..)$ ]] || fail "a long request"
[[ $(get "${page}" -H "X: $(head -c 60000 /dev/zero | tr '\0' a)") =~ ^(000|4..)$ ]] || fail "a long header"
printf 'GET / HTTP/1.1\r\n\0\377garbage' | curl -s -m 2 --max-filesize 9999 "telnet://${server#http://}" >/dev/null || true
answers 200 "${page}api/overview"
first=$page
ends_by TERM

# Each has its own token; other addresses of this host are not bound.
views "$log"
[[ $page != "$first" && ${page#*//*/} != "${first#*//*/}" ]] || fail "the same token: $page"
if curl -s -m 5 "http://[::1]:${server##*:}/" >/dev/null; then fail "IPv6 is bound"; fi
if curl -s -m 5 "http://127.0.0.2:${server##*:}/" >/dev/null; then fail "127.0.0.2 is bound"; fi
ends_by INT

# The argument of xdg-open, which other users can see, is another address: this user can use it once.
if command -v python3 >/dev/null; then
    mkdir "$work/bin"
    # shellcheck disable=SC2016 # for that script
    printf '#!/bin/sh\necho "$1" >%q\n' "$work/argument" >"$work/bin/xdg-open"
    chmod +x "$work/bin/xdg-open"
    PATH=$work/bin:$PATH DISPLAY=:0 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
        "$HECTIC" view "$log" >"$work/address" 2>"$work/err" </dev/null &
    opener=$!
    soon test -s "$work/argument"
    soon grep -q '^http' "$work/address"
    page=$(sed -n '/^http/s/\r$//p' "$work/address") # after messages, if any
    argument=$(cat "$work/argument")
    [[ $argument =~ ^(http://127\.0\.0\.1:[0-9]+)/[0-9a-f]{32}/$ && $page == "${BASH_REMATCH[1]}"/* ]] ||
        fail "argument: $argument, address: $page"
    [[ $argument != "$page" ]] || fail "xdg-open gets the token"
    answers 404 "${argument}api/overview"
    answers 404 "${argument}x"
    answers 403 "$argument" -H "Host: example.com"
    if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
        got=$(setpriv --reuid 65534 --clear-groups curl -s -m 60 -o /dev/null -w '%{http_code}' "$argument" || true)
        [[ $got == 404 ]] || fail "another user: $got"
    fi
    answers 302 "$argument"
    grep -qi "^location: /${page#*//*/}" "$work/head" || fail "$(cat "$work/head")"
    answers 404 "$argument"
    answers 200 "${page}api/overview"
    kill "$opener"
fi

# A growing file, a pipe, and a compressed log.
size=$(stat -c %s "$log")
head -c $((size / 2)) "$log" >"$work/growing"
views "$work/growing"
soon is_read
body_has "\"read_bytes\":$((size / 2))"
tail -c +$((size / 2 + 1)) "$log" >>"$work/growing"
soon has_sent "$size"
for request in "${requests[@]:1}"; do
    answers 200 "${page}api/$request"
    "$HECTIC_BUILD/view_answers" "$log" <<<"$request" | sed 1,2d >"$work/wanted"
    echo >>"$work/body"
    cmp "$work/wanted" "$work/body"
done
ends_by HUP

# A section that was cut is judged as by the command once nothing writes the log: a file that no program has open, a
# file of which that is not known and which has not changed for 5 s, a pipe, a compressed log.
is_as_printed() {
    answers 200 "${page}api/stat?from=1000000&to=1000000000000"
    echo >>"$work/body"
    "$HECTIC" stat --jsonl --from 1ms --to 1000s "$work/cut" >"$work/wanted" 2>"$work/err"
    cmp -s "$work/wanted" "$work/body"
}
judges() {
    soon grows false
    is_as_printed || fail "$(cat "$work/body"), wanted: $(cat "$work/wanted")"
}
generate_log --caps 3 --size 3M --seed 19 -o "$work/whole"
head -c 1500000 "$work/whole" >"$work/cut"
exec 9>>"$work/cut" # writes it
views "$work/cut"
soon has_sent 1500000
grows true || fail "a log that a program writes has its end"
is_as_printed && fail "the log covers all caps"
exec 9>&-
judges
head -c 2000000 "$work/whole" | tail -c 500000 >>"$work/cut"
soon has_sent 2000000
judges
ends_by TERM
views "$work/cut"
judges
ends_by TERM
exec 9< <(cat "$work/cut")
stdin=/dev/fd/9
views -
judges
ends_by TERM
exec 9<&-
stdin=/dev/null
as_other=(setpriv --reuid 65534 --clear-groups)
if [[ $(id -u) == 0 ]] && "${as_other[@]}" "$HECTIC" --version >"$work/out" 2>&1; then
    exec 9>>"$work/cut"
    touch -d "1 hour" "$work/cut"
    launch view "${as_other[@]}" "$HECTIC" view --no-browser - <"$work/cut"
    viewer=$launched
    soon has_address
    soon has_sent 2000000
    grows true || fail "a log that was just changed has its end"
    touch -d "6 seconds ago" "$work/cut"
    judges
    ends_by TERM
    exec 9>&-
fi
if gzip -c "$work/cut" >"$work/cut.gz" 2>/dev/null; then
    views "$work/cut.gz"
    judges
    ends_by TERM
fi

mkfifo "$work/pipe" "$work/source"
exec 8<>"$work/pipe" 9<>"$work/source" # they stay open
cat "$log" >&8
stdin=$work/pipe
views -
soon has_sent "$size"
answers 200 "${page}api/stat"
echo >>"$work/body"
"$HECTIC" stat --jsonl "$log" | cmp - "$work/body"
ends_by TERM
stdin=/dev/null

cat "$log" >&9
views "fifo:$work/source"
soon has_sent "$size"
ends_by TERM

if gzip -c "$log" >"$work/log.gz" 2>/dev/null; then
    views "$work/log.gz"
    soon has_sent "$size"
    answers 200 "${page}api/stat?from=1000000&to=3000000"
    ends_by TERM
fi

# What follows a failure is read, so that its writer does not wait, but not stored.
mkfifo "$work/broken"
exec 9>&- 9<>"$work/broken"
printf hdrb >&9
stdin=$work/broken
views -
stdin=/dev/null
stored() { # bytes of the file in $TMPDIR
    find "/proc/$viewer/fd" -lname '*(deleted)' -exec stat -Lc %s {} + | awk '{sum += $1} END {print sum + 0}'
}
head -c 100000 /dev/zero >&9
soon file_has "$work/view.err" "the rest is not read"
file_has "$work/view.err" "byte 4" || fail "no reason: $(cat "$work/view.err")"
timeout 60 head -c 20000000 /dev/zero >&9 || fail "the writer waits"
(($(stored) < 1000000)) || fail "stored: $(stored) bytes"
finish "$viewer" 1

# Files that are not logs, and invalid ports.
echo "not a log" >"$work/text"
gives 2 view "$work/text"
says 'byte 0: not an eventlog: it is text: "not …" (expected: the mark "hdrb" at the beginning'
[[ ! -s $work/out ]] || fail "an address: $(cat "$work/out")"
gives 2 view "$work/none"
: >"$work/empty"
gives 2 view "$work/empty"
says "byte 0: the input is empty"
stdin=/dev/null
gives 2 view --no-browser -
says "byte 0: the input is empty"
# A pipe that ends inside the header, at once or later: as a file.
head -c 100 "$log" >"$work/part"
gives 2 view "$work/part"
says "byte 0: truncated header: the input ends after 100 bytes"
mkfifo "$work/fifo"
for delay in 0 1; do
    (sleep "$delay" && cat "$work/part" && sleep "$delay") >"$work/fifo" &
    gives 2 view --no-browser - <"$work/fifo"
    says "byte 0: truncated header: the input ends after 100 bytes"
    wait "$!"
done
gives 64 view
gives 64 view --port 70000 "$log"

# Two logs: the second one has requests of its own, and the command compares both.
other=$logs/spans.eventlog
views "$log"
answers 404 "${page}2/api/overview"
answers 404 "${page}compare"
ends_by TERM
views "$log" "$other"
soon is_read
answers 200 "${page}2/api/stat?from=1000000&to=3000000"
echo >>"$work/body"
"$HECTIC" stat --jsonl --from 1ms --to 3ms "$other" | cmp - "$work/body"
answers 200 "${page}compare"
"$HECTIC" compare --json "$log" "$other" | cmp - "$work/body"
answers 200 "${page}compare?from=1000000&to=9000000&new_from=2000000&new_to=8000000"
"$HECTIC" compare --json --from 1ms --to 9ms --new-from 2ms --new-to 8ms "$log" "$other" | cmp - "$work/body"
answers 400 "${page}compare?from=12000000&to=15000000&new_from=12000000&new_to=15000000"
body_has "spans.eventlog: the interval is outside the log"
body_has '"code":"failed"'
answers 400 "${page}compare?from=1"
body_has "expected: compare"
ends_by TERM
gives 64 view "$log" -
says "of two logs, both must be files"
gives 64 view "$log" "unix:$work/none"
says "of two logs, both must be files"
gives 64 view "$log" "$other" "$log"
gives 2 view "$log" "$work/text"
says "not an eventlog"

# A comparison whose client is gone ends, and so does the one that is under way at the end.
generate_log --size 60M -o "$work/large.eventlog"
views "$work/large.eventlog" "$work/large.eventlog"
comparing() {
    pgrep -P "$viewer" -f "compare --json" >"$work/pids"
}
is_over() {
    ! comparing
}
curl -s "${page}compare" >"$work/body" &
client=$!
soon comparing
kill "$client"
soon is_over
curl -s "${page}compare" >"$work/body" &
soon comparing
ends_by TERM
while read -r pid; do
    ! kill -0 "$pid" 2>/dev/null || fail "$pid still compares"
done <"$work/pids"

#!/usr/bin/env bash
# hectic relay offers the page of hectic view for each program: who may see a log may see its page.
. tests/support/lib.bash
. tests/support/live.bash
needs curl
# shellcheck disable=SC2154 # set by lib.bash
export TMPDIR=$work/private
mkdir "$TMPDIR"

relays() { # OPTION…
    launch_relay relay "$@" --metrics 127.0.0.1:0
    port_of relay
    server=http://127.0.0.1:$port
}

is_over() {
    finish "$relay"
    [[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"
}

is_shown() { # TEXT: in the overview of the program `name`
    curl -sf -m 9 "${authorization[@]}" "$server/view/name/api/overview" | grep -F -- "$1" >/dev/null
}

authorization=()
log=$logs/threads.eventlog
size=$(stat -c %s "$log")
mkfifo "$work/in" "$work/other"
relays --from "name=fifo:$work/in" --from "other=fifo:$work/other"
exec 9<>"$work/in" 8<>"$work/other"
answers 404 "$server/view/name/api/overview"
head -c $((size / 2)) "$log" >&9
head -c $((size / 2)) "$logs/demo.eventlog" >&8
soon curl -sf -m 9 -o /dev/null "$server/view/name/api/overview"
answers 200 "$server/"
grep -qx /view/name/ "$work/body" || fail "not listed: $(cat "$work/body")"

# The page, and the log as it grows.
if [[ -e $(dirname "$HECTIC")/view.html ]]; then
    answers 200 "$server/view/name/"
    cmp "$(dirname "$HECTIC")/view.html" "$work/body"
    grep -qi "^content-security-policy: default-src 'none';" "$work/head" || fail "no policy"
else
    answers 404 "$server/view/name/"
fi
soon is_shown '"caps":[0'
answers 200 "$server/view/name/api/columns?width=100"
grep -qi '^content-type: application/octet-stream' "$work/head" || fail "$(cat "$work/head")"
[[ $(head -c 4 "$work/body") == HCOL ]] || fail "no columns"
answers 400 "$server/view/name/api/columns?width=0"
answers 400 "$server/view/name/api/nothing"
answers 200 "$server/view/other/api/overview"
end_of_log() {
    curl -s "$server/view/name/api/overview" | sed 's/.*"to_ns":\([0-9]*\).*/\1/'
}
last=$(end_of_log)
tail -c +$((size / 2 + 1)) "$log" >&9
grows() {
    local now
    now=$(end_of_log)
    ((now > last))
}
soon grows

# Several at once, and metrics meanwhile.
for i in 1 2 3 4 5 6 7 8; do
    curl -sf -m 60 -o "$work/stat$i" "$server/view/name/api/stat" &
    clients[i]=$!
done
answers 200 "$server/metrics"
for i in 1 2 3 4 5 6 7 8; do
    wait "${clients[i]}" || fail "no statistics"
    cmp "$work/stat1" "$work/stat$i"
done

# Nothing else.
for path in /view /view/ /view/name /view//api/overview /view/none/api/overview /view/name/apix /view/name/../other/api/overview \
    /view/name%2fapi/overview "/view/$(head -c 3000 /dev/zero | tr '\0' a)/api/overview"; do
    answers 404 "$server$path"
done
answers 403 "$server/view/name/api/overview" -H "Host: example.com"
answers 403 "$server/view/name/" -H "Host: example.com"
answers 405 "$server/view/name/api/overview" -X POST

# No requests of other web pages; but links to the page.
for path in /view/name/api/overview /log/name /metrics /; do
    for site in cross-site same-site other; do
        answers 403 "$server$path" -H "Sec-Fetch-Site: $site"
    done
done
for site in same-origin none; do
    answers 200 "$server/view/name/api/overview" -H "Sec-Fetch-Site: $site"
done
answers 200 "$server/healthz" -H "Sec-Fetch-Site: cross-site"
[[ ! -e $(dirname "$HECTIC")/view.html ]] || answers 200 "$server/view/name/" -H "Sec-Fetch-Site: cross-site"

# The end of a program leaves its page.
exec 9>&-
is_over

# With a token: the page, which has nothing of a log, but not the log.
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$work/token"
relays --from "name=fifo:$work/in" --token-file "$work/token"
exec 9<>"$work/in"
head -c $((size / 2)) "$log" >&9
answers 401 "$server/view/name/api/overview"
answers 401 "$server/view/name/api/overview" -H "Authorization: Bearer x"
answers 401 "$server/"
authorization=(-H "Authorization: Bearer $(cat "$work/token")")
soon is_shown '"caps":[0'
answers 200 "$server/view/name/api/overview" "${authorization[@]}" -H "Sec-Fetch-Site: cross-site"
[[ ! -e $(dirname "$HECTIC")/view.html ]] || answers 200 "$server/view/name/"
is_over

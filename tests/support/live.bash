# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the results are for tests; work is set by lib.bash
# What runs beside a test: relays, programs, pages, terminals. Sourced by tests, after lib.bash.

# launch NAME COMMAND…: in the background, as $launched. Its output is in $work/NAME.said, its messages in
# $work/NAME.err. It has none of the test's FIFOs.
launch() {
    local name=$1
    shift
    : >"$work/$name.said" # that of an earlier one
    : >"$work/$name.err"
    "$@" >"$work/$name.said" 2>"$work/$name.err" <&0 3>&- 8>&- 9>&- &
    launched=$!
}

# finish PID [CODE]: ends it by SIGTERM; it exits with that code, or 0.
finish() {
    kill "$1"
    ends "$@"
}

# ends PID [CODE]: it ends by itself.
ends() {
    local code=0
    wait "$1" || code=$?
    ((code == ${2:-0})) || fail "exit code $code, not ${2:-0}; $(evidence)"
}

# launch_relay NAME OPTION…: as $relay.
launch_relay() {
    launch "$1" "$HECTIC" relay "${@:2}"
    relay=$launched
}

# port_of NAME [NUMBER]: waits until that has reported so many ports; $port is the last of them.
port_of() {
    soon reports_port "$@"
}
reports_port() {
    port=$(sed -n 's/.*, port //p' "$work/$1.err" | sed -n "${2:-1}p")
    [[ $port ]]
}

free_port() { # prints one that nobody uses, below the ephemeral ones
    local port
    for ((port = 20000 + RANDOM % 10000; ; port++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

# get URL CURL-OPTION…: prints the status; what came is in $work/head and $work/body.
get() {
    curl -sS -m 60 --path-as-is -D "$work/head" -o "$work/body" -w "%{http_code}" "${@:2}" "$1" 2>"$work/curl" || true
}

# answers STATUS URL CURL-OPTION…
answers() {
    local got
    got=$(get "${@:2}")
    [[ $got == "$1" ]] || fail "${*:2}: $got, not $1: $(cat "$work/curl" && head -c 500 "$work/body")"
}

# body_has TEXT: the latest answer does.
body_has() {
    grep -qF -- "$1" "$work/body" || fail "no \"$1\" in: $(head -c 1000 "$work/body")"
}

body_matches() { # PATTERN: a line of it does
    grep -q -- "$1" "$work/body" || fail "no \"$1\" in: $(head -c 1000 "$work/body")"
}

# A terminal of tmux.
terminal() { # COMMAND-OF-TMUX…
    tmux -S "$work/tmux" -f /dev/null "$@"
}

keys() {
    terminal send-keys "$@"
}

screen() {
    terminal capture-pane -p >"$work/screen"
}

screen_has() { # REGEX
    screen && grep -qE -- "$1" "$work/screen"
}

screen_lacks() {
    ! screen_has "$1"
}

# shows REGEX…: each is on the screen, or will be. lacks REGEX: it is not there any more.
shows() {
    local regex
    for regex; do soon screen_has "$regex"; done
}

lacks() {
    soon screen_lacks "$1"
}

end_terminal() {
    terminal kill-server 2>/dev/null || true
}

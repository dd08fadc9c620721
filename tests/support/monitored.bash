# Runs examples/monitored. Sourced by tests, after lib.bash.
monitored=$HECTIC_BUILD/monitored

# begin NAME OPTION…: runs it; its console is file descriptor 3.
begin() {
    local name=$1
    shift
    rm -f "$work/console"
    mkfifo "$work/console"
    "$monitored" "$@" <"$work/console" >"$work/$name.said" 2>&1 &
    program=$!
    exec 3>"$work/console"
}

ended() { # NAME
    exec 3>&-
    wait "$program" || fail "$1: exit code $?: $(tail -3 "$work/$1.said")"
}

#!/usr/bin/env bash
# relay --record where logs cannot be recorded: it does not start; later it reports that at once, goes
# on serving readers, and records again when that is possible. All events are in a file, or counted.
. tests/support/lib.bash
. tests/support/live.bash
needs curl
needs zstd

message() { # TIME TEXT: a block with that one event
    local length=${#2}
    block "$1" $((12 + length)) "$1" 0
    be 2 19
    be 8 "$1"
    be 2 "$length"
    printf %s "$2"
}
said() { # TEXT
    file_has "$work/relay.err" "$1"
}
metric() { # NAME: its value
    curl -s "http://127.0.0.1:$port/metrics" | sed -n "s/^$1{.*} //p"
}
is() { # NAME VALUE
    [[ $(metric "$1") == "$2" ]]
}
recorded() { # DIR: the texts of all messages
    for file in "$1"/one-*; do "$HECTIC" inc --no-header "$file" 2>/dev/null; done |
        sed -n '/: event block: /d; s/.*: cap 0: //p'
}
holds() { # DIR TEXT
    recorded "$1" | grep -xF "$2" >/dev/null
}

# At the start: each cause has its message, and nothing is left behind.
log=$logs/demo.eventlog
refuses() { # DIR TEXT OPTION…
    gives 2 relay --from "$log" --record "$1" "${@:3}"
    says "$1: cannot write recordings: $2"
    [[ ! -d $1 || $1 == "$work/disk" || -z $(ls -A "$1") ]] || fail "left behind: $(ls -A "$1")"
}
touch "$work/file"
refuses "$work/file" "Not a directory"
refuses "$work/file/within" "Not a directory"
refuses "$work/nowhere/within" "No such file or directory"
refuses "$work/new" "" --keep-free 900000G
says " is free, and --keep-free is 819 TiB: free some space"
[[ ! -e $work/new ]] || fail "a directory is left behind"
mkdir "$work/closed"
chmod 500 "$work/closed"
((EUID == 0)) || refuses "$work/closed" "Permission denied"

# Later: the disk is full for a while.
fails_for_a_while() { # DIR FILL FREE CAUSE COMMAND…
    local directory=$1 fill=$2 free=$3 cause=$4
    mkfifo "$work/in"
    "${@:5}" relay --from "one=fifo:$work/in" --record "$directory" --keep-free 1 \
        --metrics 127.0.0.1:0 --listen "unix:$work/readers" 2>"$work/relay.err" &
    relay=$!
    exec 9>"$work/in"
    port_of relay
    log_header 18 14 19 65535 >&9
    message 1 first >&9
    soon holds "$directory" first
    is hectic_record_failing 0 || fail "it fails before it does"
    "$HECTIC" inc "unix:$work/readers" >"$work/read" 2>/dev/null &
    local reader=$!
    $fill
    local -i time=1 sent=1
    fails_after_another() {
        message $((++time)) "$RANDOM$RANDOM $RANDOM$RANDOM$RANDOM" >&9
        ((++sent))
        said "one: recording failed: $directory: "
    }
    soon fails_after_another
    said "$cause; retrying every second" || fail "no cause: $(cat "$work/relay.err")"
    message $((++time)) missing >&9
    ((++sent))
    soon is hectic_record_failing 1
    $free
    soon said "one: recording resumed; "
    soon is hectic_record_failing 0
    message $((++time)) last >&9
    soon holds "$directory" last
    local missed bytes
    missed=$(metric hectic_record_missed_events_total)
    bytes=$(metric hectic_record_bytes_total)
    ((missed > 0 && bytes > 0)) || fail "$missed events are missing, $bytes bytes are written"
    [[ $(curl -s "http://127.0.0.1:$port/metrics" | sed -n 's/^hectic_relay_record_failures_total //p') == 1 ]] ||
        fail "failures are not counted"
    exec 9>&-
    finish "$relay" 1
    ends "$reader"
    (($(grep -c 'recording failed' "$work/relay.err") == 1)) || fail "reported again and again: $(cat "$work/relay.err")"
    # Each event is in one file, or counted; the file behind the gap says so.
    recorded "$directory" >"$work/got"
    for file in "$directory"/one-*; do "$HECTIC" inc --no-header "$file"; done >"$work/all"
    grep -qF ": hectic: $missed events were dropped here" "$work/all" ||
        fail "the gap of $missed events is not reported: $(cat "$work/all")"
    (($(wc -l <"$work/got") + missed == sent + 1)) ||
        fail "$sent events + 1, $missed are missing, and $(wc -l <"$work/got") are there"
    (($(grep -c ': cap 0: ' "$work/read") >= sent)) || fail "the reader lacks events"
    for file in "$directory"/one-*; do
        "$HECTIC" check "$file" >/dev/null || fail "$file is damaged"
    done
    rm -rf "$work/in" "${directory:?}"/*
}
if may_preload; then
    fill_preloaded() { touch "$work/full"; }
    free_preloaded() { rm "$work/full"; }
    fails_for_a_while "$work/preloaded" fill_preloaded free_preloaded \
        "No space left on device" "${preload[@]}" FULL_DISK="$work/preloaded/" FULL_WHILE="$work/full" "$HECTIC"
fi

mkdir "$work/disk"
mount -t tmpfs -o size=1m tmpfs "$work/disk" 2>/dev/null || skip "the rest needs to mount a small disk, as root"
# shellcheck disable=SC2046
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; umount -l "$work/disk"; rm -rf "$work"' EXIT
refuses "$work/disk" "only 1.0 MiB is free, and --keep-free is 1.0 GiB: free some space"
fill() { dd if=/dev/zero of="$work/disk/filler" bs=4k 2>/dev/null || true; }
empty() { rm "$work/disk/filler"; }
fill
refuses "$work/disk/record" "No space left on device" --keep-free 1
empty
mkdir -p "$work/disk/record"
fails_for_a_while "$work/disk/record" fill empty "less than 1 bytes (--keep-free) is free" "$HECTIC"
mount -o remount,ro "$work/disk"
refuses "$work/disk/record" "Read-only file system" --keep-free 1

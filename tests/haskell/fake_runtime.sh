#!/usr/bin/env bash
# The C part of the package hectic-eventlog with a fake of GHC's runtime: behavior of other versions
# than the installed one, and cases that depend on timing.
. tests/support/lib.bash
cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$HECTIC_BUILD/CMakeCache.txt"
}
read -ra flags < <(cached CMAKE_C_FLAGS)
read -ra libraries < <(PKG_CONFIG_PATH=$HECTIC_BUILD pkg-config --static --libs-only-l hectic)

build() { # VERSION FLAG…
    "$(cached CMAKE_C_COMPILER)" -std=gnu17 -g -Wall -Wextra -Wconversion -Werror -Wno-address "${flags[@]}" \
        -DFAKE_GHC="$1" "${@:2}" -Itests/runtime -Ighc/include -Iinclude -I"$HECTIC_BUILD/include" \
        -o "$work/program" tests/runtime/*.c ghc/cbits/*.c -L"$HECTIC_BUILD" \
        "${libraries[@]/-lhectic/-l:libhectic.a}" -lpthread
}
# is_alive LOG: the threads that are alive at its end.
is_alive() {
    "$HECTIC" threads --csv "$1" >"$work/csv"
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} NR > 1 && $at["ended_ns"] == "" {print $at["thread"]}' "$work/csv"
}
try() { # KIND VERSION FLAG…
    echo "$*" >&2
    local kind=$1 all=$*
    shift
    build "$@" 2>"$work/cc.err" || fail "$(cat "$work/cc.err")"
    rm -f "$work"/*.eventlog
    HECTIC_EVENTLOG_FLUSH_MS=0 "$work/program" "$kind" "$work/first.eventlog" "$work/second.eventlog" ||
        fail "$all"
    for log in first second; do
        "$HECTIC" check "$work/$log.eventlog" >"$work/out" || fail "$all: $log: $(cat "$work/out")"
        "$HECTIC" inc "$work/$log.eventlog" >"$work/$log"
        [[ $* == *FAKE_SHARED* ]] || "$HECTIC" validate threads "$work/$log.eventlog" >"$work/out" ||
            fail "$all: $log: $(cat "$work/out")"
        grep -q ": $log\$" "$work/$log" || fail "$all: $log is not in its log"
        ! grep -q "nobody hears" "$work/$log" || fail "$all: a message logged while stopped"
    done
    if [[ $all == *FAKE_SHARED* && $all != "c-main 900 "* ]]; then
        grep -q "began meanwhile is not known" "$work/second" || fail "$all: the unknown interval is not reported"
        return
    fi
    [[ -z $(is_alive "$work/second.eventlog") ]] || fail "$all: still alive: $(cat "$work/csv")"
}
logs_anew() { # KIND VERSION FLAG…
    try "$@"
    ! grep -q "in the gap" "$work/second" || fail "$*: a message logged while stopped"
    grep -q "logging is off from here" "$work/first" || fail "$*: no message"
    (($(grep -c "in the gap" "$work/first") == 1)) || fail "$*: a message logged while logging was off"
    (($(is_alive "$work/first.eventlog" | wc -l) == 3)) || fail "$*: alive: $(cat "$work/csv")"
}
switches() { # KIND VERSION FLAG…
    logs_anew "$@"
    grep -q "logging of scheduler is off from here" "$work/first" || fail "$*: no message"
    grep -q "logging of scheduler is on from here; it was off since" "$work/first" ||
        fail "$*: no message"
}
# A cap's full buffer is written before the others, while the log moves: each log is valid.
redirects() { # VERSION FLAG…
    try moved "$@"
    for log in first second; do
        "$HECTIC" validate threadpool "$work/$log.eventlog" >"$work/out" ||
            fail "moved $*: $log: $(cat "$work/out")"
    done
    ! grep -q "migrating thread" "$work/first" || fail "moved $*: later events are in the first log"
}

for version in 900 902 904 906 914 916; do
    switches plain $version
done
for version in 900 902 904 916; do
    redirects $version
done
redirects 900 -DFAKE_ONE_THREAD=1
redirects 904 -DFAKE_ONE_THREAD=1
switches marking 900
switches plain 900 -DFAKE_ONE_THREAD=1
logs_anew c-main 900 -DFAKE_SHARED=1
try c-main 904 -DFAKE_SHARED=1
try plain 900 -DFAKE_SHARED=1
try plain 904 -DFAKE_SHARED=1

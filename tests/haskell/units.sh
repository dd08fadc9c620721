#!/usr/bin/env bash
# Clients that join programs with four caps at random, read slowly, or not at all, that send commands,
# and whose destinations move: each log is sound and valid outside of gaps, and has all events of all
# caps from the time at which it begins. "make joins" has 500 clients.
. tests/support/lib.bash
needs python3
joins=${JOINS:-$(is_short && echo 24 || echo 60)} seed=${SEED:-$RANDOM}
read -ra libraries < <(PKG_CONFIG_PATH=$HECTIC_BUILD pkg-config --static --libs-only-l hectic)
libraries=(-L"$HECTIC_BUILD" "${libraries[@]/-lhectic/-l:libhectic.a}")
sanitize=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$HECTIC_BUILD/CMakeCache.txt" | grep -o -- '-fsanitize=[a-z,]*' || true)
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$HECTIC_BUILD/CMakeCache.txt")
# shellcheck disable=SC2086 # no option if it is empty
"$compiler" -O $sanitize -Iinclude -I"$HECTIC_BUILD/include" -o "$work/emits" tests/programs/uneven.c \
    "${libraries[@]}" -lpthread

begin() { # PROGRAM ARGUMENT…
    (cd "$work" && exec "$@" 2>>program.err) &
    program=$!
}
end() {
    kill "$program"
    wait "$program" || true
    rm -f "$work"/*.sock
}
# join NAME SHARE ARGUMENT…: a share (%) of all clients joins.
join() {
    mkdir "$work/joined"
    echo "$1, seed $seed"
    (cd "$work" && PYTHONPATH=$OLDPWD/tests/support python3 "$OLDPWD/tests/support/random_joins.py" \
        "$HECTIC" joined $((joins * $2 / 100)) "$seed" "${@:3}") || fail "$1: $(cat "$work"/*.err)"
    rm -r "${work:?}/joined"
}
# is_from_begin PROGRAM…: the first log begins with the program, whoever connected before.
is_from_begin() {
    begin "$@"
    soon test -S "$work/a.sock"
    for _ in 1 2 3; do
        "$HECTIC" ctl "unix:$work/a.sock" flush
        sleep 0.3 # so that a log that began now would begin late
    done
    python3 tests/support/random_joins.py --silent "$work/a.sock" &
    local silent=$!
    soon is_let_in a.sock
    "$HECTIC" record -q --force --for 1s "unix:$work/a.sock" "$work/first.eventlog"
    kill $silent
    end
    "$HECTIC" inc "$work/first.eventlog" >"$work/first"
    grep -q "running thread" "$work/first" || fail "$1: no thread"
    first=$(grep -m 1 "running thread" "$work/first")
    ((${first%%:*} < 500000000)) || fail "$1: the log begins late: $first"
}

is_from_begin ./emits a.sock
begin ./emits 200000 a.sock
join emits 25 --whole a.sock
"$HECTIC" relay -q --from "unix:$work/a.sock" --listen "unix:$work/b.sock" --record "$work/files" \
    --record-size 500k --keep-free 1 2>"$work/relay.err" &
relay=$!
soon test -S "$work/b.sock"
join emits_relayed 15 b.sock
end
kill $relay
wait $relay
for file in "$work"/files/*; do
    gives 0 check "$file"
    gives 0 validate -q all "$file"
done

[[ ! $sanitize ]] && command -v ghc >/dev/null || exit 0
. tests/support/compile.bash
compile_emitting logs -threaded -rtsopts tests/programs/uneven.hs
ghc=(./logs 1000 listen:unix:a.sock +RTS -l -N4)
# It may log more than 16 MiB before its log is read.
HECTIC_EVENTLOG_KEEP=256M is_from_begin "${ghc[@]}"
export HECTIC_EVENTLOG_FLUSH_MS=500
begin "${ghc[@]}"
join logs 20 --whole a.sock
end
# Each flush is larger than what is kept.
HECTIC_EVENTLOG_KEEP=300000 begin "${ghc[@]}"
join large_flushes 15 --whole a.sock
end
begin "${ghc[@]}"
"$HECTIC" relay -q --from "unix:$work/a.sock" --listen "unix:$work/b.sock" 2>"$work/relay.err" &
relay=$!
soon test -S "$work/b.sock"
join logs_relayed 15 --whole b.sock
end
kill $relay
wait $relay
begin ./logs 1500 listen:unix:a.sock listen:unix:b.sock +RTS -l -N4
join moves 10 a.sock b.sock
end

#!/usr/bin/env bash
# The core of the library compiles for wasm32, uses nothing of an operating system, and reads, prints
# and writes logs, and analyses profiles, there as on this machine.
set -euo pipefail

skip() {
    echo "skipped: $1"
    exit 77
}
for program in clang wasm-ld llvm-nm node cmake; do
    command -v "$program" >/dev/null || skip "$program is missing (scripts/install-deps test)"
done
[ -e /usr/lib/wasm32-wasi/libc.a ] || skip "wasi-libc is missing (scripts/install-deps test)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build_core() {
    cmake -S . -B "$work/build" --toolchain "$PWD/cmake/wasm32-wasi.cmake" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
    cmake --build "$work/build"
}
build_core >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
core=$work/build/libhectic_core.a

# The core's external symbols: memory and strings.
llvm-nm --defined-only "$core" | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
llvm-nm --undefined-only "$core" | awk '$1 == "U" { print $2 }' | sort -u >"$work/undefined"
allowed='^(__stack_pointer|(m|c|re)alloc|free|mem[a-z]+|str[a-z]+|snprintf|qsort|bsearch)$'
if comm -23 "$work/undefined" "$work/defined" | grep -Ev "$allowed"; then
    echo "the core may not use what is listed above"
    exit 1
fi

clang --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -std=c17 -O2 \
    -Wall -Wextra -Wconversion -Werror -Iinclude tests/wasm/core.c "$core" -o "$work/core.wasm"
in_wasm() {
    node --no-warnings tests/wasm/run.mjs "$work/core.wasm" "$@"
}

corpus=${HECTIC_CORPUS:-../shared/corpus}
shopt -s nullglob
count=0
analysed=0
failed=0
for log in tests/logs/*.eventlog "$corpus"/*.eventlog; do
    [ -s "$log" ] || continue # inc refuses an empty log
    in_wasm log <"$log" >"$work/copy" || failed=1
    cmp "$log" "$work/copy" || failed=1
    "$HECTIC" inc "$log" >"$work/native"
    in_wasm text <"$log" >"$work/text" || failed=1
    cmp "$work/native" "$work/text" || failed=1
    "$HECTIC_BUILD/core" profiles <"$log" >"$work/native"
    in_wasm profiles <"$log" >"$work/profiles" || failed=1
    cmp "$work/native" "$work/profiles" || failed=1
    analysed=$((analysed + $(wc -l <"$work/profiles")))
    count=$((count + 1))
done
echo "$count logs read, printed and written by the core under wasm32"
[ "$count" -gt 0 ] && [ "$analysed" -gt 0 ] || failed=1
exit $failed

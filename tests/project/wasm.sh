#!/usr/bin/env bash
# The core of the library compiles for wasm32, uses nothing of an operating system, and reads, prints
# and writes logs, analyses profiles, and answers the requests of a page, there as on this machine.
set -euo pipefail

skip() {
    echo "SKIPPED: $1"
    exit 77
}
for program in clang wasm-ld llvm-nm node cmake; do
    command -v "$program" >/dev/null || skip "$program is missing (scripts/install-deps test)"
done
[ -e /usr/lib/wasm32-wasi/libc.a ] || skip "wasi-libc is missing (scripts/install-deps test)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The build of the page, where there is one; otherwise the same again, without warnings.
wasm=$HECTIC_BUILD/wasm
build_core() {
    cmake -S . -B "$wasm" --toolchain "$PWD/cmake/wasm32-wasi.cmake" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
    cmake --build "$wasm"
}
if [ ! -e "$wasm/view.wasm" ]; then
    wasm=$work/build
    build_core >"$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
fi
# Not of sources that were removed: their objects stay in a build tree.
objects=$wasm/CMakeFiles/hectic_core.dir
core=()
while read -r object; do
    source=${object#"$objects/"}
    if [ -e "${source%.o*}" ]; then core+=("$object"); fi
done < <(find "$objects" -name '*.obj' -o -name '*.o')

# The core's external symbols: memory, strings, mathematics, regular expressions, and the seed of hash maps.
llvm-nm --defined-only "${core[@]}" | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
llvm-nm --undefined-only "${core[@]}" | awk '$1 == "U" { print $2 }' | sort -u >"$work/undefined"
allowed='^(__stack_pointer|(m|c|re)alloc|free|mem[a-z]+|str[a-z]+|v?snprintf|qsort|bsearch|frexp|erfc|exp2|fmax|pow|sqrt|reg(comp|exec|free)|map_seed)$'
if comm -23 "$work/undefined" "$work/defined" | grep -Ev "$allowed"; then
    echo "the core may not use what is listed above"
    exit 1
fi

clang --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -std=c17 -O2 \
    -Wall -Wextra -Wconversion -Werror -Iinclude -Isrc tests/wasm/core.c "${core[@]}" -o "$work/core.wasm"
# The engine of a page needs only what the page gives it.
# shellcheck disable=SC2016 # of JavaScript
imports=$(node -p 'const module = new WebAssembly.Module(fs.readFileSync(process.argv[1]));
    WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`).join(" ")' \
    "$wasm/view.wasm")
[ "$imports" = "env.read env.expect" ] || {
    echo "view.wasm imports $imports"
    exit 1
}

# All requests, of the whole and of parts down to single events.
requests() {
    local from to length part name
    from=$(sed 's/.*"from_ns":\([0-9]*\),.*/\1/; t; s/.*/0/' <<<"$1")
    to=$(sed 's/.*"to_ns":\([0-9]*\),.*/\1/; t; s/.*/0/' <<<"$1")
    length=$((to - from + 1))
    printf '%s\n' overview overview?section=2 columns labels curves stat stat?section=2 findings findings?section=2 gc mmu spans sparks gc_rows span_rows \
        span_rows?by=name message_rows spark_rows error
    for part in 1 2 7 100 5000 1000000; do
        for name in columns labels curves stat findings threads gc mmu spans sparks latency links thread_rows gc_rows span_rows message_rows spark_rows; do
            echo "$name?thread=1&threads=1,2,3,4&from=$((from + length / 3))&to=$((from + length / 3 + length / part + 1))&width=77"
        done
    done
    for part in thread cap collection span marker message; do
        for name in at next previous longest; do
            echo "element?kind=$part&which=$name&thread=2&cap=1&time=$((from + length / 2))&within=$((length / 9))"
        done
    done
    printf '%s\n' threads thread_list latency 'thread_rows?threads=1,2,x' \
        "links?thread=2&time=$((from + length / 2))" 'events?count=30' 'events?count=30&backward=1' 'events?class=gc,heap&cap=0,none' \
        'search?text=GC' 'search?text=st.*p%2e?g&regex=1&backward=1' 'search_all?text=%5Cd%5Cd&regex=1&width=9' \
        'events?text=(a&regex=1' 'search' 'events?beyond=x' 'events?thread=1,2&count=50' \
        prof 'heat?width=30' 'heap?bands=7' ticky
    printf '%s\n' nothing columns?width=x 'columns?width=0' 'stat?from=9&to=5' 'stat?%zz=1' error
}

# Each log, with what this machine makes of it; then all of them under wasm32.
corpus=${HECTIC_CORPUS:-../shared/corpus}
shopt -s nullglob
analysed=0
names=()
for log in tests/logs/*.eventlog "$corpus"/*.eventlog; do
    [ -s "$log" ] || continue # inc refuses an empty log
    name=$work/${#names[@]}
    names+=("$name")
    ln -s "$(realpath "$log")" "$name.log"
    "$HECTIC" inc "$log" >"$name.text"
    "$HECTIC_BUILD/core" profiles <"$log" >"$name.profiles"
    analysed=$((analysed + $(wc -l <"$name.profiles")))
    "$HECTIC_BUILD/view_answers" "$log" <<<overview | sed -n 3p >"$work/overview"
    requests "$(cat "$work/overview")" >"$name.requests"
    "$HECTIC_BUILD/view_answers" "$log" <"$name.requests" >"$name.answers"
    printf '%s\n' "log $name.log $name.log.wasm" "text $name.log $name.text.wasm" \
        "profiles $name.log $name.profiles.wasm" >>"$work/runs"
    echo "$name.log $name.requests $name.answers.wasm" >>"$work/views"
done
failed=0
node --no-warnings tests/wasm/run.mjs "$work/core.wasm" <"$work/runs" || failed=1
node --no-warnings tests/wasm/view.mjs "$wasm/view.wasm" <"$work/views" || failed=1
for name in "${names[@]}"; do
    for kind in log text profiles answers; do
        cmp "$name.$kind" "$name.$kind.wasm" && continue
        echo "$kind of $(readlink "$name.log")"
        failed=1
    done
done
echo "${#names[@]} logs read, printed and written by the core under wasm32"
[ ${#names[@]} -gt 0 ] && [ "$analysed" -gt 0 ] || failed=1
exit $failed

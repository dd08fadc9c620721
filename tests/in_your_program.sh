#!/usr/bin/env bash
# The commands that README.md and docs/in-your-program.md give for Haskell programs work as they
# stand there, with an installed libhectic, and leave nothing in the clone.
. tests/cli/lib.bash
needs ghc
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"

export HOME=$work/home HECTIC_TOOL=$HECTIC HECTIC=$work/clone
mkdir -p "$HOME" "$HECTIC" "$work/README.md" "$work/in-your-program.md"
git ls-files -z | xargs -0 cp --parents -t "$HECTIC"
cmake --install "$HECTIC_BUILD" --prefix "$HOME/.local" >/dev/null
export PATH=$HOME/.local/bin:$PATH
files() {
    (cd "$HECTIC" && find . -type f | sort)
}
files >"$work/before"

# block N FILE: the Nth run of indented lines. Sockets have to be our own.
block() {
    awk -v n="$1" '/^    / {if (!inside) count++; inside = 1} /^[^ ]/ {inside = 0}
        inside && count == n {print substr($0, 5)}' "$2" | sed "s|/tmp/|$work/|g"
}
# block_of TEXT FILE: the one with that text.
block_of() {
    local i
    for ((i = 1; ; i++)); do
        [[ -n $(block $i "$2") ]] || fail "$2 has no commands with $1"
        if [[ $(block $i "$2") == *"$1"* ]]; then
            block $i "$2"
            return
        fi
    done
}
# follow: does what the lines on stdin say, until the program runs; then each line has to succeed.
follow() {
    local line commands=
    while IFS= read -r line; do
        if [[ $line == "hectic "* ]]; then
            reach "$line"
            continue
        fi
        commands+=$line$'\n'
        [[ $line == *\\ || $line == "for "* || $line == "    "* ]] && continue
        eval "$commands"
        [[ $commands != *" ./Main"* ]] || soon test -S "$work/main.sock"
        commands=
    done
}
# A verb that watches goes on until it is ended, having said something.
reach() {
    local code=0
    case $1 in
    "hectic ctl "*) eval "$1" >out 2>"$work/ctl.err" || fail "$1: $(cat "$work/ctl.err")" ;;
    *)
        eval "$1" >out 2>"$work/watch.err" &
        soon test -s out
        kill $!
        wait $! || code=$?
        ((code == 0 || code == 143)) || fail "$1: exit code $code: $(cat "$work/watch.err")"
        ;;
    esac
}
finish() {
    # The program is the only job that is left.
    # shellcheck disable=SC2046
    kill $(jobs -p)
    wait
    rm -f "$work/main.sock"
    files | diff "$work/before" - || fail "$1 leaves files in the clone"
}

readme=$PWD/README.md doc=$PWD/docs/in-your-program.md
cd "$work/README.md"
awk '/^```/ {inside = /haskell/; next} inside' "$readme" >Main.hs
follow < <(block_of cbits "$readme")
finish README.md

cd "$work/in-your-program.md"
cp "$HECTIC/ghc/examples/Live.hs" Main.hs
sed -i 's/"live"/"my-app"/' Main.hs
follow < <(block_of "export PKG_CONFIG_PATH" "$doc")
follow < <(block_of cbits "$doc")
follow < <(block_of "hectic watch" "$doc")
follow < <(block_of "my-app 1" "$doc")
follow < <(block_of stop-logging "$doc")
finish docs/in-your-program.md
follow < <(block_of heap-census "$doc")
finish docs/in-your-program.md

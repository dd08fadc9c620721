#!/usr/bin/env bash
# A started program inherits three descriptors from hectic and no other: no outputs, spools or
# sockets.
. tests/support/lib.bash
needs ghc
. tests/support/compile.bash
compile prog run.hs -threaded
log=$logs/demo.eventlog
run="run:$work/prog last 300"
mkfifo "$work/fifo"
generate_log --size 20M -o "$work/big"

links_of() { # PID: of descriptors above 2
    local fd
    for fd in /proc/"$1"/fd/*; do
        ((${fd##*/} <= 2)) || readlink "$fd" || true
    done
}
links_of $$ >"$work/ours"

# inherits COMMAND…: checks the program that hectic starts. The program itself opens its log, the
# descriptors that its runtime waits on, and pipes that hectic does not have.
inherits() {
    "$@" </dev/null >"$work/out" 2>"$work/err" &
    child=$!
    soon grep -qs begins "$work/err" "$work/out"
    links_of "$(pgrep -P $child)" | grep -v -e 'hectic-run\..*/eventlog' -e ^anon_inode: -e ^/dev/null$ >"$work/its" || true
    links_of $child >"$work/hectics"
    while read -r link; do
        if [[ $link != pipe:* ]] || grep -qxF "$link" "$work/hectics"; then
            fail "$*: the program has inherited $link"
        fi
    done < <(grep -vxFf "$work/ours" "$work/its")
    kill -TERM $child
    wait $child || true
}

for verb in "inc --force -o $work/kept SRC" "show SRC" "copy --force SRC $work/kept" "copy SRC -" "cut --force SRC $work/kept" \
    "stat SRC" "threads SRC" "info SRC" "check --repair --force SRC $work/kept" "watch SRC" \
    "validate all SRC" "merge --force --align none -o $work/kept $log fifo:$work/fifo SRC" \
    "relay --from SRC --listen unix:$work/readers --listen tcp:127.0.0.1:0 --record $work/record --keep-free 1 --metrics 127.0.0.1:0"; do
    read -ra words <<<"$verb"
    inherits "$HECTIC" "${words[@]/SRC/$run}"
done
for options in "" "--force --log $work/kept" "--force --log $work/kept -o $work/lines --json"; do
    # shellcheck disable=SC2086 # words are meant
    inherits "$HECTIC" run $options "$work/prog" last 300
done

#!/usr/bin/env bash
# Closed standard descriptors: no message and no output of a program gets into a file or a socket that
# has their number.
. tests/support/lib.bash
log=$logs/demo.eventlog
head -c 9000 "$log" >"$work/damaged"
printf 'no event at all, but text' >>"$work/damaged"
tail -c +9001 "$log" >>"$work/damaged"

# with_closed DESCRIPTORS COMMAND…: $1 is some of 012.
with_closed() {
    local closed=$1
    shift
    (
        [[ $closed != *0* ]] || exec <&-
        [[ $closed != *1* ]] || exec >&-
        [[ $closed != *2* ]] || exec 2>&-
        exec "$@"
    ) </dev/null >"$work/stdout" 2>"$work/stderr"
}

# The expected files: each verb's output with all descriptors open.
write_all() { # FOLDER DESCRIPTORS
    local folder=$1 closed=$2
    with_closed "$closed" "$HECTIC" copy "$log" "$folder/copy" || true
    with_closed "$closed" "$HECTIC" copy "$work/damaged" "$folder/copied-in-vain" || true
    with_closed "$closed" "$HECTIC" cut --from 2ms "$log" "$folder/cut" || true
    with_closed "$closed" "$HECTIC" merge -o "$folder/merge" "$log" "$log" || true
    with_closed "$closed" "$HECTIC" check --repair "$work/damaged" "$folder/repaired" || true
    with_closed "$closed" "$HECTIC" check -o "$folder/check" "$work/damaged" || true
    for verb in show inc info stat gc threads spans sparks tasks; do
        with_closed "$closed" "$HECTIC" "$verb" -o "$folder/$verb" "$work/damaged" || true
    done
    with_closed "$closed" "$HECTIC" validate -o "$folder/validate" all "$work/damaged" || true
    with_closed "$closed" "$HECTIC" simulate -o "$folder/simulate" threads "$log" || true
    with_closed "$closed" "$HECTIC" profile -o "$folder/profile" threads "$log" || true
    with_closed "$closed" "$HECTIC" relay --once --from "one=$log" --from "two=$work/damaged" \
        --record "$folder/record" --keep-free 1 || true
    for file in "$folder"/record/*.zst; do
        # Their names contain the time.
        [[ ! -e $file ]] || zstd -dcf "$file" 2>/dev/null >"$folder/$(basename "${file%%-*}").record"
    done
    rm -rf "$folder/record"
}

mkdir "$work/wanted"
write_all "$work/wanted" ""
for closed in 0 1 2 01 02 12 012; do
    mkdir "$work/$closed"
    write_all "$work/$closed" "$closed"
    diff -r "$work/wanted" "$work/$closed" || fail "with descriptors $closed closed, files differ"
done

# If standard output is closed, writing to it is an error.
for verb in show inc info stat watch; do
    code=0
    with_closed 1 "$HECTIC" $verb "$log" || code=$?
    [[ $code == 2 ]] || fail "$verb to nowhere: exit code $code"
done
code=0
with_closed 0 "$HECTIC" show - || code=$?
[[ $code == 2 ]] || fail "show from nowhere: exit code $code"

# Sockets: a reader gets the log and nothing else.
cat >"$work/reads.py" <<'PYTHON'
import sys, waiting
s = waiting.connect(sys.argv[1])
open(sys.argv[2], "w").close()
while piece := s.recv(65536): sys.stdout.buffer.write(piece)
PYTHON
events_of() {
    "$HECTIC" inc --no-header "$1" | grep -v -e ': event block' -e ': env: ' -e '^$' | sort
}
events_of "$log" >"$work/expected"
for closed in 0 1 2 01 02 12 012; do
    mkfifo "$work/in$closed"
    with_closed "$closed" "$HECTIC" relay --from "one=fifo:$work/in$closed" \
        --listen "unix:$work/sock$closed" --once &
    relay=$!
    python3 "$work/reads.py" "$work/sock$closed" "$work/connected$closed" >"$work/got" &
    reader=$!
    soon test -e "$work/connected$closed"
    cat "$log" >"$work/in$closed"
    wait "$reader" || fail "with descriptors $closed closed, the reader failed"
    wait "$relay" || fail "with descriptors $closed closed, the relay ended with $?"
    events_of "$work/got" >"$work/told"
    same "$work/told" "$work/expected"
    : >"$work/err"
    code=0
    with_closed "$closed" "$HECTIC" ctl "unix:$work/sock$closed" flush || code=$?
    [[ $code == 2 ]] || fail "ctl without a program: exit code $code"
done

# A started program and its output.
command -v ghc >/dev/null || skip "needs ghc for hectic run"
. tests/support/compile.bash
compile prog run.hs -threaded
for closed in "" 0 1 2 01 02 12 012; do
    code=0
    with_closed "$closed" "$HECTIC" run --log "$work/log$closed" -o "$work/lines$closed" --csv \
        "$work/prog" last 1 || code=$?
    # The program fails if it cannot print.
    [[ $code == 0 || $closed == *1* ]] || fail "run, with descriptors $closed closed: exit code $code"
    gives 0 check "$work/log$closed"
    gives 0 info --json "$work/log$closed"
    grep -q '"complete":true' "$work/out" || fail "the log of run has no end: $(cat "$work/out")"
    if grep -vE '^(time_ns,|[0-9]+,)' "$work/lines$closed"; then fail "text among the lines of run"; fi
done

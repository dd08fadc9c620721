#!/usr/bin/env bash
# A log has an end marker where its program wrote one, and only there: in what record and the relay make
# of it, in recorded files, and for readers.
. tests/support/lib.bash
. tests/support/live.bash
needs gzip
killed=$work/killed.eventlog
head -c -8 "$logs/killed.eventlog" >"$killed"

is() { # WHOLE LOG: 1: with an end marker; 0: without
    local name=$2
    gives 0 check "$name"
    if (($1)); then
        ! grep -q "cut short" "$work/out" || fail "$name lacks its end marker: $(cat "$work/out")"
    else
        grep -Eq ": sound, cut short(, with gaps)?: " "$work/out" || fail "$name is not cut short: $(cat "$work/out")"
        grep -q "No end marker: still running, killed, or truncated" "$work/out" ||
            fail "$name: no reason: $(cat "$work/out")"
    fi
    [[ $("$HECTIC" info --json "$name") == *"\"complete\":$( (($1)) && echo true || echo false)"* ]] ||
        fail "info says otherwise: $name"
}
passes() { # WHOLE LOG
    local whole=$1 log=$2 file reader
    is "$whole" "$log"
    "$HECTIC" record --force - "$work/taken" <"$log" 2>/dev/null
    gzip -cf "$work/taken" >"$work/taken.gz"
    is "$whole" "$work/taken"
    is "$whole" "$work/taken.gz"
    rm -rf "$work/files" "$work/in" "$work/readers"
    mkfifo "$work/in"
    launch_relay relay --once --from "one=fifo:$work/in" --listen "unix:$work/readers" --record "$work/files" --keep-free 1
    timeout 60 "$HECTIC" copy --force "unix:$work/readers" "$work/read" 2>"$work/reader.err" &
    reader=$!
    soon is_let_in "$work/readers"
    cat "$log" >"$work/in"
    ends "$reader"
    ends "$relay"
    is "$whole" "$work/read"
    for file in "$work/files"/*; do is "$whole" "$file"; done
    grep -qF "one: log ended$( ((whole)) || echo " without an end marker: the program was killed, or still runs")" \
        "$work/relay.err" || fail "the relay says: $(cat "$work/relay.err")"
    ! ( ((whole)) && grep -q "without an end marker" "$work/relay.err") || fail "it misses an end marker"
}
passes 1 "$logs/threads.eventlog"
passes 0 "$killed"

# Of rotated files, the last has it.
rm -rf "$work/files"
generate_log --size 3M -o "$work/long"
"$HECTIC" relay --once --from "one=$work/long" --record "$work/files" --record-size 500k --keep-free 1 2>/dev/null
files=("$work/files"/*)
((${#files[@]} >= 3)) || fail "not rotated: ${files[*]}"
for file in "${files[@]}"; do is $(($([[ $file == "${files[-1]}" ]] && echo 1 || echo 0))) "$file"; done

# The relay ends before its program.
rm -rf "$work/files"
launch_relay relay --from "one=fifo:$work/in" --record "$work/files" --keep-free 1
exec 9>"$work/in"
cat "$killed" >&9
recorded() { compgen -G "$work/files/one-*" >/dev/null; }
soon recorded
finish "$relay"
exec 9>&-
is 0 "$work/files"/one-*

#!/usr/bin/env bash
# run:COMMAND as a source: every verb starts a program, reads its log, and ends it.
. tests/support/lib.bash
needs ghc
. tests/support/compile.bash
compile all run.hs -threaded
(cd "$work" && ghc -v0 -outputdir objects -o without "$OLDPWD/tests/programs/run.hs" -rtsopts)
export TMPDIR=$work/private
mkdir "$TMPDIR"
all=run:$work/all

leaves_nothing() {
    [[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"
}

# begin ARGUMENT…: hectic, in the background.
begin() {
    rm -f "$work/err" # of the run before
    "$HECTIC" "$@" >"$work/out" 2>"$work/err" &
    child=$!
}

# COMMAND is split into words as by a shell; the output of the program is separate.
export WORD='of a variable'
gives 0 threads "$all 'a b'  \"\$WORD\" c\\ d +RTS -A1m -RTS ''"
says '["a b","of a variable","c d",""]'
grep -q '^Thread ' "$work/out" || fail "no threads: $(cat "$work/out")"
gives 0 info --json "$all x +RTS -A3m"
grep -q '"-A3m"' "$work/out" || fail "the runtime has not got -A3m: $(cat "$work/out")"
gives 0 watch --csv "$all cat" <<<'from stdin'
says 'from stdin'
[[ $(head -1 "$work/out") == time_ns,* && $(wc -l <"$work/out") -ge 2 ]] || fail "no lines: $(cat "$work/out")"
gives 0 watch "$all exit 3"
says "exit 3 exited with status 3"
gives 0 stat --jsonl "$all last 2"
grep -q allocated "$work/out" || fail "no answer: $(cat "$work/out")"
gives 0 inc "$all last 1"
grep -q 'creating thread' "$work/out" || fail "no events: $(cat "$work/out")"
leaves_nothing

# A large log arrives completely.
gives 0 watch --csv --every 100ms "$all last 15 +RTS -A64k"
awk -F, 'NR > 1 {sum += $3} END {exit sum < 1e8}' "$work/out" || fail "lines are missing: $(cat "$work/out")"
leaves_nothing

# Caps whose events arrive at different times: no line exceeds its interval.
gives 0 watch --json "$all uneven 40 +RTS -N2 -A256k"
tr ',{}' '\n' <"$work/out" | awk -F: '
    /"program"/ {in_cap = 0; lines++}
    /"caps"/ {in_cap = 1}
    /"duration_ns"/ {duration = $2}
    (/"gc_ns"/ || (in_cap && /"(mutator|idle)_ns"/)) && $2 + 0 > duration + 0 {
        print lines, in_cap, $0, duration
        bad = 1
    }
    END {exit bad || lines < 3}' >"$work/bad" || fail "impossible: $(cat "$work/bad" "$work/out")"

# Errors, with their remedies.
gives 2 watch "run:$work/nothing"
says "No such file"
gives 2 watch "run:$work/without"
says "relink it with -eventlog -rtsopts"
! grep Try "$work/err" || fail "the program is at fault, not the command line"
gives 2 threads "run:$work/nothing"
! grep Try "$work/err" || fail "the program is at fault, not the command line"
gives 2 watch run:true
says "is not a Haskell program"
gives 2 watch run:
says "incomplete source"
gives 2 watch "run: "
says "contains no program"
gives 2 watch "$all | cat"
says "quote | &"
gives 2 watch "$all \$(true)"
says "are not substituted"
gives 2 watch "$all 'x"
says "unclosed quote or bracket"
gives 2 watch "$all +RTS --no-such-option"
says "no eventlog was written"
leaves_nothing

# A relay serves it, and ends it.
gives 0 relay --once --from "given=$all last 2" --record "$work/record"
says "begins"
"$HECTIC" check "$work"/record/given*.zst >/dev/null || fail "no record: $(ls "$work/record")"
leaves_nothing

# A signal or a limit interrupts the program, in every verb.
set -m
for verb in "watch INT 0" "watch TERM 0" "watch HUP 0" "inc TERM 0" "inc INT 0" "threads INT 0" \
    "threads TERM 0" "relay TERM 0"; do
    read -r name signal wanted <<<"$verb"
    arguments=("$name" "$all last 300")
    [[ $name != relay ]] || arguments=(relay --from "$all last 300" --listen "unix:$work/readers")
    begin "${arguments[@]}"
    soon file_matches "$work/err" begins
    program=$(pgrep -P $child)
    kill "-$signal" $child
    code=0
    wait $child || code=$?
    [[ $code == "$wanted" ]] || fail "$name, ended by $signal: exit code $code; $(cat "$work/err")"
    [[ ! -e /proc/$program ]] || fail "$name, ended by $signal: the program still runs"
    # Events that it writes after the interrupt count.
    [[ $name != threads ]] || grep -q '^Thread ' "$work/out" || fail "no threads: $(cat "$work/out")"
    leaves_nothing
done
gives 0 inc --limit 3 "$all last 300"
leaves_nothing

# A program that ignores the interrupt is terminated after a while.
begin watch "$all deaf"
soon file_matches "$work/err" begins
program=$(pgrep -P $child)
from=$SECONDS
kill -TERM $child
sleep 1 # that the interrupt does not end it, only time can show
[[ -e /proc/$program ]] || ((SECONDS - from >= 5)) || fail "an interrupt has ended it"
wait $child || fail "exit code $?"
soon is_gone "$program"
leaves_nothing

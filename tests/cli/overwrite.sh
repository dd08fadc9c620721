#!/usr/bin/env bash
# No verb writes to its own input, under any name, or through any descriptor.
# shellcheck disable=SC2094 # that is what is tried
. tests/support/lib.bash
log=$logs/demo.eventlog
input=$work/input other=$work/other
cp "$log" "$input"
cp "$logs/threads.eventlog" "$other"
ln -s input "$work/symbolic"
ln "$input" "$work/hard"
mkdir "$work/folder"
ln -s ../input "$work/folder/symbolic"

is_intact() {
    cmp -s "$input" "$log" || fail "$*: the input is no longer what it was"
}

# refuses ARGUMENT…: exit code 2, and nothing is changed.
refuses() {
    gives 2 "$@"
    says "it is an input and would be overwritten"
    is_intact "$@"
}

for out in input symbolic hard folder/symbolic; do
    out=$work/$out
    refuses copy "$input" "$out"
    refuses copy "$input" -o "$out"
    refuses copy --cap 0 "$input" "$out"
    refuses cut "$input" "$out"
    refuses cut --from 2ms "$input" "$out"
    refuses check --repair --force "$input" "$out"
    refuses check -o "$out" "$input"
    refuses merge --force -o "$out" "$input" "$other"
    refuses merge --force -o "$out" "$other" "$other" "$input"
    for verb in show inc info stat gc threads spans sparks tasks; do
        refuses "$verb" -o "$out" "$input"
    done
    refuses show threads -o "$out" "$input"
    refuses stat --every 1ms -o "$out" "$input"
    for verb in validate simulate profile; do
        refuses "$verb" -o "$out" threads "$input"
    done
    # Sources of which the file is part.
    refuses inc -o "$out" "file:$input"
    refuses inc --follow -o "$out" "$input"
    refuses stat -o "$out" "file:$input"
    refuses copy "file:$input" "$out"
done
refuses copy "$work/hard" "$work/symbolic"
echo 0123456789abcdef0123456789abcdef >"$work/token"
refuses copy "tcp:localhost:1,token-file=$work/token" "$work/token"
refuses copy /dev/fd/3 "$input" 3<"$input"
refuses copy fd:3 "$input" 3<"$input"

# Through descriptors that the shell has opened.
refuses copy - "$input" <"$input"
for verb in "copy - -" "inc -" "info -" "check -" "watch -" "watch $input" "show $input"; do
    code=0
    # shellcheck disable=SC2086 # words are meant
    "$HECTIC" $verb <"$input" >>"$input" 2>"$work/err" || code=$?
    [[ $code == 2 ]] || fail "$verb appended to its input: exit code $code"
    says "standard output: it is an input"
    is_intact "$verb"
done
# Messages about damage do not get into the damaged file.
head -c 9000 "$log" >"$work/damaged"
echo "no event" >>"$work/damaged"
cp "$work/damaged" "$work/as-it-was"
code=0
"$HECTIC" show --force "$work/damaged" >"$work/out" 2>>"$work/damaged" || code=$?
[[ $code == 2 ]] || fail "messages that go into the input: exit code $code"
same "$work/damaged" "$work/as-it-was"
# A pipe that leads back.
mkfifo "$work/pipe"
exec 3<>"$work/pipe"
gives 2 copy --force "$work/pipe" "$work/pipe"
says "it is an input"
exec 3>&-

# A file that a verb waits for becomes the file that it writes.
"$HECTIC" inc --force --quiet --follow -o "$work/late" "$work/late" 2>"$work/err" &
child=$!
cp "$log" "$work/late"
code=0
wait $child || code=$?
[[ $code == 2 ]] || fail "exit code $code"
says "it is an input"
same "$work/late" "$log"

# Allowed: the same device, other files of the folder, a file that is no longer read.
gives 0 copy "$input" /dev/null
gives 0 copy --force "$input" "$work/folder/input"
same "$work/folder/input" "$log"
gives 0 copy --force "$work/folder/input" "$input"
is_intact

# hectic run: the program itself, and the program's input.
command -v ghc >/dev/null || skip "needs ghc for hectic run"
. tests/support/compile.bash
compile kept run.hs -threaded
cp -L "$work/kept" "$work/prog"
ln -s prog "$work/link"
for option in --log -o; do
    gives 125 run "$option" "$work/prog" "$work/prog" exit 0
    gives 125 run "$option" "$work/link" "$work/prog" exit 0
    code=0
    "$HECTIC" run "$option" "$input" "$work/prog" cat <"$input" >"$work/out" 2>"$work/err" || code=$?
    [[ $code == 125 ]] || fail "run $option to its stdin: exit code $code"
    is_intact "run $option"
done
gives 2 copy --force "run:$work/prog exit 0" "$work/prog"
same "$work/prog" "$work/kept"

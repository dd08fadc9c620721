#!/usr/bin/env bash
# -o FILE is atomic: FILE is written completely or not at all.
. tests/support/lib.bash
log=$logs/tiny.eventlog
mkdir "$work/folder"
file=$work/folder/file

nothing_but() {
    [[ $(ls -A "$work/folder") == "$1" ]] || fail "left behind: $(ls -A "$work/folder")"
}

gives 0 show --force "$log" -o "$file"
[[ ! -s $work/out ]] || fail "the output is also printed"
same "$file" "$logs/tiny.show"
nothing_but file
(umask 027 && gives 0 show --force "$log" -o "$file.mode")
[[ $(stat -c %a "$file.mode") == 640 ]] || fail "the mode does not follow umask"
rm "$file.mode"

# An existing file stays until the new one is complete, which then gets its mode; links stay links.
echo old >"$file"
chmod 604 "$file"
gives 2 show --force "$work/missing" -o "$file"
[[ $(cat "$file") == old ]] || fail "a failure changes the file"
nothing_but file
ln -s folder/file "$work/link"
gives 0 show --force "$log" -o "$work/link"
[[ -L $work/link ]] || fail "the link is gone"
same "$file" "$logs/tiny.show"
[[ $(stat -c %a "$file") == 604 ]] || fail "the mode is gone"
nothing_but file

# Destinations that cannot be written.
gives 2 show --force "$log" -o "$work/nowhere/file"
says "hectic: $work/nowhere/file: No such file or directory"
gives 2 show --force "$log" -o "$work/folder"
says "irectory"
gives 0 show --force "$log" -o /dev/null
gives 0 show --force "$log" -o -
same "$work/out" "$logs/tiny.show"

# While it is written, the file has no name if the system supports such files: it disappears however
# the process ends.
rm -f "$file"
generate_log --size 200M -o "$work/big"
"$HECTIC" show --force "$work/big" -o "$file" &
child=$!
is_written() {
    local fd
    for fd in /proc/"$child"/fd/*; do
        [[ $(readlink "$fd") == "$work/folder/"* && $(stat -Lc %s "$fd") -gt 0 ]] && return
    done
    return 1
}
soon is_written
unnamed=$(ls -A "$work/folder")
kill -KILL $child
wait $child || true
[[ -n $unnamed ]] || nothing_but ""
rm -f "$work/folder/".hectic.*

# The file is synced before it gets its name, and its folder is synced afterwards.
may_preload || skip "preloading is not for sanitizers"
order_is() { # the operations on files of that folder
    sed -E "s, $work/folder/#[0-9]+ \(deleted\), NEW,; s, $work/folder/.hectic.[0-9a-f]+, TEMPORARY,g
        s, $work/folder/file, FILE,g; s, $work/folder\$, FOLDER," "$work/told" >"$work/order"
    [[ $(tr '\n' , <"$work/order") == "$1" ]] || fail "in this order: $(cat "$work/order")"
    rm "$work/told"
}
"${preload[@]}" TELL_FILES="$work/told" "$HECTIC" show --force "$log" -o "$file"
[[ -n $unnamed ]] || order_is "fsync NEW,link FILE,fsync FOLDER,"
same "$file" "$logs/tiny.show"
"${preload[@]}" TELL_FILES="$work/told" "$HECTIC" show --force "$log" -o "$file"
[[ -n $unnamed ]] || order_is "fsync NEW,link TEMPORARY,rename TEMPORARY FILE,fsync FOLDER,"
"${preload[@]}" NO_UNNAMED=1 TELL_FILES="$work/told" "$HECTIC" show --force "$log" -o "$file"
order_is "fsync TEMPORARY,rename TEMPORARY FILE,fsync FOLDER,"
same "$file" "$logs/tiny.show"
nothing_but file

# The disk is full when the file is synced.
echo old >"$file"
code=0
"${preload[@]}" FULL_DISK="$work/folder" FULL_HOW=sync "$HECTIC" show --force "$log" -o "$file" 2>"$work/err" || code=$?
[[ $code == 2 ]] || fail "exit code $code"
says "hectic: $file: No space left on device"
[[ $(cat "$file") == old ]] || fail "the file is replaced although syncing failed"
nothing_but file

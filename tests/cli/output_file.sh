#!/usr/bin/env bash
# -o FILE: FILE appears whole or not at all.
. tests/support/lib.bash
log=$logs/tiny.eventlog
mkdir "$work/folder"
file=$work/folder/file

nothing_but() {
    [[ $(ls -A "$work/folder") == "$1" ]] || fail "left behind: $(ls -A "$work/folder")"
}

gives 0 show "$log" -o "$file"
[[ ! -s $work/out ]] || fail "it is printed, too"
same "$file" "$logs/tiny.show"
nothing_but file
(umask 027 && gives 0 show "$log" -o "$file.mode")
[[ $(stat -c %a "$file.mode") == 640 ]] || fail "the mode is not what umask says"
rm "$file.mode"

# What is there stays until the new one is whole, and then keeps its mode; links stay links.
echo old >"$file"
chmod 604 "$file"
gives 2 show "$work/missing" -o "$file"
[[ $(cat "$file") == old ]] || fail "a failure changes the file"
nothing_but file
ln -s folder/file "$work/link"
gives 0 show "$log" -o "$work/link"
[[ -L $work/link ]] || fail "the link is gone"
same "$file" "$logs/tiny.show"
[[ $(stat -c %a "$file") == 604 ]] || fail "the mode is gone"
nothing_but file

# Where it cannot be written.
gives 2 show "$log" -o "$work/nowhere/file"
says "hectic: $work/nowhere/file: No such file or directory"
gives 2 show "$log" -o "$work/folder"
says "irectory"
gives 0 show "$log" -o /dev/null
gives 0 show "$log" -o -
same "$work/out" "$logs/tiny.show"

# While it is written it has no name, where the system has such files: whatever ends the process, it
# is gone.
rm -f "$file"
"$HECTIC" gen --size 1000G -o "$file" &
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

# It is on the disk before it gets its name, and the name is then, too.
may_preload || skip "preloading is not for sanitizers"
order_is() { # of what was done with files of that folder
    sed -E "s, $work/folder/#[0-9]+ \(deleted\), NEW,; s, $work/folder/.hectic.[0-9a-f]+, TEMPORARY,g
        s, $work/folder/file, FILE,g; s, $work/folder\$, FOLDER," "$work/told" >"$work/order"
    [[ $(tr '\n' , <"$work/order") == "$1" ]] || fail "in this order: $(cat "$work/order")"
    rm "$work/told"
}
"${preload[@]}" TELL_FILES="$work/told" "$HECTIC" show "$log" -o "$file"
[[ -n $unnamed ]] || order_is "fsync NEW,link FILE,fsync FOLDER,"
same "$file" "$logs/tiny.show"
"${preload[@]}" TELL_FILES="$work/told" "$HECTIC" show "$log" -o "$file"
[[ -n $unnamed ]] || order_is "fsync NEW,link TEMPORARY,rename TEMPORARY FILE,fsync FOLDER,"
"${preload[@]}" NO_UNNAMED=1 TELL_FILES="$work/told" "$HECTIC" show "$log" -o "$file"
order_is "fsync TEMPORARY,rename TEMPORARY FILE,fsync FOLDER,"
same "$file" "$logs/tiny.show"
nothing_but file

# A disk that is full when it is to be written out.
echo old >"$file"
code=0
"${preload[@]}" FULL_DISK="$work/folder" FULL_HOW=sync "$HECTIC" show "$log" -o "$file" 2>"$work/err" || code=$?
[[ $code == 2 ]] || fail "exit code $code"
says "hectic: $file: No space left on device"
[[ $(cat "$file") == old ]] || fail "the file is replaced by one that may not be on the disk"
nothing_but file

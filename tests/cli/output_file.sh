#!/usr/bin/env bash
# -o FILE: FILE appears whole or not at all.
. tests/cli/lib.bash
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

# A log may be replaced by what is made of it.
cp "$log" "$file"
gives 0 show "$file" -o "$file"
same "$file" "$logs/tiny.show"

# Where it cannot be written.
gives 2 show "$log" -o "$work/nowhere/file"
says "hectic: $work/nowhere/file: No such file or directory"
gives 2 show "$log" -o "$work/folder"
says "irectory"
gives 0 show "$log" -o /dev/null
gives 0 show "$log" -o -
same "$work/out" "$logs/tiny.show"

# A compressed log is the same under any name; damage is reported, and a log that is cut short is used
# up to its end. $packer compresses, $library decompresses; file names end in $ending.
. tests/support/lib.bash
needs "$packer"
grep -q "^HECTIC_ENABLE_$library:BOOL=ON" "$HECTIC_BUILD/CMakeCache.txt" || skip "built without $library"
log=$logs/threads.eventlog

"$packer" -c <"$log" >"$work/threads.eventlog.$ending"
cp "$work/threads.eventlog.$ending" "$work/other-name"
for verb in show inc; do
    "$HECTIC" "$verb" "$log" >"$work/plain"
    gives 0 "$verb" "$work/threads.eventlog.$ending"
    same "$work/out" "$work/plain"
    gives 0 "$verb" "$work/other-name"
    same "$work/out" "$work/plain"
    gives 0 "$verb" - <"$work/other-name"
    same "$work/out" "$work/plain"
done

head -c 20 "$work/other-name" >"$work/broken"
head -c 200 /dev/zero >>"$work/broken"
gives 2 show "$work/broken"
says "hectic: $work/broken: "

generate_log --seed 1 --size 2M -o - | "$packer" -c >"$work/long"
head -c $(($(stat -c %s "$work/long") / 2)) "$work/long" >"$work/cut"
gives 0 check "$work/cut"
grep -q ': sound, cut short: [1-9]' "$work/out" || fail "check: $(cat "$work/out")"
for verb in show stat inc; do gives 0 "$verb" "$work/cut"; done
head -c 10 "$work/long" >"$work/cut"
gives 2 check "$work/cut"

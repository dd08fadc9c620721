#!/usr/bin/env bash
# A log packed by zstd is the same, whatever its name; a broken one is told.
. tests/cli/lib.bash
needs zstd
grep -q '^HECTIC_ENABLE_ZSTD:BOOL=ON' "$HECTIC_BUILD/CMakeCache.txt" || skip "built without libzstd"
log=$logs/threads.eventlog

zstd -c <"$log" >"$work/threads.eventlog.zst"
cp "$work/threads.eventlog.zst" "$work/other-name"
for verb in show inc; do
    "$HECTIC" "$verb" "$log" >"$work/plain"
    gives 0 "$verb" "$work/threads.eventlog.zst"
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

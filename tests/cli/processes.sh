#!/usr/bin/env bash
# Logs of several processes: each is told of as by its own log.
. tests/cli/lib.bash
needs jq

# What is told of a process: all but the numbers that merge changes, and when the log has the cap.
facts='del(.section, .process, .pid, .from_ns, .to_ns) |
       .caps |= map(del(.cap, .present_ns, .idle_ns))'

pid_of() {
    "$HECTIC" show --no-header --event OSPROCESS_PID "$1" 2>/dev/null | grep -o '[0-9]*$' || true
}

# parts MERGED LOG…: each part is as its own log.
parts() {
    local merged=$1 log pid
    shift
    gives 0 stat --json "$merged"
    cp "$work/out" "$work/merged.json"
    [[ $(jq '.processes | length' "$work/merged.json") == "$#" ]] || fail "$merged: not $# processes"
    for log; do
        pid=$(pid_of "$log")
        pid=${pid:-null}
        jq -S ".processes[] | select(.pid == $pid) | $facts" "$work/merged.json" >"$work/found"
        "$HECTIC" stat --json "$log" 2>/dev/null | jq -S "$facts" >"$work/wanted"
        [[ -s $work/wanted ]] || fail "$log: nothing"
        diff "$work/wanted" "$work/found" >&2 || fail "$merged: $log is not as by itself"
        "$HECTIC" stat --json "$log" 2>/dev/null
    done >"$work/each"
    # Sums, and a pipe.
    jq -s '[(map(.memory.allocated_bytes) | add), (map(.time.gc_ns) | add),
        (map(.time.mutator_ns) | add), (map(.caps[].runs) | add)]' "$work/each" >"$work/wanted"
    jq '.total | [.allocated_bytes, .gc_ns, .mutator_ns, .runs]' "$work/merged.json" >"$work/found"
    same "$work/found" "$work/wanted"
    "$HECTIC" stat --json - <"$merged" | cmp - "$work/merged.json" || fail "$merged: from a pipe"
}

# All logs by themselves come before and after another.
threads=$logs/threads.eventlog
for log in demo sparks heap-nonmoving spans messages; do
    for align in wall start; do
        gives 0 merge --force --align $align "$work/merged" "$threads" "$logs/$log.eventlog"
        parts "$work/merged" "$threads" "$logs/$log.eventlog"
    done
done

# Merged again, in another order, with one that was cut short before it names its process, and
# packed.
head -c 15000 "$logs/demo.eventlog" >"$work/short"
gives 0 merge --force --align start "$work/two" "$logs/sparks.eventlog" "$work/short"
gives 0 merge --force --align start "$work/three" "$threads" "$work/two"
parts "$work/three" "$threads" "$logs/sparks.eventlog" "$work/short"
gives 0 merge --force --align start "$work/four" "$work/three" "$logs/spans.eventlog"
gzip "$work/four"
gives 0 stat "$work/four.gz"
prints "Sums over 4 processes"
gunzip "$work/four.gz"
parts "$work/four" "$threads" "$logs/sparks.eventlog" "$work/short" "$logs/spans.eventlog"

# Text: a report of each, and the sums.
gives 0 merge --force "$work/merged" "$threads" "$logs/demo.eventlog"
gives 0 stat "$work/merged"
prints "Process $(pid_of "$threads") (capset 0)"
prints "Process $(pid_of "$logs/demo.eventlog") (capset 2)"
prints "Sums over 2 processes"
prints "       2,313,280 bytes allocated in the heaps"
gives 0 stat --csv "$work/merged"
[[ $(head -n 1 "$work/out") == section,process,pid,* ]] || fail "no column of processes"
[[ $(wc -l <"$work/out") == 3 ]] || fail "no row for each process"

# Of one process nothing changes.
gives 0 stat --csv "$threads"
grep -q process "$work/out" && fail "a column of processes for one"

# Three runs at once.
if command -v ghc >/dev/null; then
    cp tests/programs/busy.hs "$work"
    ghc -v0 -O1 -threaded -eventlog -rtsopts -outputdir "$work/o" -o "$work/busy" "$work/busy.hs"
    for i in 1 2 3; do
        "$work/busy" 200 +RTS -N4 -A256k -la -ol"$work/busy$i" &
        sleep 0.1
    done
    wait
    gives 0 merge --force "$work/merged" "$work"/busy[123]
    parts "$work/merged" "$work"/busy[123]
fi

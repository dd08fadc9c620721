#!/usr/bin/env bash
# Logs of several processes: the results of each are those of its own log.
. tests/support/lib.bash
runs_often
needs jq

# The results of a process, without the numbers that merge changes, and without the times of its caps.
facts='del(.section, .process, .pid, .from_ns, .to_ns) |
       .caps |= map(del(.cap, .present_ns, .idle_ns))'

pid_of() {
    "$HECTIC" show --no-header --event OSPROCESS_PID "$1" 2>/dev/null | grep -o '[0-9]*$' || true
}

# parts MERGED LOG…: the results of each part are those of its own log.
parts() {
    local merged=$1 log pid
    shift
    gives 0 stat --jsonl "$merged"
    cp "$work/out" "$work/merged.json"
    [[ $(wc -l <"$work/merged.json") == "$#" ]] || fail "$merged: not $# processes"
    for log; do
        pid=$(pid_of "$log")
        pid=${pid:-null}
        jq -S "select(.pid == $pid) | $facts" "$work/merged.json" >"$work/found"
        "$HECTIC" stat --jsonl "$log" 2>/dev/null | jq -S "$facts" >"$work/wanted"
        [[ -s $work/wanted ]] || fail "$log: nothing"
        diff "$work/wanted" "$work/found" >&2 || fail "$merged: the results of $log differ"
        "$HECTIC" stat --jsonl "$log" 2>/dev/null
    done >"$work/each"
    # Sums, and input from a pipe.
    jq -s '[(map(.memory.allocated_bytes) | add), (map(.time.gc_ns) | add),
        (map(.time.mutator_ns) | add), (map(.caps[].runs) | add)]' "$work/each" >"$work/wanted"
    "$HECTIC" stat --json "$merged" | jq '.stat_total[0] | [.allocated_bytes, .gc_ns, .mutator_ns, .runs]' >"$work/found"
    same "$work/found" "$work/wanted"
    "$HECTIC" stat --jsonl - <"$merged" | cmp - "$work/merged.json" || fail "$merged: from a pipe"
}

# Each log merged with another, before and after it.
threads=$logs/threads.eventlog
for log in demo sparks heap-nonmoving spans messages; do
    aligns=(wall start)
    if is_short; then aligns=("${aligns[${#log} % 2]}"); fi
    for align in "${aligns[@]}"; do
        gives 0 merge --force --align "$align" -o "$work/merged" "$threads" "$logs/$log.eventlog"
        parts "$work/merged" "$threads" "$logs/$log.eventlog"
    done
done

# Merged again, in another order, and compressed.
cp "$logs/demo.eventlog" "$work/short"
gives 0 merge --force --align start -o "$work/two" "$logs/sparks.eventlog" "$work/short"
gives 0 merge --force --align start -o "$work/three" "$threads" "$work/two"
parts "$work/three" "$threads" "$logs/sparks.eventlog" "$work/short"
gives 0 merge --force --align start -o "$work/four" "$work/three" "$logs/spans.eventlog"
gzip "$work/four"
gives 0 stat "$work/four.gz"
prints "Sums over 4 processes"
gunzip "$work/four.gz"
parts "$work/four" "$threads" "$logs/sparks.eventlog" "$work/short" "$logs/spans.eventlog"

# Text: a report for each, and the sums.
gives 0 merge --force -o "$work/merged" "$threads" "$logs/demo.eventlog"
gives 0 stat "$work/merged"
prints "Process $(pid_of "$threads") (capset 0)"
prints "Process $(pid_of "$logs/demo.eventlog") (capset 2)"
prints "Sums over 2 processes"
prints "       2,313,280 bytes allocated in the heaps"
gives 0 stat --csv "$work/merged"
[[ $(head -n 1 "$work/out") == section,process,pid,* ]] || fail "no column of processes"
[[ $(wc -l <"$work/out") == 3 ]] || fail "no row for each process"

# info lists all programs, each as for its own log.
gives 0 info "$work/merged"
[[ $(grep -c '^Program    ./' "$work/out") == 2 ]] || fail "info: not two programs"
prints "Processes  2"
gives 0 info --json "$work/merged"
cp "$work/out" "$work/info"
for log in "$threads" "$logs/demo.eventlog"; do
    pid=$(pid_of "$log")
    keys='[.args, .rts, .pid, .ppid, .start_seconds, .start_nanoseconds, .alloc_area_bytes, (.caps | length)]'
    jq -c ".processes[] | select(.pid == $pid) | $keys" "$work/info" >"$work/found"
    "$HECTIC" info --json "$log" | jq -c "$keys" >"$work/wanted"
    same "$work/found" "$work/wanted"
done
gives 0 info --json "$threads"
[[ $(jq 'has("processes")' "$work/out") == false ]] || fail "info: processes of one"

# With one process nothing changes.
gives 0 stat --csv "$threads"
grep -q process "$work/out" && fail "a column of processes for one"

# rows VERB…: with --process, the rows of a part are those of its own log, except for points in time
# and numbers that merge changes; without it, there are the rows of all parts.
drop='^(process|pid|cap|thread|cap_list|first_cap|last_cap|from_cap|end_cap|end_thread|start_ns|end_ns|born_ns|ended_ns|created_ns|deleted_ns|first_ns|last_ns|from_ns|to_ns)$'
rows() {
    local verb=$1 log
    shift
    for log in "$threads" "$logs/$verb.eventlog"; do
        "$HECTIC" "$@" --json --process "$(pid_of "$log")" "$work/merged" 2>/dev/null >"$work/found" || true
        "$HECTIC" "$@" --json "$log" 2>/dev/null >"$work/own" || true
        for kind in found own; do
            jq -S "if type == \"object\" then to_entries | map(.value) else [.] end | map(arrays) |
                flatten | map(with_entries(select(.key | test(\"$drop\") | not))) |
                sort_by(tostring)" "$work/$kind" >"$work/$kind.rows"
        done
        same "$work/found.rows" "$work/own.rows"
        cat "$work/own.rows" >>"$work/all.$verb"
    done
}
for log in demo sparks spans heap-nonmoving; do
    gives 0 merge --force -o "$work/merged" "$threads" "$logs/$log.eventlog"
    for verb in threads tasks gc sparks spans; do
        rows "$log" $verb
        # All together: each row names its process.
        "$HECTIC" $verb --csv "$work/merged" 2>/dev/null >"$work/found" || true
        for one in "$threads" "$logs/$log.eventlog"; do
            pid=$(pid_of "$one")
            own=$({ "$HECTIC" $verb --csv "$one" 2>/dev/null || true; } | tail -n +2 | wc -l)
            [[ $(cut -d, -f3 "$work/found" | grep -cx "$pid" || true) == "$own" ]] ||
                fail "$verb: rows of $one"
        done
    done
    rows "$log" sparks --each
    rows "$log" spans --each
done

# Intervals: slices of a process add up to the whole; there are none before its start.
gives 0 merge --force --align start -o "$work/merged" "$threads" "$logs/demo.eventlog"
gives 0 stat --every 3ms --csv "$work/merged"
for log in "$threads" "$logs/demo.eventlog"; do
    pid=$(pid_of "$log")
    for column in allocated_bytes gc_ns runs collections; do
        sum=$(awk -F, -v pid="$pid" -v column=$column '
            NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
            $at["pid"] == pid {sum += $at[column]}
            END {print sum}' "$work/out")
        own=$("$HECTIC" stat --csv "$log" | awk -F, -v column=$column '
            NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next} {print $at[column]}')
        [[ $sum == "$own" ]] || fail "--every: $column of $log: $sum, not $own"
    done
done
gives 0 stat --jsonl --from 1ms --to 5ms "$work/merged"
[[ $(jq -s 'map(.pid) | length' "$work/out") == 2 ]] || fail "an interval: not both processes"

# An interval extends to --to while the process lives, although its last event before that is earlier.
numbers='walk(if type == "object" then del(.section, .process, .pid, .cap, .label, .thread, .first_cap, .last_cap) else . end)'
pid=$(pid_of "$logs/demo.eventlog")
for verb in stat "stat --every 700us" threads; do
    for interval in "--from 1ms --to 3ms" "--from 2ms --to 4ms" "--from 4ms --to 1h"; do
        # shellcheck disable=SC2086 # words are meant
        gives 0 $verb --jsonl $interval "$logs/demo.eventlog"
        jq -cS "$numbers" "$work/out" >"$work/wanted"
        [[ -s $work/wanted ]] || fail "$verb $interval: nothing"
        # shellcheck disable=SC2086
        gives 0 $verb --jsonl $interval "$work/merged"
        jq -cS "select(.pid == $pid) | $numbers" "$work/out" >"$work/found"
        same "$work/found" "$work/wanted"
        # shellcheck disable=SC2086
        gives 0 $verb --jsonl $interval --process "$pid" "$work/merged"
        jq -cS "$numbers" "$work/out" >"$work/found"
        same "$work/found" "$work/wanted"
    done
done

# A process that ends early, and one that starts late, are only in their own intervals.
gives 0 merge --force -o "$work/merged" "$threads" "$logs/demo.eventlog"
gives 0 stat --jsonl --to 1s "$work/merged"
[[ $(jq .pid "$work/out") == "$(pid_of "$logs/demo.eventlog")" ]] || fail "--to 1s"
gives 0 gc --csv --from 1s "$work/merged"
cut -d, -f3 "$work/out" | grep -x "$(pid_of "$logs/demo.eventlog")" >/dev/null && fail "--from 1s: it had ended"

# A part of a merged log, as for a late reader.
gives 0 merge --force --align start -o "$work/merged" "$threads" "$logs/demo.eventlog"
gives 0 cut --from 5ms "$work/merged" "$work/part"
gives 0 stat --jsonl "$work/part"
for log in "$threads" "$logs/demo.eventlog"; do
    pid=$(pid_of "$log")
    jq "select(.pid == $pid) | .gc.generations | map(.collections)" "$work/out" \
        >"$work/found"
    "$HECTIC" stat --jsonl --from 5ms --process "$pid" "$work/merged" |
        jq '.gc.generations | map(.collections)' >"$work/wanted"
    same "$work/found" "$work/wanted"
done

# Verbs that would mix the processes refuse such a log, also from a pipe; watch and top also a live
# one, which may not have named all of them.
has="the log has 2 processes, and this verb needs a log of one: $(pid_of "$logs/demo.eventlog") (capset:2), "
has+="$(pid_of "$threads") (capset:0); use the logs that it was merged from, or hectic cut"
for verb in watch simulate profile heap "heap --nonmoving" prof; do
    # shellcheck disable=SC2086 # words are meant
    gives 2 $verb "$work/merged"
    says "$has"
    [[ $(wc -l <"$work/err") == 1 ]] || fail "$verb: not one line"
    # shellcheck disable=SC2086
    gives 2 $verb - < <(cat "$work/merged")
    [[ $(grep -c "needs a log of one: " "$work/err") == 1 ]] || fail "$verb: not one line"
done
if command -v script >/dev/null; then
    TERM=xterm script -qec "$HECTIC top $work/merged" /dev/null >"$work/err" </dev/null || true
    says "$has"
fi

# A time of one process is a log of one; a restarted log is one, too, whatever it names its process.
gives 0 merge --force -o "$work/apart" "$threads" "$logs/demo.eventlog"
gives 0 cut --from 1s "$work/apart" "$work/one"
gives 0 simulate --csv "$work/one"
cat "$logs/demo.eventlog" "$work/one" >"$work/restarted"
gives 0 watch "$work/restarted"
gives 1 heap "$work/restarted"
says "no heap samples"

# Unknown processes.
gives 1 stat --process 5 "$work/merged"
says "no process 5; the log has"
gives 1 gc --process capset:77 "$work/merged"
says "no process capset:77; the log has"
gives 64 stat --process all "$work/merged"
gives 0 stat --process capset:2 "$work/merged"
cp "$work/out" "$work/by_capset"
gives 0 stat --process "$(pid_of "$logs/demo.eventlog")" "$work/merged"
same "$work/out" "$work/by_capset"
gives 0 stat --process "$(pid_of "$threads")" "$threads"
cp "$work/out" "$work/chosen"
gives 0 stat "$threads"
same "$work/out" "$work/chosen"

# Three programs.
if command -v ghc >/dev/null; then
    . tests/support/compile.bash
    compile busy busy.hs -O1 -threaded
    for i in 1 2 3; do
        "$work/busy" 200 +RTS -N4 -A256k -la -ol"$work/busy$i" &
        soon test -s "$work/busy$i"
    done
    wait
    gives 0 merge --force -o "$work/merged" "$work"/busy[123]
    parts "$work/merged" "$work"/busy[123]
fi

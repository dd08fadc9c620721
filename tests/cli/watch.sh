#!/usr/bin/env bash
# hectic watch: lines of a finished log by its own time, and of logs that are being written.
. tests/support/lib.bash
log=$logs/demo.eventlog

# columns NAME…: of the CSV on stdin, without the header.
columns() {
    tr -d '\r' | awk -F, -v names="$*" '
        NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, " "); next}
        {for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? "," : "\n"}'
}

# Lines agree with the slices of hectic stat; a period without events is one line.
sums() {
    awk -F, '{for (i = 1; i <= NF; i++) sum[i] += $i} END {for (i = 1; i <= NF; i++) print sum[i]}'
}
shared="allocated_bytes copied_bytes heap_bytes pause_max_ns gc_ns sparks_created sparks_converted"
sums="allocated_bytes copied_bytes gc_ns sparks_created sparks_converted mutator_ns"
for every in 100us 1ms 7ms 1s; do
    "$HECTIC" stat --csv --every $every "$log" |
        columns "${sums/mutator/running}" | sums >"$work/wanted"
    gives 0 watch --csv --every $every "$log"
    columns "$sums" <"$work/out" | sums >"$work/lines"
    same "$work/lines" "$work/wanted"
done
"$HECTIC" stat --csv --every 5ms "$log" | columns to_ns "$shared" >"$work/wanted"
gives 0 watch --csv --every 5ms "$log"
columns time_ns "$shared" <"$work/out" >"$work/lines"
same "$work/lines" "$work/wanted"

# Text: column titles once in a pipe, then lines with all columns, and the caps.
gives 0 watch --every 5ms "$log"
says "demo, process 9915, GHC-9.0.2 rts_thr_l"
(($(wc -l <"$work/out") == 6)) || fail "lines: $(cat "$work/out")"
head -1 "$work/out" | grep -q '^ *time  *alloc .* lag mut%$' || fail "column titles"
sed -n 2p "$work/out" | grep -Eq '^ *0\.005 +74M +- +1\.0M +1 +0 +94us +1\.9 +1\.1 +6 +1 +3 .* 28 +52$' ||
    fail "the first line: $(sed -n 2p "$work/out")"
(($(wc -L <"$work/out") <= 80)) || fail "lines of two caps are wider than a terminal: $(cat "$work/out")"
gives 0 watch -q --json --every 5ms --limit 2 "$log"
(($(wc -l <"$work/out") == 2)) || fail "--limit"
[[ ! -s $work/err ]] || fail "--quiet: $(cat "$work/err")"
grep -q '"caps":\[{"cap":0,"activity":"running","thread":' "$work/out" || fail "caps in JSON"
gzip -c "$log" >"$work/packed.gz"
gives 0 watch --csv --every 5ms "$work/packed.gz"

# Allocation is counted at collections: the rate is that since the line with the last ones.
gives 0 watch --every 10ms "$logs/threads.eventlog"
bytes=$("$HECTIC" stat --jsonl "$logs/threads.eventlog" | jq .memory.allocated_bytes)
[[ $(awk 'NR > 1 {print $2}' "$work/out") == "-"$'\n'"$(((bytes * 50 + 524288) / 1048576))M"$'\n'"-" ]] || fail "rates: $(cat "$work/out")"

# The last line has the time at which the log ends; lines of a whole time have as many digits as that.
gives 0 watch "$log"
sed -n '$p' "$work/out" | grep -q '^0\.021 ' || fail "the end: $(cat "$work/out")"
gives 0 watch --every 20ms "$log"
[[ $(awk 'NR > 1 {print $1}' "$work/out") == $'0.02\n0.021' ]] || fail "times: $(cat "$work/out")"

# Values of event classes that are off are unknown: from the beginning on, or in the intervals that the
# log reports.
message() { # TIME TEXT: 12 bytes, and the text
    be 2 16
    be 8 "$1"
    be 2 ${#2}
    printf %s "$2"
}
switched() { # three seconds in each of which a thread runs, and 100 bytes are allocated
    local second=1000000000 from off="hectic: logging of CLASS is off from here"
    off=${off/ of CLASS/${1:+ of $1}}
    log_header 1 4 2 10 16 65535 18 14 19 65535 34 56 49 12
    block 0 $((4 * (14 + 22 + 66 + 16 + 20) + 2 * 12 + 2 * ${#off} - 1)) $((4 * second)) 0
    for from in 0 1 2 3; do
        run_thread $((from * second + 10)) 1
        be 2 49
        be 8 $((from * second + 20))
        be 4 0
        be 8 $((from * 100))
        be 2 34
        be 8 $((from * second + 30))
        for _ in created dud overflowed converted gcd fizzled remaining; do be 8 $((from * 7)); done
        be 2 19
        be 8 $((from * second + 40))
        be 2 4
        printf text
        be 2 2
        be 8 $((from * second + 50))
        be 4 1
        be 2 1
        be 4 0
        [[ $from != 1 ]] || message $((second + 60)) "$off"
        [[ $from != 2 ]] || message $((2 * second + 60)) "${off/off/on}"
    done
    be 2 65535
}
known() { # CLASSES: the lines in which allocation, threads, sparks, and messages are known
    switched "$1" >"$work/log"
    gives 0 watch -q --csv "$work/log"
    columns allocated_bytes mutator_ns sparks_created messages <"$work/out" |
        tr -s '\r0-9' x | tr '\n' ' '
}
[[ $(known ticky) == "x,x,x,x x,x,x,x x,x,x,x x,x,x,x " ]] || fail "ticky: $(cat "$work/out")"
[[ $(known gc) == "x,x,x,x ,x,x,x ,x,x,x x,x,x,x " ]] || fail "gc: $(cat "$work/out")"
[[ $(known "scheduler, spark") == "x,x,x,x x,,,x x,,,x x,x,x,x " ]] || fail "scheduler: $(cat "$work/out")"
[[ $(known "task, user") == "x,x,x,x x,x,x, x,x,x, x,x,x,x " ]] || fail "user: $(cat "$work/out")"
[[ $(known "") == "x,x,x,x ,,, ,,, x,x,x,x " ]] || fail "all: $(cat "$work/out")"
gives 0 watch -q --json "$logs/threads.eventlog"
grep -q '"messages":null' "$work/out" || fail "messages of a log without: $(cat "$work/out")"

# JSON has the time and the total of the latest sample of a heap profile, and its 10 largest bands.
gives 0 watch -q --json "$logs/threads.eventlog"
grep -q '"heap_profile":null}$' "$work/out" || fail "a heap profile: $(cat "$work/out")"
gives 0 watch -q --json "$logs/heap-profile-y.eventlog"
sed -n '$s/.*"heap_profile":{"time_ns":\([0-9]*\),"breakdown":"type","total_bytes":\([0-9]*\),"bands":\[\(.*\)\]}}$/\1 \2,\3/p' \
    "$work/out" | sed 's/,{"label":"\([^"]*\)","bytes":\([0-9]*\)}/\n\2 \1/g' >"$work/bands"
"$HECTIC" show "$logs/heap-profile-y.eventlog" | awk '
    / start heap prof sample / { time = $1 + 0; total = 0; delete bytes }
    / heap prof sample .*, residency / {
        label = $0
        sub(/.*, label /, "", label)
        bytes[label] += $7
        total += $7
    }
    END {
        print time, total
        for (label in bytes) print bytes[label], label | "sort -k 1,1nr -k 2 | head -10"
    }' >"$work/wanted"
(($(wc -l <"$work/wanted") == 11)) || fail "a sample of few bands"
same "$work/bands" "$work/wanted"

# A very short last interval has no rates.
end=$("$HECTIC" watch -q --csv "$log" | columns time_ns)
gives 0 watch --every $((end - end / 4000))ns "$log"
sed -n '$p' "$work/out" | grep -Eq '^0\.021 +- +65K 1\.0M +0 +0 +- +- +- .* - +- ' ||
    fail "rates of a moment: $(cat "$work/out")"
gives 0 watch --every $((end - end / 400))ns "$log"
sed -n '$p' "$work/out" | grep -Eq '^0\.021 +2\.6M +65K .* 0\.0 +0\.0 +0 ' || fail "no rates: $(cat "$work/out")"

# From a pipe, the lines are the same except for the lag.
gives 0 watch --csv --every 5ms "$log"
sed 's/,[0-9]*$//' "$work/out" >"$work/wanted"
"$HECTIC" watch -q --csv --every 5ms - <"$log" | sed 's/,[0-9]*$//' >"$work/lines"
same "$work/lines" "$work/wanted"
# shellcheck disable=SC2002
cat "$log" | "$HECTIC" watch -q --csv --every 5ms - | sed 's/,[0-9]*$//' >"$work/lines"
same "$work/lines" "$work/wanted"

# A log that is being written. If nothing arrives for long, a line reports the state so far.
half=$(($(wc -c <"$log") / 2))
mkfifo "$work/fifo"
"$HECTIC" watch --lag 20ms --every 100ms "$work/fifo" >"$work/lines" 2>"$work/notes" &
child=$!
exec 3>"$work/fifo"
head -c $half "$log" >&3
soon has_lines "$work/lines" 3
tail -c +$((half + 1)) "$log" >&3
exec 3>&-
wait $child || fail "a FIFO: exit code $?"
grep -q "waiting for a program to write" "$work/notes" || fail "$(cat "$work/notes")"

# Lines wait for caps that write seconds apart, which is reported once, and not with --lag. Events about
# the process that arrive at its end, as with runtimes before GHC 9.2, are not late.
apart() {
    local second=1000000000 from
    log_header 18 14 1 4 45 2
    for from in 0 1 2 3; do
        block $((from * second)) 14 $((from * second + second)) 0
        run_thread $((from * second + 5)) 1
    done
    block 0 14 $((4 * second)) 1
    run_thread 7 2
    block 0 24 $((4 * second)) 65535
    for from in 0 1; do
        be 2 45
        be 8 6
        be 2 $from
    done
}
for lag in "" "--lag 1s"; do
    # shellcheck disable=SC2086
    "$HECTIC" watch --csv $lag "$work/fifo" >"$work/lines" 2>"$work/notes" &
    child=$!
    exec 3>"$work/fifo"
    apart >&3
    [[ $lag ]] || soon file_matches "$work/notes" "caps write seconds apart: .* up to 5 s; use --lag 1s"
    soon has_lines "$work/lines" 2
    exec 3>&-
    wait $child || fail "caps seconds apart: exit code $?"
    grep -q "missing in earlier lines: 1; --lag 3s waits for them" "$work/notes" || fail "$(cat "$work/notes")"
    said=$(grep -c "write seconds apart" "$work/notes" || true)
    [[ $said == $((${#lag} == 0)) ]] || fail "\"$lag\": $(cat "$work/notes")"
done

# A file that grows, ends and is replaced, up to Ctrl-C.
rm -f "$work/growing" "$work/notes"
set -m
"$HECTIC" watch --follow --every 100ms "$work/growing" >"$work/lines" 2>"$work/notes" &
child=$!
set +m
soon grep -qs "growing to appear" "$work/notes"
head -c $half "$log" >"$work/growing"
soon has_lines "$work/lines" 2
tail -c +$((half + 1)) "$log" >>"$work/growing"
soon grep -q "log ended; waiting for the next one" "$work/notes"
before=$(wc -l <"$work/lines")
cat "$logs/threads.eventlog" >"$work/other"
mv "$work/other" "$work/growing"
soon has_lines "$work/lines" $((before + 1))
kill -INT $child
wait $child || fail "Ctrl-C: exit code $?"
grep -q ": threads, process" "$work/notes" || fail "$(cat "$work/notes")"

# The reader of the lines may close the pipe.
("$HECTIC" watch -q --every 1us "$log" || true) | head -1 >"$work/lines"
(($(wc -l <"$work/lines") == 1)) || fail "head"

# Inputs that are not logs.
gives 2 watch "$work/nothing"
says "No such file"
gives 2 watch README.md
says "not an eventlog"
gives 2 watch - </dev/null
says "it ended without a log"
head -c 5000 README.md | gives 2 watch -
says "not an eventlog"
says "hectic: standard input: other output, such as that of the program, comes before the log"
gives 64 watch --json --csv "$log"
says "hectic watch: --json and --csv cannot be combined"
gives 64 watch --every never "$log"
says 'hectic watch: invalid time "never" for --every (with a unit; examples: 100ms, 1.5s, 10m)'
gives 64 watch -n 5 "$log"
says 'hectic watch: invalid time "5" for --every'
gives 64 watch -e 1s "$log"
says 'hectic watch: unknown option -e; use -n TIME'
gives 64 watch --count 1 "$log"
says 'hectic watch: unknown option --count; use --limit N'
gives 64 watch tcp:nowhere

# Options: -n is --every, and --limit counts lines. Lines of CSV end with LF.
gives 0 watch -q --csv -n 5ms --limit 2 "$log"
[[ $(wc -l <"$work/out") == 3 ]] || fail "not 2 lines: $(cat "$work/out")"
! grep -q $'\r' "$work/out" || fail "a CR"

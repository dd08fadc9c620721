#!/usr/bin/env bash
# threads, spans, sparks and tasks: text, CSV, JSON, intervals, sorting, and logs without events.
. tests/support/lib.bash
runs_often
log=$logs/threads.eventlog

# column NAME: the values of a column of CSV without quoted cells, on stdin.
column() {
    awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) wanted = i; if (!wanted) exit 1; next }
        { print $wanted }' || fail "there is no column $1"
}

sum() {
    awk '{sum += $1} END {printf "%.0f\n", sum}'
}

# All formats have the same rows.
some=("$logs"/*.eventlog)
thin some
for verb in threads spans sparks tasks; do
    for log in "${some[@]}"; do
        code=0
        "$HECTIC" "$verb" --csv "$log" >"$work/csv" 2>"$work/err" || code=$?
        [[ $code == 0 || $code == 1 ]] || fail "$verb $log: $code"
        if ((code == 1)); then
            grep -q 'the log has no events of' "$work/err" || fail "$verb $log: no message"
        fi
        gives "$code" "$verb" --json "$log"
        cat "$work/out" >>"$work/json"
        rows=$("$HECTIC" "$verb" --csv --sort -section "$log" 2>/dev/null | wc -l) || true
        [[ $verb == spans || $rows == $(wc -l <"$work/csv") ]] || fail "$verb $log: rows are lost"
        # (the text of a label may hold newlines)
        [[ $verb == spans ]] || ! grep -q $'\r' "$work/csv" || fail "$verb $log: lines end with CR LF"
        gives "$code" "$verb" "$log"
        ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$work/out" || fail "$verb $log: control characters"
    done
done
if command -v node >/dev/null; then
    node -e '
        const all = require("fs").readFileSync(0, "utf8")
        for (const answer of all.split(/\n(?=\{"(?:threads|spans|sparks|tasks)":)/)) JSON.parse(answer)
    ' <"$work/json" || fail "invalid JSON"
elif command -v python3 >/dev/null; then
    python3 -c '
import json, sys
text, decoder = sys.stdin.read().lstrip(), json.JSONDecoder()
while text:
    answer, end = decoder.raw_decode(text)
    text = text[end:].lstrip()' <"$work/json" || fail "invalid JSON"
fi

# Every column is documented.
for arguments in threads spans "spans --each" sparks "sparks --each" tasks gc; do
    # shellcheck disable=SC2086 # words are meant
    "$HECTIC" $arguments --csv "$logs/sparks.eventlog" 2>/dev/null >"$work/out" || true
    for name in $(head -1 "$work/out" | tr , ' '); do
        grep -q "^|.*\`$name\`.*|.*|" docs/tables.md || fail "docs/tables.md lacks $name"
    done
done

# Threads: compared with the events.
log=$logs/threads.eventlog
"$HECTIC" show --no-header "$log" >"$work/events"
"$HECTIC" threads --csv "$log" >"$work/threads"
[[ $(column runs <"$work/threads" | sum) == $(grep -c 'running thread' "$work/events") ]] ||
    fail "runs are not those of the events"
[[ $(column thread <"$work/threads" | sort -n | tr '\n' ' ') == \
$(sed -n 's/.*creating thread \([0-9]*\)$/\1/p' "$work/events" | sort -n | tr '\n' ' ') ]] ||
    fail "threads are not those of the events"
gives 0 threads --sort running --limit 3 --csv "$log"
column running_ns <"$work/out" >"$work/top"
column running_ns <"$work/threads" | sort -nr | head -3 >"$work/expected"
same "$work/top" "$work/expected"
gives 0 threads --sort -born_ns --csv "$log"
column born_ns <"$work/out" | sort -nc || fail "not sorted by creation"
gives 0 threads --sort label --limit 1 --csv "$log"
[[ $(column label <"$work/out") == "waits for nothing" ]] || fail "not sorted by label"

# Intervals add up.
whole=$(column mvar_ns <"$work/threads" | sum)
gives 0 threads --csv --to 5ms "$log"
first=$(column mvar_ns <"$work/out" | sum)
gives 0 threads --csv --from 5ms "$log"
[[ $((first + $(column mvar_ns <"$work/out" | sum))) == "$whole" ]] || fail "halves do not add up"
demo=$logs/demo.eventlog
gives 0 threads --csv --between primes..phi "$demo"
cp "$work/out" "$work/between"
gives 0 threads --csv --between primes --between phi "$demo"
same "$work/out" "$work/between"
gives 0 threads --csv --from marker:primes --to marker:phi "$demo"
same "$work/out" "$work/between"
gives 64 threads --between primes "$demo"
says 'for --between (examples: A..B, A.. to the end'
gives 64 threads --between phi..primes "$demo"
says 'no marker "primes" after the first "phi"'
gives 64 threads --between a..b --from 1s "$demo"
gives 64 threads --between nowhere..phi "$demo"
says 'no marker "nowhere"'
gives 64 threads --from 2ms --to 1ms "$demo"
says "later than"
gives 64 threads --from yesterday "$demo"
says 'invalid time "yesterday" for --from'
gives 1 threads --csv --from 100s "$demo"
says "outside the log"
[[ $(wc -l <"$work/out") == 1 ]] || fail "there are threads outside of the log"
gives 1 threads --from 1ms --to 1ms "$demo"
says "the interval is empty"

# The runtime's own threads: a block of their own in text, a column in CSV and JSON.
log=$logs/threads.eventlog
gives 0 threads --csv "$log"
grep -q ',TimerManager,runtime,' "$work/out" || fail "TimerManager is not of the runtime"
grep -q ',program,' "$work/out" || fail "no thread is of the program"
program=$(grep -c ',program,' "$work/out")
gives 0 threads --json "$log"
grep -q '"label":"TimerManager","kind":"runtime"' "$work/out" || fail "no kind in JSON"
gives 0 threads "$log"
prints "runtime threads"
sed '/^runtime threads$/,$d' "$work/out" >"$work/program"
! grep -q Manager "$work/program" || fail "threads of the runtime among the program's"
[[ $(grep -cE '^ *[0-9]+ ' "$work/program") == "$program" ]] || fail "not $program threads of the program"
gives 0 threads "$logs/tiny.eventlog"
! grep -q "runtime threads" "$work/out" || fail "a block without threads"

# threads --os is tasks.
for form in --csv --json --wide --color=always; do
    gives 0 tasks $form "$logs/demo.eventlog"
    cp "$work/out" "$work/tasks"
    gives 0 threads --os $form "$logs/demo.eventlog"
    same "$work/out" "$work/tasks"
done
log=$logs/threads.eventlog

# Mistakes.
# Text: the totals are those of the program's threads. On a terminal, it has those that ran longest.
gives 0 threads --wide "$log"
prints "totals, without the runtime's threads"
prints "18 threads (3 of the runtime, 0 for sparks)"
program=$(awk '/^----/ { getline; print; exit }' "$work/out" | grep -o '[0-9.]*[mun]*s' | sed -n 2p)
grep -q "^running  *$program " "$work/out" || fail "the totals are not those of the first table: $program"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    generate_log --events 20000 --threads 100 -o "$work/many"
    script -qec "$HECTIC threads --color never $work/many" /dev/null </dev/null | tr -d '\r' >"$work/out"
    all=$("$HECTIC" threads --csv "$work/many" | tail -n +2 | wc -l)
    prints "($((all - 20)) more threads: --limit N)"
    [[ $(sed '/^----/,$d' "$work/out" | wc -l) == 22 ]] || fail "not 20 threads on a terminal"
    gives 0 threads "$work/many"
    (($(wc -l <"$work/out") > all)) || fail "not all threads in a file"
fi

# --sort takes headings as well.
for pair in "gc Mean pause:mean_pause" "gc -Mean pause:-mean_pause" "threads Foreign call:foreign_call" \
    "threads -runnable:-runnable" "heap At end:end" "heap -growth/s:-growth"; do
    read -r verb title <<<"${pair%%:*}"
    [[ $verb == heap ]] && sorted=$logs/heap-types.eventlog || sorted=$log
    "$HECTIC" "$verb" --csv --sort "${pair#*:}" "$sorted" >"$work/expected" ||
        fail "$verb --sort ${pair#*:}"
    gives 0 "$verb" --csv --sort "$title" "$sorted"
    same "$work/out" "$work/expected"
done

gives 64 threads --sort runing "$log"
says "hectic threads: unknown column \"runing\" for --sort; did you mean running?"
gives 64 threads --json --csv "$log"
says "hectic threads: --json and --csv cannot be combined"
gives 64 threads --limit 0 "$log"
gives 64 sparks --every 0 "$log"
gives 64 sparks --every 1ns "$log"
says "more than 10000000 rows"
gives 64 sparks --every 1ns --json "$logs/demo.eventlog"
[[ ! -s $work/out ]] || fail "a part of the object of a refused table: $(cat "$work/out")"
gives 64 sparks --each --every 1ms "$log"
says "hectic sparks: --each and --every cannot be combined"
gives 2 threads "$work/missing"
gives 1 spans "$log"
says "the log has no events of user messages"
gives 1 sparks "$logs/tiny.eventlog"
says "+RTS -lp"

# Sparks: the events and the counters agree.
log=$logs/sparks.eventlog
gives 0 sparks --csv "$log"
last=$("$HECTIC" show --no-header "$log" | grep 'spark stats' | tail -2)
[[ $(column created <"$work/out" | sum) == \
$(sed -n 's/.*stats: \([0-9]*\) created.*/\1/p' <<<"$last" | sum) ]] || fail "created"
[[ $(column converted <"$work/out" | sum) == \
$(sed -n 's/.* \([0-9]*\) converted.*/\1/p' <<<"$last" | sum) ]] || fail "converted"
cp "$work/out" "$work/whole"
gives 0 sparks --every 100us --csv "$log"
for name in created converted overflowed dud gcd fizzled stolen lost eval_ns; do
    [[ $(column "$name" <"$work/out" | sum) == $(column "$name" <"$work/whole" | sum) ]] ||
        fail "slices of $name do not add up"
done
gives 0 sparks --each --csv "$log"
[[ $(column eval_ns <"$work/out" | sum) == $(column eval_ns <"$work/whole" | sum) ]] ||
    fail "the evaluation times of sparks and caps differ"
[[ $(column eval_ns <"$work/out" | wc -l) == $(column converted <"$work/whole" | sum) ]] ||
    fail "sparks are missing"

# Spans: a synthetic log.
message() { # TIME TEXT
    be 2 19
    be 8 "$1"
    be 2 ${#2}
    printf '%s' "$2"
}
{
    log_header 19 65535 18 14
    {
        message 100 'START load'
        message 200 'START 1 item'
        message 250 'START 2 item'
        message 300 'STOP 1 item'
        message 1100 'STOP load'
        message 1250 'STOP 2 item'
        message 1300 'STOP other'
        message 1400 'START "last", one'
        message 1500 'hello'
    } >"$work/body"
    block 100 "$(wc -c <"$work/body")" 1500 0
    cat "$work/body"
    printf '\xff\xff'
} >"$work/spans.eventlog"
gives 0 spans --csv "$work/spans.eventlog"
printf '%s\n' \
    'section,kind,label,count,total_ns,open_ns,no_gc_ns,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,first_ns,last_ns,unstarted,unstopped,across' \
    '1,span,load,1,1000,1000,,1000,1000,1000,1000,1000,100,1100,0,0,0' \
    '1,span,item,2,1100,1050,,550,100,1000,1000,1000,200,1250,0,0,0' \
    '1,span,other,0,0,0,,,,,,,1300,1300,1,0,0' \
    '1,span,"""last"", one",0,100,100,,,,,,,1400,1400,0,1,0' >"$work/expected"
same "$work/out" "$work/expected"
says "STOPs without START: 1"
says "STARTs without STOP: 1"
gives 0 spans "$work/spans.eventlog"
prints "3 spans, 0 markers, 1 other message"
says "the log does not record which threads ran"
gives 0 spans --each "$work/spans.eventlog"
[[ $(sed -n 3p "$work/out") =~ ^(load|item)\ .*\ 1\.00us ]] || fail "the longest is not first"
gives 0 spans --each --csv --sort start "$work/spans.eventlog"
printf '%s\n' \
    'section,label,subscript,start_ns,end_ns,duration_ns,thread,cap,end_thread,end_cap,across_threads' \
    '1,item,2,250,1250,1000,,0,,0,false' '1,item,1,200,300,100,,0,,0,false' \
    '1,load,0,100,1100,1000,,0,,0,false' >"$work/expected"
same "$work/out" "$work/expected"

# Numbers at the end of labels are subscripts; not those that belong to a word.
{
    for ((i = 0; i < 3; i++)); do
        message $((100 + i)) "START request $((i * 117))"
        message $((110 + i)) "START utf8"
        message $((120 + i)) "START phase-3"
    done
    for ((i = 0; i < 3; i++)); do
        message $((300 + 10 * i)) "STOP request $((i * 117))"
        message $((400 + i)) "STOP utf8"
        message $((500 + i)) "STOP phase-3"
    done
    message 600 "START request 05"
    message 700 "STOP request 05"
} >"$work/body"
{
    log_header 19 65535 18 14
    block 100 "$(wc -c <"$work/body")" 700 0
    cat "$work/body"
    printf '\xff\xff'
} >"$work/numbers.eventlog"
labels() { # ARGUMENT…
    "$HECTIC" spans --csv "$@" "$work/numbers.eventlog" 2>/dev/null | tail -n +2 | cut -d, -f3,4 | tr '\n' ' '
}
[[ $(labels) == "request #,4 utf8,3 phase-#,3 " ]] || fail "groups: $(labels)"
[[ $(labels --raw) == "request 0,1 request 117,1 request 234,1 utf8,3 phase-3,3 request 05,1 " ]] || fail "--raw: $(labels --raw)"
"$HECTIC" spans --each --csv --sort -start "$work/numbers.eventlog" 2>/dev/null | grep 'request #' | cut -d, -f2-6 >"$work/found"
printf '%s\n' 'request #,0,100,300,200' 'request #,117,101,310,209' 'request #,234,102,320,218' 'request #,5,600,700,100' >"$work/expected"
same "$work/found" "$work/expected"
gives 1 stat --csv --window 'request #' "$work/numbers.eventlog" # without times of the runtime
[[ $(wc -l <"$work/out") == 5 ]] || fail "--window: $(cat "$work/out")"

# Spans: the program has measured its own durations.
log=$logs/spans.eventlog
gives 0 spans --csv "$log"
cp "$work/out" "$work/spans"
"$HECTIC" show --no-header --event USER_MSG "$log" >"$work/messages"
for label in outer sum collect worker; do
    took=$(sed -n "s/.*: took $label \([0-9]*\)$/\1/p" "$work/messages" | sum)
    times=$(grep -c ": took $label " "$work/messages")
    total=$(grep "^1,span,$label," "$work/spans" | cut -d, -f5)
    ((total <= took && took - total <= times * 20000)) || fail "$label took $took, not $total"
    [[ $(grep "^1,span,$label," "$work/spans" | cut -d, -f4) == "$times" ]] || fail "$label: count"
done
grep -q '^1,marker,tick,20,' "$work/spans" || fail "20 markers"
gives 0 spans "$log"
prints "24 spans, 20 markers, 24 other messages"

# Text fits into 80 columns; --wide has all columns.
for verb in threads spans "spans --each" sparks tasks gc "stat --every 5ms"; do
    for log in "$logs"/{demo,sparks,spans,heap-generations,every-event}.eventlog; do
        # shellcheck disable=SC2086 # words are meant
        "$HECTIC" $verb "$log" >"$work/out" 2>/dev/null || true
        (($(wc -L <"$work/out") <= 80)) || fail "$verb $log: wider than 80 columns"
    done
done
gives 0 gc "$logs/demo.eventlog"
prints "(10 more columns: --wide)"
gives 0 gc --sort work_balance "$logs/demo.eventlog"
gives 0 gc --wide "$logs/demo.eventlog"
grep -q 'Slop.*Heap before' "$work/out" || fail "--wide does not have all columns"
! grep -q 'more columns' "$work/out" || fail "--wide leaves columns out"

# Only terminals get bars.
gives 0 spans --color always "$work/spans.eventlog"
grep -q '█' "$work/out" || fail "no bar"
gives 0 spans "$work/spans.eventlog"
! grep -q '█' "$work/out" || fail "a bar without a terminal"

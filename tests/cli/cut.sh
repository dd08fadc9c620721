#!/usr/bin/env bash
# hectic cut: the events of the interval, unchanged, after the live state at its beginning. With
# --raw, no state, and the order of the file: see copy.sh.
. tests/support/lib.bash
runs_often
. tests/support/validity.bash
needs jq

# The events of a log without block markers, to a file. Further arguments are for hectic show.
list() { # FILE [OPTION]… LOG
    local file=$1
    shift
    "$HECTIC" show --no-header "$@" | grep -av -e ': event block: ' -e '^$' >"$file" || true
}

# Cuts the log $1 at three places, and one of the results again.
cut_up() {
    local log=$1 from to count place code inside
    list "$work/all" "$log"
    cut -d: -f1 "$work/all" | sort -n >"$work/times"
    count=$(wc -l <"$work/times")
    places=(2 6)
    if is_short; then places=("${places[count % 2]}"); fi
    for place in "${places[@]}"; do
        from=$(sed -n "$((count * place / 10 + 1))p" "$work/times")
        to=$(sed -n "$((count * (place + 2) / 10 + 1))p" "$work/times")
        [[ $from -lt $to ]] || continue
        gives 0 cut --force --from "${from}ns" --to "${to}ns" "$log" "$work/part"
        list "$work/wanted" --from "${from}ns" --to "${to}ns" "$log"
        list "$work/found" "$work/part"
        inside=$(wc -l <"$work/wanted")
        tail -n "$inside" "$work/found" | cmp - "$work/wanted" || fail "$log from $from to $to"
        head -n -"$inside" "$work/found" | grep -av "^$from: " && fail "state with another timestamp"
        code=0
        "$HECTIC" check "$log" >"$work/out" || code=$?
        gives "$code" check "$work/part"
        accepted "$work/part" "$log"
        gives 0 cut --force --from "${from}ns" "$log" "$work/rest"
        accepted "$work/rest" "$log"
        # The live state at a later time is the same, from the excerpt and from the whole log.
        gives 0 cut --force --from "${to}ns" "$log" "$work/later"
        gives 0 cut --force --from "${to}ns" "$work/rest" "$work/again"
        list "$work/wanted" "$work/later"
        list "$work/found" "$work/again"
        same "$work/wanted" "$work/found"
    done
}
some=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin some
for log in "${some[@]}"; do
    case $log in
    */restarted*) continue ;; # whose sections have each its own time; see below
    */every-event.eventlog) continue ;;
    esac
    [[ -s $log ]] && cut_up "$log"
done

# From the beginning there is no state: the whole log.
log=$logs/threads.eventlog
gives 0 cut --force "$log" "$work/part"
same "$log" "$work/part"
list "$work/wanted" "$log"
gives 0 cut --force --from "$(cut -d: -f1 "$work/wanted" | sort -n | head -1)ns" "$log" "$work/part"
list "$work/found" "$work/part"
same "$work/wanted" "$work/found"

# Finished threads are left out; live threads are written, with their labels.
last=$(cut -d: -f1 "$work/wanted" | sort -n | tail -1)
gives 0 cut --force --from "${last}ns" "$log" "$work/part"
list "$work/found" "$work/part"
grep -q 'creating thread' "$work/found" && fail "finished threads are in the excerpt"
grep -q 'created capset' "$work/found" || fail "the capset is missing"
live=$(grep -m1 -o 'thread [0-9]* has label .*' "$work/wanted" | cut -d' ' -f2)
labeled=$(grep -m1 "thread $live has label" "$work/wanted")
gives 0 cut --force --from "$((${labeled%%:*} + 1))ns" "$log" "$work/part"
list "$work/found" "$work/part"
grep -qF "thread $live has label ${labeled#*has label }" "$work/found" || fail "a label is lost"

# Sparks are counted once: not again by counters that the excerpt begins with.
log=$logs/sparks.eventlog
for from in 1100us 1500us 1800us 2ms; do
    gives 0 cut --force --from "$from" "$log" "$work/part"
    for verb in stat sparks; do
        counts='.sparks | [arrays[], objects] | map([.sparks, .created, .converted, .fizzled, .gcd])'
        "$HECTIC" $verb --json --from "$from" "$log" | jq -c "$counts" >"$work/wanted"
        "$HECTIC" $verb --json "$work/part" | jq -c "$counts" >"$work/found"
        [[ -s $work/wanted ]] || fail "$verb: no sparks"
        same "$work/found" "$work/wanted"
    done
done

# An excerpt has the times of its caps, and the sizes, of the interval: also where caps are idle when
# it ends, and of a log that is cut short, up to where all caps are known.
generate_log --events 30000 --caps 3 --seed 5 -o "$work/complete"
head -c -150K "$work/complete" >"$work/short"
numbers='.stat[0] | [.time.total_ns, .time.allocated_bytes, .memory.residency_max_bytes]
    + (.caps | map(.cap, .present_ns, .running_ns, .gc_ns, .idle_ns))'
for log in "$logs/sparks.eventlog" "$work/complete" "$work/short"; do
    end=$("$HECTIC" stat --json "$log" 2>"$work/err" | jq '.stat[0].to_ns')
    for part in 0:3 2:5 4:8 6:14; do
        interval=(--from "$((end * ${part%:*} / 10))ns" --to "$((end * ${part#*:} / 10))ns")
        gives 0 cut --force "${interval[@]}" "$log" "$work/part"
        "$HECTIC" stat --json "${interval[@]}" "$log" 2>"$work/err" | jq -c "$numbers" >"$work/wanted"
        "$HECTIC" stat --json "${interval[@]}" "$work/part" 2>"$work/err" | jq -c "$numbers" >"$work/found"
        # An excerpt without collections does not say whether they are recorded.
        jq -es 'transpose | length > 6 and .[0][0] > 0 and all(.[1] == null or .[0] == .[1])' \
            "$work/wanted" "$work/found" >"$work/out" || fail "$log, ${interval[*]}"
    done
done

# Nothing is left of a process that has ended.
gives 0 merge --force --align start -o "$work/merged" "$logs/sparks.eventlog" "$logs/threads.eventlog"
gives 0 cut --force --from 15ms "$work/merged" "$work/part"
gives 0 info --json "$work/part"
[[ $(jq -c .caps "$work/out") == "[2,3]" ]] || fail "caps: $(jq -c .caps "$work/out")"

# Standard input and a compressed log are read twice, too.
log=$logs/threads.eventlog
gives 0 cut --force --from 2ms "$log" "$work/part"
# shellcheck disable=SC2002 # a pipe is meant
cat "$log" | "$HECTIC" cut --from 2ms - - | cmp - "$work/part" || fail "from a pipe"
gzip -c "$log" | "$HECTIC" cut --force --from 2ms - -o "$work/compressed" || fail "a compressed log"
same "$work/part" "$work/compressed"

# Every section of a restarted log is cut, and begins with its live state.
gives 0 cut --force --from 1ms "$logs/restarted.eventlog" "$work/part"
gives 0 check "$work/part"
[[ $(grep -ac hdrb "$work/part") == "$(grep -ac hdrb "$logs/restarted.eventlog")" ]] ||
    fail "a section is missing"
list "$work/found" "$work/part"
sections=$(list /dev/stdout "$logs/restarted.eventlog" | grep -c 'RTS version')
[[ $(grep -c 'RTS version' "$work/found") == "$sections" ]] || fail "the program of a section"

# With filters: all definitions, and the state that passes.
gives 0 cut --force --from 2ms --event gc "$log" "$work/part"
list "$work/found" "$work/part"
grep -q 'running thread' "$work/found" && fail "threads run in an excerpt of collections"
grep -q 'starting GC' "$work/found" || fail "the collector is missing"
grep -q 'RTS version' "$work/found" || fail "the program is missing"
gives 0 cut --force --from 2ms --cap 0 "$log" "$work/part"
list "$work/found" "$work/part"
grep -q 'cap 1: running' "$work/found" && fail "--cap 0 keeps what runs on cap 1"
gives 0 cut --force --from 2ms --limit 10 --event RUN_THREAD "$log" "$work/part"
list "$work/found" "$work/part"
[[ $(grep 'running thread' "$work/found" | grep -vc '^2000000:') == 10 ]] || fail "--limit"

# Unusual intervals.
gives 0 cut --force --from 1000s "$log" "$work/part"
says "note: the output has no event of the log"
gives 0 check "$work/part"
gives 64 cut --from 2ms --to 1ms "$log" "$work/none"
says "--from 2ms is later than --to 1ms"
gives 64 cut --from "marker:there is none" "$log" "$work/none"
gives 64 cut --from 2ms --to 2ms "$log" "$work/none"
says "hectic cut: --from 2ms is not before --to 2ms"
gives 64 cut "$log"
says "hectic cut: missing operand: OUT"
gives 2 cut --from 1ms "$work/missing" "$work/none"
gives 2 cut --from 1ms /dev/null "$work/none"

# A damaged log is not cut, wherever the damage is.
{ head -c -2 "$log" && echo "no event"; } >"$work/damaged"
for from in 0 2ms; do
    gives 1 cut --from "$from" "$work/damaged" "$work/none"
    says "undeclared event type"
    says "check --repair IN OUT"
done
[[ ! -e $work/none ]] || fail "something was left behind"

# --as-is copies bytes, whatever they are.
{ head -c 5000 tests/logs/demo.eventlog; printf 'xxxxxxxxxx'; tail -c +5001 tests/logs/demo.eventlog; } >"$work/bad"
for file in "$work/bad" README.md; do
    gives 0 cut --as-is "$file" -
    same "$work/out" "$file"
    gives 0 cut --as-is - - <"$file"
    same "$work/out" "$file"
done
gives 64 cut --as-is --cap 0 "$work/bad" -
says "takes no filters"
gives 2 cut --as-is "$work/none" -

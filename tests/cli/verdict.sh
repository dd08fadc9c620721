#!/usr/bin/env bash
# The verdict of info, without running programs: its form, its commands, and lost events.
. tests/support/lib.bash
needs jq

findings() { # LOG
    "$HECTIC" info --json "$1" | jq -r ".verdict[] | $2"
}

# Text and JSON say the same, at most five findings, the most important first.
count=0
some=("$logs"/*.eventlog)
thin some
for log in "${some[@]}"; do
    "$HECTIC" info "$log" >"$work/text" 2>/dev/null || [[ $? == 1 ]] || fail "$log"
    sed -n '/^Verdict /,/^$/p' "$work/text" >"$work/verdict"
    grep -v '^ *hectic ' "$work/verdict" >"$work/sentences" || true
    (($(wc -L <"$work/sentences") <= 80)) || fail "wider than 80 columns: $(cat "$work/sentences")"
    "$HECTIC" info --json "$log" >"$work/json" 2>/dev/null || [[ $? == 1 ]] || fail "$log"
    jq -e '[.verdict[] | select(.process == null) | .section] | group_by(.) | all(length <= 5)' \
        "$work/json" >"$work/out" || fail "$log: more than five findings"
    jq -e '[.verdict[] | select(.section == 1) | .importance]
           | . == (sort | reverse) and all(. > 0 and . <= 1)' "$work/json" >"$work/out" ||
        fail "$log: not in order of importance: $(cat "$work/json")"
    sed -E 's/^(Verdict)? +//' "$work/verdict" | tr '\n' ' ' >"$work/line"
    while IFS= read -r text; do
        grep -qF -- "$text" "$work/line" || fail "$log: not in the text: $text"
        count=$((count + 1))
    done < <(jq -r '.verdict[] | .text, (.command // empty)' "$work/json")
done
((count > $(is_short && echo 5 || echo 20))) || fail "only $count texts and commands"

# Every command works as it is printed, whatever the log is called.
mkdir "$work/-x"
# shellcheck disable=SC2016 # a name, not a variable
for name in plain.eventlog "two words" "it's" '$HOME "quoted"' -option $'line\nbreak' 'a*b' $'-\e[31m1\t\'s \\ größe\xff7'; do
    cp "$logs/threads.eventlog" "$work/-x/$name"
    (
        cd "$work/-x"
        name=./$name
        [[ $name != ./-* ]] || name=${name#./}
        # A name that begins with "-" is passed after "--".
        "$HECTIC" info --json -- "$name" | jq -r '.verdict[0].command' >"$work/command"
        [[ $(wc -l <"$work/command") == 1 ]] || fail "no finding, or a command of several lines: $(<"$work/command")"
        "$HECTIC" info -- "$name" >"$work/text"
        grep -qF -- "$(<"$work/command")" "$work/text" || fail "$name: not in the text: $(<"$work/command")"
        sed "1s|^hectic |\"$HECTIC\" |" "$work/command" >"$work/script"
        bash "$work/script" >"$work/out" 2>&1 || fail "$name: $(cat "$work/command" "$work/out")"
    )
done
"$HECTIC" info --json - <"$logs/threads.eventlog" | jq -r '.verdict[0].command' >"$work/command"
grep -qE ' LOG$' "$work/command" || fail "a command for standard input: $(cat "$work/command")"

# No escape sequence of a name or label reaches the output.
cp "$logs/threads.eventlog" "$work/esc"$'\e[31m'
"$HECTIC" info "$work/esc"$'\e[31m' >"$work/out"
! grep -q $'\e' "$work/out" || fail "an escape sequence"

# Lost events.
gapped() { # EVENTS TIME: a log with that message, of a run that ends at TIME
    {
        run_thread 0 1
        be 2 16
        be 8 1000
        local text="hectic: $1 events were dropped here"
        be 2 ${#text}
        printf %s "$text"
        run_thread "$2" 1
    } >"$work/events"
    log_header 18 14 1 4 16 65535
    block 0 "$(wc -c <"$work/events")" "$2" 0
    cat "$work/events"
    be 2 65535
}
gapped 1234 1000000000 >"$work/gaps"
gives 0 info "$work/gaps"
prints "Verdict    1234 events did not reach the log, in 1 place: its numbers are too"
prints "           low."
[[ $(findings "$work/gaps" '"\(.id) \(.value) \(.unit)"') == "lost_events 1234 events" ]] ||
    fail "no lost events: $(findings "$work/gaps" .)"
gapped 1 1000000000 >"$work/gaps"
gives 0 info "$work/gaps"
prints "Verdict    1 event did not reach the log, in 1 place: its numbers are too low."
prints "             hectic check $work/gaps"
gapped 9000000000000000000 1000000000 >"$work/gaps"
gives 0 info "$work/gaps"
grep -qE "^Verdict    [0-9]+ events did not reach the log" "$work/out" || fail "$(cat "$work/out")"
! findings "$logs/threads.eventlog" .id | grep lost_events >/dev/null || fail "lost events of a whole log"

# Nothing to say: too short, or not recorded.
gapped 1 1000000 >"$work/short"
gives 0 info "$work/short"
prints "Verdict    The run is too short for a verdict: 1.00 ms."
{
    log_header 18 14 1 4
    block 0 28 1000000000 0
    run_thread 0 1
    run_thread 1000000000 1
    be 2 65535
} >"$work/few"
gives 0 info "$work/few"
prints "Verdict    Nothing stands out, but the log does not have collections (+RTS -lg)."

# Each section, and each process of a merged log, has its own.
"$HECTIC" info "$logs/restarted.eventlog" >"$work/out" || true
[[ $(grep -c ^Verdict "$work/out") == 2 ]] || fail "not two verdicts: $(cat "$work/out")"
"$HECTIC" merge -q -o "$work/merged" "$logs/threads.eventlog" "$logs/demo.eventlog"
gives 0 info "$work/merged"
[[ $(grep -c ^Verdict "$work/out") == 2 ]] || fail "not two verdicts: $(cat "$work/out")"
ids() {
    "$HECTIC" info --json "$1" | jq -c '[.verdict[] | [.id, .value]] | sort'
}
both=$(jq -cn --argjson a "$(ids "$logs/threads.eventlog")" --argjson b "$(ids "$logs/demo.eventlog")" \
    '[$a[], $b[]] | map(.[0]) | sort')
[[ $(ids "$work/merged" | jq -c 'map(.[0]) | sort') == "$both" ]] ||
    fail "not the same verdicts: $(ids "$work/merged"), not $both"

# From a pipe, and compressed.
"$HECTIC" info --json "$logs/demo.eventlog" | jq -c '[.verdict[] | .text]' >"$work/file"
"$HECTIC" info --json - < <(cat "$logs/demo.eventlog") | jq -c '[.verdict[] | .text]' | cmp - "$work/file" ||
    fail "another verdict from a pipe"

# Those of a merged log are about a process, or left out.
"$HECTIC" merge --force -o "$work/merged.eventlog" "$logs/threads.eventlog" "$logs/heap-generations.eventlog" "$logs/sparks.eventlog" 2>/dev/null
"$HECTIC" info --json "$work/merged.eventlog" | jq -r '.verdict[] | .command // empty' >"$work/commands"
[[ -s $work/commands ]] || fail "no command of a merged log"
"$HECTIC" info "$work/merged.eventlog" | sed -n 's/^ *\(hectic .*\)/\1/p' | cmp - "$work/commands" || fail "other commands in the text"
while read -r command; do
    [[ $command == *"--process capset:"* ]] || fail "of which process? $command"
    echo "\"$HECTIC\"${command#hectic}" >"$work/script"
    bash "$work/script" >"$work/out" 2>&1 || fail "$command: $(<"$work/out")"
done <"$work/commands"

#!/usr/bin/env bash
# prof: its views, as text, CSV and JSON; parts of a log, sections, cut logs; logs without
# samples; usage errors. The oracle is prof_oracle.sh.
. tests/support/lib.bash
log=$logs/time-profile.eventlog
generate_log --mix threads=10,gc=1,time-profile=20 --events 30000 --stacks 200 --caps 3 --seed 4 \
    -o "$work/gen"
cat "$work/gen" "$log" >"$work/two"
mapfile -t texts < <(printf 'x%.0s' {1..300} && printf '\033[31m;\t"\xff,\n')
printf '%s\n' "${texts[@]}" >"$work/text"
"$HECTIC_BUILD/hostile_log" "$work/text" >"$work/hostile"

# column NAME: the values of a column of CSV without quoted cells, on stdin.
column() {
    awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) wanted = i; if (!wanted) exit 1; next }
        { print $wanted }' || fail "there is no column $1"
}
sum() {
    awk '{sum += $1} END {printf "%.0f\n", sum}'
}
# sum_of KEY ARGUMENT…: its sum in the rows of prof's JSON.
sum_of() {
    local name=$1
    shift
    "$HECTIC" prof --json "$@" 2>/dev/null | grep -o "\"$name\":[0-9]*" | cut -d: -f2 | sum
}
# member NAME: the first such number in JSON on stdin.
member() {
    grep -o "\"$1\":[0-9]*" | head -1 | cut -d: -f2
}

# All views of all logs fit 80 columns, show no control characters, and are JSON.
mkdir "$work/json"
for file in "$log" "$work/gen" "$work/two" "$work/hostile"; do
    for view in "" --tree --stacks --flame "--every 10ms" "--weight time" "--tree --weight time" \
        "--tree --depth 3" "--flame --depth 3" "--focus ." "--tree --focus f" "--stacks --focus 1" \
        "--flame --focus 2"; do
        # shellcheck disable=SC2086 # words are meant
        COLUMNS=80 gives 0 prof $view "$file"
        (( $(wc -L <"$work/out") <= 80 )) || fail "$view $file: too wide"
        ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$work/out" || fail "$view $file: control characters"
        [[ $view == *--flame* ]] && continue
        # shellcheck disable=SC2086
        gives 0 prof $view --json "$file"
        cp "$work/out" "$work/json/${file##*/}$view"
        # shellcheck disable=SC2086
        gives 0 prof $view --csv "$file"
    done
done

# The sums are those of the samples.
for file in "$log" "$work/gen"; do
    samples=$("$HECTIC" show "$file" | grep -c ': cap no .* prof sample ')
    gives 0 prof --json "$file"
    [[ $(member samples <"$work/out") == "$samples" ]] || fail "not $samples samples"
    own=$(member own_samples <"$work/out")
    for view in "" --tree --stacks; do
        # shellcheck disable=SC2086
        [[ $(sum_of own_ticks $view "$file") == "$own" ]] || fail "not $own ticks: $view"
    done
    [[ $(sum_of samples --every 7ms "$file") == "$samples" ]] || fail "slices do not add up"
    [[ $(sum_of inherited_ticks --tree --depth 1 "$file") -ge $own ]] || fail "tree"
done

# Parts of a log, and caps, add up: each row of the table.
ticks_by_label() {
    "$HECTIC" prof --csv "$@" 2>/dev/null | awk -F, 'NR > 1 {print $2, $3, $6, $7, $9, $10}'
}
add() {
    awk '{for (i = 3; i <= 6; i++) sum[$1 " " $2, i] += $i; seen[$1 " " $2]}
         END {for (key in seen) print key, sum[key, 3], sum[key, 4], sum[key, 5], sum[key, 6]}' | sort
}
ticks_by_label "$work/gen" | add >"$work/whole"
{
    ticks_by_label --to 300ms "$work/gen"
    ticks_by_label --from 300ms --to 700ms "$work/gen"
    ticks_by_label --from 700ms "$work/gen"
} | add | diff "$work/whole" - || fail "intervals do not add up"
for cap in 0 1 2; do
    ticks_by_label --cap $cap "$work/gen"
done | add | diff "$work/whole" - || fail "caps do not add up"

# Each section has its own profile.
both=$(($(sum_of own_ticks "$work/gen") + $(sum_of own_ticks "$log")))
[[ $(sum_of own_ticks "$work/two") == "$both" ]] || fail "sections"
[[ $("$HECTIC" prof --csv "$work/two" | column section | sort -u | tr '\n' ' ') == "1 2 " ]] ||
    fail "no sections"
gives 0 prof "$work/two"
prints "Section 2"

# Definitions that are replayed; input from a pipe.
"$HECTIC" cut -q --from 400ms -o "$work/cut" "$work/gen"
ticks_by_label --from 400ms "$work/gen" >"$work/part"
ticks_by_label "$work/cut" | diff <(cut -d' ' -f1-3,5 "$work/part") <(cut -d' ' -f1-3,5 -) ||
    fail "a cut log"
"$HECTIC" prof --csv "$work/gen" >"$work/csv"
"$HECTIC" prof --csv - <"$work/gen" | cmp - "$work/csv" || fail "a pipe"

# Order and limits.
gives 0 prof --limit 3 "$work/gen"
[[ $(grep -c ' Data\.' "$work/out") == 3 ]] || fail "not three rows"
gives 0 prof "$work/gen"
grep -q '^([0-9]* more rows: --limit N)$' "$work/out" || fail "the rest is not counted"
prints "Next: who calls them (or --stacks, --flame, --every 1s):"
prints "  hectic prof --tree $work/gen"
"$HECTIC" prof --csv "$work/gen" | column own_ticks | sort -c -n -r || fail "not sorted"
"$HECTIC" prof --csv --weight time "$work/gen" | column own_ns | sort -c -n -r || fail "not sorted"
"$HECTIC" prof --csv --sort -label "$work/gen" | column label | sort -c || fail "not sorted"

# What the runtime does most of the time.
centre() { # NUMBER LABEL MODULE
    { be 4 "$1"; printf '%s\0%s\0<built-in>\0' "$2" "$3"; be 1 0; } >"$work/payload"
    be 2 161
    be 8 1
    be 2 "$(wc -c <"$work/payload")"
    cat "$work/payload"
}
tick() { # NUMBER CENTRE
    be 2 167
    be 8 $((1000000 * $1))
    be 2 17
    be 4 0
    be 8 "$1"
    be 1 1
    be 4 "$2"
}
{
    be 2 168
    be 8 1
    be 8 1000000
    centre 1 main Main
    centre 2 SYSTEM SYSTEM
    for ((i = 1; i <= 10; i++)); do tick $i $((i <= 7 ? 1 : 2)); done
} >"$work/body"
{
    log_header 18 14 161 65535 167 65535 168 8
    block 0 "$(wc -c <"$work/body")" 20000000 65535
    cat "$work/body"
    printf '\xff\xff'
} >"$work/system"
gives 0 prof "$work/system"
prints "30% of the caps' time is the runtime system's: stopping caps for GC, scheduling:"
prints "  hectic stat $work/system"

# Focus: stacks with the frame, without its callers.
name=$("$HECTIC" prof --csv --limit 1 "$work/gen" | column label)
total=$("$HECTIC" prof --csv --limit 1 "$work/gen" | column inherited_ticks)
gives 0 prof --tree --csv --focus "\\.$name\$" "$work/gen"
column inherited_ticks <"$work/out" | sed -n 1p | grep -qx "$total" || fail "focus: other ticks"
[[ $(column depth <"$work/out" | grep -cx 1) == 1 ]] || fail "focus: callers are left"
gives 0 prof --flame --focus "\\.$name\$" "$work/gen"
grep -q "^|$name 100%" "$work/out" || fail "focus: no flame"
gives 0 prof --flame --depth 2 "$work/gen"
[[ $(grep -c '^ *|' "$work/out") == 3 ]] || fail "not two levels below the root"
gives 0 prof --flame --color always "$work/gen"
grep -q $'\033\\[30;48;5;' "$work/out" || fail "no colors"
COLUMNS=40 gives 0 prof --flame "$work/gen"

# Without samples: which options are needed, and what is known.
gives 1 prof "$logs/threads.eventlog"
says "the log has no events of a time profile (they need ghc -prof and +RTS -p -l; or the package"
grep -q "%  running Haskell threads: hectic threads $logs/threads.eventlog\$" "$work/out" || fail "nothing known"
grep -q "%  garbage collection: hectic gc $logs/threads.eventlog\$" "$work/out" || fail "nothing known"
gives 1 prof --json "$logs/threads.eventlog"
cp "$work/out" "$work/json/none"
grep -q '"known":{"present_ns":[0-9]*,"running_ns":[1-9]' "$work/out" || fail "nothing known"
gives 1 prof --csv "$logs/tiny.eventlog"
gives 1 prof --every 1s "$logs/tiny.eventlog"
gives 1 prof --from 1000h "$log"
says "the interval is outside the log"
gives 1 prof --cap 9 "$log"
says "the time profile has no samples in this part of the log, cap and source"
gives 2 prof /dev/null
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys
for path in sys.argv[1:]: json.load(open(path, encoding="utf-8"))' "$work"/json/* || fail "invalid JSON"
fi

# What is malformed is reported, also with --every.
{
    log_header 18 14 167 65535
    block 0 64 1 65535
    for number in 1 2; do be 2 167; be 8 "$number"; be 2 13; be 4 0; be 8 "$number"; be 1 0; done
    be 2 167; be 8 3; be 2 2; be 2 0
    printf '\xff\xff'
} >"$work/malformed"
for view in "" "--every 1s"; do
    # shellcheck disable=SC2086
    gives 0 prof $view "$work/malformed"
    says "warning: left out 1 event of the profile, too short"
done

# Usage.
for wrong in "--tree --stacks" "--tree --flame" "--every 1s --tree" "--tree --sort own" \
    "--flame --json" "--flame --limit 3" "--flame --wide" "--every 1s --focus x" "--depth 3" "--json --csv" \
    "--sort nothing" "--weight bytes" "--source x" "--cap x" "--cap -1" "--focus (" "--every 0s"; do
    # shellcheck disable=SC2086
    gives 64 prof $wrong "$log"
    [[ ! -s $work/out ]] || fail "$wrong: output"
done
gives 64 prof --every 1ns "$work/gen"
says "too many slices for --every; use a longer TIME"

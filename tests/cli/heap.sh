#!/usr/bin/env bash
# hectic heap: what fills the heap. Logs made by hand have known answers; in GHC's logs, numbers are
# those of the events.
. tests/support/lib.bash

# --- Logs made by hand

types=(18 14 29 65535 30 65535 50 12 51 12 160 65535 161 65535 162 8 163 65535 164 65535 165 8 166 16 169 65535)
variable() { # TYPE TIME: an event whose payload is on stdin
    cat >"$work/payload"
    sized "$1" "$2" "$(wc -c <"$work/payload")"
    cat "$work/payload"
}
# Those that there are many of are written without other processes.
sized() { # TYPE TIME SIZE: an event whose payload of that size follows
    be 2 "$1"
    be 8 "$2"
    be 2 "$3"
}
define() { # PROFILE PERIOD BREAKDOWN [SELECTOR OF BIOGRAPHY]
    { be 1 "$1"; be 8 "$2"; be 4 "$3"; printf '\0\0\0\0\0\0%s\0' "${4:-}"; } | variable 160 1
}
centre() { # NUMBER LABEL MODULE LOCATION [IS_CAF]
    local LC_ALL=C
    sized 161 1 $((8 + ${#2} + ${#3} + ${#4}))
    be 4 "$1"
    printf '%s\0%s\0%s\0' "$2" "$3" "$4"
    be 1 "${5:-0}"
}
begin() { # TIME [ERA]
    be 2 162
    be 8 "$1"
    be 8 "${2:-0}"
}
end() {
    be 2 165
    be 8 "$1"
    be 8 "${2:-0}"
}
band() { # BYTES LABEL [PROFILE]: \x… in LABEL are bytes
    local LC_ALL=C label
    printf -v label %b "$2"
    sized 164 1 $((10 + ${#label}))
    be 1 "${3:-0}"
    be 8 "$1"
    printf '%s\0' "$label"
}
stack() { # BYTES CENTRE…: the innermost first
    local bytes=$1 count
    shift
    sized 163 1 $((10 + 4 * $#))
    be 1 0
    be 8 "$bytes"
    be 1 $#
    for count; do be 4 "$count"; done
}
size() { # TYPE TIME BYTES
    be 2 "$1"
    be 8 "$2"
    be 4 0
    be 8 "$3"
}
section() { # events are on stdin
    cat >"$work/body"
    log_header "${types[@]}"
    block 0 "$(wc -c <"$work/body")" "${latest-1}" 65535
    cat "$work/body"
    printf '\xff\xff'
}
ms=1000000

{
    define 0 $((10 * ms)) 7
    for ((i = 0; i < 20; i++)); do
        time=$((100 * ms + i * 10 * ms))
        begin $time
        band $((1000 + 100 * i)) pkg:Module.Grows
        band 5000 ARR_WORDS
        band $((i % 2 * 300)) THUNK
        end $time
        size 51 $((time + 1000)) $((6000 + 100 * i))
        size 50 $((time + 1000)) 1048576
    done
} | section >"$work/log"
gives 0 heap --csv "$work/log"
column() { # NAME of the column of CSV in $work/out
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) wanted = i; if (!wanted) exit 1; next }
        { print $wanted }' "$work/out" || fail "there is no column $1"
}
echo "section,profile,breakdown,label,module,location,type,closure,at_bytes,peak_bytes,end_bytes,mean_bytes,\
max_bytes,max_ns,first_ns,last_ns,samples,stddev_bytes,growth_bytes,growth_fit,late_growth_bytes,late_growth_fit,suspect
1,0,closure type,ARR_WORDS,,,,,,5000,5000,5000,5000,100000000,100000000,290000000,20,0,0,0,0,0,false
1,0,closure type,pkg:Module.Grows,,,,,,2900,2900,1950,2900,290000000,100000000,290000000,20,577,10000,1,10000,1,true
1,0,closure type,THUNK,,,,,,300,300,150,300,110000000,110000000,290000000,10,150,0,0,0,0,false" >"$work/expected"
sed -i 's/,[^,]*,[^,]*,[^,]*,[^,]*,false$/,0,0,0,0,false/' "$work/out" # the line of a constant, or of a sawtooth
same "$work/out" "$work/expected"

gives 0 heap "$work/log"
prints "Heap by closure type (-hT): 20 samples in 190ms, period 10.0ms"
grep -qE '^this profile  8\.01KiB  0\.290000s  8\.01KiB ' "$work/out" || fail "the largest sample"
grep -qE '^live data     7\.71KiB ' "$work/out" || fail "live data"
grep -qE '^heap size     1\.00MiB ' "$work/out" || fail "heap size"
grep -qE '^Module\.Grows +2\.83KiB +2\.83KiB +1\.90KiB +\+9\.77KiB +1\.00  ▃▃▄▅▅▆▆▆▇██ ' "$work/out" || fail "a band"
prints "What grows steadily, and may be a leak:"
grep -qE '^\+9\.77KiB  1\.00 +[0-9.]+%  Module\.Grows$' "$work/out" || fail "a suspect"
LC_ALL=C gives 0 heap "$work/log"
! grep -q '▁' "$work/out" || fail "a sparkline in UTF-8 in another locale"
grep -qE '^ARR_WORDS .* ########### ' "$work/out" || fail "a sparkline in ASCII"

# A band that is gone when the heap is largest is shown if it was large; small ones are not, unless
# --bands asks for them. Kinds of closures are explained.
{
    define 0 $((10 * ms)) 7
    for ((i = 0; i < 20; i++)); do
        begin $((100 * ms + i * 10 * ms))
        band $((1000 + 1000 * i)) STACK
        band $((i < 5 ? 9000 : 1)) THUNK_1_0
        for ((k = 0; k < 20; k++)); do band $((k + 1)) pkg:Small.K$k; done
        end $((100 * ms + i * 10 * ms))
    done
} | section >"$work/gone"
gives 0 heap "$work/gone"
[[ $(sed -n '/^Band/,/^(/p' "$work/out" | awk 'NR > 1 { print $1 }' | head -4 | tr '\n' ' ') == "STACK Small.K19 THUNK_1_0 (19 " ]] ||
    fail "bands: $(cat "$work/out")"
grep -qE "100\.0%  STACK  deep recursion, or many threads$" "$work/out" || fail "a meaning: $(cat "$work/out")"
gives 0 heap --bands 17 "$work/gone"
grep -q "^(5 others)" "$work/out" || fail "--bands 17: no others"
grep -q '^Small.K5 .* 6B ' "$work/out" || fail "--bands 17"
gives 0 heap --csv "$work/gone"
[[ $(column label | head -2 | tail -1) == pkg:Small.K19 ]] || fail "CSV is in the order of the largest sample"

# Too few samples: the command for more.
{
    define 0 $((100 * ms)) 7
    printf '\0\0\0\0./Prog\0007\0+RTS\0-i0.1\0-hT\0-l\0' | variable 30 1
    for ((i = 0; i < 3; i++)); do
        begin $((100 * ms + i * 10 * ms))
        band 1000 STACK
        end $((100 * ms + i * 10 * ms))
    done
} | section >"$work/few"
gives 0 heap "$work/few"
prints "Too few samples (3) to tell what grows."
prints "There is one after each 100ms of the program's own work."
prints "Run it for longer, or with shorter periods:"
prints "  ./Prog 7 +RTS -hT -i0.01 -l"
prints "  ./Prog 7 +RTS -hc -i0.01 -l"

# One sample.
gives 0 heap --at 125ms "$work/log"
prints "The sample, at 0.120000s: 6.05KiB (6,200 bytes)"
prints "pkg:Module.Grows  1.17KiB  19.4%  1,200"
gives 0 heap --at peak --csv "$work/log"
[[ $(column at_bytes | tr '\n' ' ') == "5000 2900 300 " ]] || fail "--at peak"
gives 0 heap --at 1ms "$work/log"
prints "There is no sample at this time or before."

# Order and choice; sums stay complete.
for sort in size end mean growth stddev name -name; do
    gives 0 heap --csv --sort "$sort" "$work/log"
    column label | tr '\n' ' ' >>"$work/orders"
done
A=ARR_WORDS G=pkg:Module.Grows T=THUNK
[[ $(cat "$work/orders") == "$A $G $T $A $G $T $A $G $T $G $A $T $G $T $A $A $T $G $G $T $A " ]] ||
    fail "--sort: $(cat "$work/orders")"
for pair in "At peak:size" "At end:end" Mean:mean Growth/s:growth Fit:fit Deviation:stddev Largest:max Band:name; do
    gives 0 heap --csv --sort "${pair#*:}" "$work/log"
    cp "$work/out" "$work/by-name"
    gives 0 heap --csv --sort "${pair%:*}" "$work/log"
    same "$work/by-name" "$work/out"
done
COLUMNS=40 gives 0 heap --wide "$work/log"
! grep -q "more column" "$work/out" || fail "--wide leaves out columns: $(<"$work/out")"
gives 0 heap --csv --bands 1 "$work/log"
[[ $(column label | tr '\n' ' ') == "$A (others) " && $(column end_bytes | tail -1) == 3200 ]] || fail "--bands"
gives 0 heap --csv --include 'Gr.ws|^T' --exclude '^THUNK$' "$work/log"
[[ $(column label | tr '\n' ' ') == "$G (excluded) " && $(column end_bytes | tail -1) == 5300 ]] || fail "--include"
gives 0 heap --csv --where 'max > 2.5KiB and label like "%Grows"' "$work/log"
[[ $(column label | tr '\n' ' ') == "$G (excluded) " ]] || fail "--where: $(<"$work/out")"
gives 0 heap --csv --every 1ms --where 'label like "%Grows"' "$work/log"
[[ $(column label | sort -u) == "$G" ]] || fail "--where of slices: $(<"$work/out")"
gives 64 heap --where 'gc > 1ms' "$work/log"
says 'invalid --where "gc > 1ms": no such column: gc'
gives 64 heap --include '(' "$work/log"
says 'invalid pattern "(" for --include: missing closing parenthesis'
labels=$(printf 'ab%.0s' {1..2000})c
{ define 0 1000 7; begin 1; band 5 "$labels"; end 2; } | section >"$work/long"
gives 2 heap --exclude '(a+|b+|ab)+(\1)x\1$|((a|b)+)+\3!' "$work/long"
says "cannot match the label \"abab"
says "with --exclude: match limit exceeded"

# Intervals and slices.
gives 0 heap --csv --from 150ms --to 200ms "$work/log"
[[ $(column samples | tr '\n' ' ') == "5 5 3 " ]] || fail "samples of an interval: $(column samples)"
gives 1 heap --csv --from 10s "$work/log"
says "outside the log"
gives 0 heap --every 50ms --csv "$work/log"
printf '%s\n' "$A 5000 5000 5000 5" "$G 1200 1400 1400 5" "$T 150 300 0 2" >"$work/expected"
awk -F, '$3 == 100000000 { print $5, $6, $7, $8, $9 }' "$work/out" >"$work/slice"
same "$work/slice" "$work/expected"
[[ $(column samples | awk '{ sum += $1 } END { print sum }') == 50 ]] || fail "slices do not add up"
gives 0 heap --every 50ms --bands 1 "$work/log"
[[ $(grep -c "(others)" "$work/out") == 4 ]] || fail "slices as text"

# Every column and key is documented.
for form in "" "--every 50ms" "--by tree"; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 heap --csv $form "$work/log"
    for name in $(head -1 "$work/out" | tr , ' '); do
        grep -q "\`$name\`\|\"$name\"" docs/heap.md || fail "docs/heap.md lacks $name"
    done
done
gives 0 heap --json "$work/log"
for name in $(grep -o '"[a-z_]*":' "$work/out" | tr -d '":' | sort -u); do
    grep -qw "$name" docs/heap.md || fail "docs/heap.md lacks $name"
done

# JSON: exact, valid, complete.
gives 0 heap --json "$work/log"
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || fail "JSON"
import json, sys
answer = json.load(open(sys.argv[1]))
(section,) = answer["sections"]
(profile,) = section["profiles"]
grows = [band for band in profile["bands"] if [profile["labels"][i] for i in band["stack"]] == ["pkg:Module.Grows"]][0]
assert profile["flag"] == "T" and profile["period_ns"] == 10000000 and profile["samples"] == 20
assert grows["course_bytes"] == [1000 + 100 * i for i in range(20)]
assert profile["course_ns"] == [100000000 + 10000000 * i for i in range(20)]
assert sum(band["end_bytes"] for band in profile["bands"]) == profile["end_bytes"] == 8200
assert abs(grows["growth_bytes"] - 10000) < 1e-6 and grows["suspect"]
assert section["heaps"][0]["live"]["max_bytes"] == 7900 and section["heaps"][0]["live"]["count"] == 20
END
fi

# --- Cost centres

{
    define 0 $ms 1
    centre 1 main Main 'Main.hs:1:1-9'
    centre 2 f 'Data.F' 'F.hs:2:2-9'
    centre 3 g 'Data.G' 'G.hs:3:3-9'
    centre 4 CAF Main '<entire-module>' 1
    begin 10
    stack 10
    stack 20 1
    stack 300 2 1
    stack 4000 3 2 1
    stack 500 2 3 1
    stack 60 4
    stack 5 3 2 1
    end 10
} | section >"$work/stacks"
gives 0 heap --csv --at end "$work/stacks"
awk -F, 'NR > 1 { print $4, $9 }' "$work/out" >"$work/labels"
printf '%s\n' "g/f/main 4005" "f/g/main 500" "f/main 300" "Main.CAF 60" "main 20" "MAIN 10" >"$work/expected"
same "$work/labels" "$work/expected"
by() { # WHAT LABEL:MODULE:BYTES…
    gives 0 heap --csv --by "$1" "$work/stacks"
    [[ $(awk -F, 'NR > 1 { print $4 ":" $5 ":" $10 }' "$work/out" | tr '\n' ' ') == "$2 " ]] ||
        fail "--by $1: $(cat "$work/out")"
}
by leaf "g:Data.G:4005 f:Data.F:800 Main.CAF:Main:60 main:Main:20 MAIN::10"
by root "main:Main:4825 Main.CAF:Main:60 MAIN::10"
by module "Data.G::4005 Data.F::800 Main::80 MAIN::10"
gives 0 heap --by tree --wide "$work/stacks"
sed '1,/^Cost centre/d' "$work/out" | sed 's/  */ /g; s/ $//' >"$work/tree"
cat >"$work/expected" <<'END'
MAIN 4.78KiB 100.0% 10B 4.78KiB N/A
 main 4.71KiB 98.6% 20B 4.71KiB N/A Main Main.hs:1:1-9
 f 4.20KiB 87.9% 300B 4.20KiB N/A Data.F F.hs:2:2-9
 g 3.91KiB 81.8% 3.91KiB 3.91KiB N/A Data.G G.hs:3:3-9
 g 500B 10.2% 0B 500B N/A Data.G G.hs:3:3-9
 f 500B 10.2% 500B 500B N/A Data.F F.hs:2:2-9
 Main.CAF 60B 1.2% 60B 60B N/A Main <entire-module>
END
same "$work/tree" "$work/expected"
gives 0 heap --by tree --depth 1 "$work/stacks"
grep -qE '^  \(3 deeper stacks\) +4\.69KiB ' "$work/out" || fail "--depth: $(cat "$work/out")"
gives 0 heap --by tree --csv "$work/stacks"
[[ $(column depth | tr '\n' ' ') == "0 1 2 3 2 3 1 " ]] || fail "the tree as CSV"
gives 0 heap --by tree --json "$work/stacks"
grep -q '"label":"g","total_bytes":4005,' "$work/out" || fail "the tree as JSON"

# The deepest stack, and a tree of that depth.
{
    define 0 $ms 1
    begin 10
    # shellcheck disable=SC2046
    stack 77 $(seq 255)
    end 10
} | section >"$work/deep"
gives 0 heap --by tree --depth 300 --csv "$work/deep"
[[ $(column depth | tail -1) == 255 && $(column total_bytes | sort -u) == 77 ]] || fail "a stack of 255"
gives 0 heap --csv "$work/deep"
grep -q ',cost centre 1/cost centre 2/.*cost centre 255,' "$work/out" || fail "cost centres without definitions"

# The next command has the program's arguments and options. After -- or --RTS, options are not read.
for case in 'prog\0-a\0+RTS\0-N2\0-hT\0-RTS\0b|prog -a b +RTS -N2 -hc -i0.001 -l' \
    'prog\0--RTS\0+RTS\0|./PROGRAM +RTS -hc -i0.001 -l' 'prog\0--\0+RTS\0-N2|./PROGRAM +RTS -hc -i0.001 -l'; do
    {
        { be 4 0; printf '%b' "${case%|*}"; } | variable 30 1
        define 0 $ms 4
        begin 10; band 5 T; end 10
    } | section >"$work/arguments"
    gives 0 heap "$work/arguments"
    prints "  ${case#*|}"
done

# --- Other breakdowns

{
    define 0 $ms 6
    for time in 10 20 30; do
        be 2 166; be 8 900; be 8 0; be 8 $((time * ms))
        band 50 VOID
        band 100 USE
        band $((time * 10)) DRAG
        end 900
    done
} | section >"$work/biography"
gives 0 heap "$logs/heap-profile-c.eventlog" # of GHC 9.0, whose -hb crashes
prints "  ./heap-profiled 20 +RTS -A4m -V0.002 -hr -i0.002 -l"
! grep -q -e -hb "$work/out" || fail "it recommends -hb"
gives 0 heap "$logs/heap-profile-b.eventlog"
prints "Run it for longer."
gives 0 heap "$work/biography"
prints "Heap by biography (-hb): 3 samples in 20.0ms, period 1.00ms"
grep -qE '^DRAG +57\.1%  used for the last time' "$work/out" || fail "biography"
prints "  ./PROGRAM +RTS -hc -hbdrag,void -i0.001 -l"

{
    define 0 $ms 1 drag,void
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        begin 900
        stack $((i * 100)) 1
        end 900
    done
} | section >"$work/numbered"
gives 0 heap "$work/numbered"
prints "Only closures with biography drag,void"
grep -q "they are numbered" "$work/out" || fail "samples without times"
grep -qE '^this profile +1\.17KiB +11 +1\.17KiB' "$work/out" || fail "the number of the largest sample"
grep -qE '^ +\+100B  1\.00  100\.0%  cost centre 1$' "$work/out" || fail "growth by number"
gives 1 heap --csv --from 5s "$work/numbered"
says "outside the log"
[[ $(column samples) == 12 ]] || fail "samples without times are in every interval"

{
    define 0 $ms 8
    { be 8 $((0x4020)); printf 'sat_info\0FUN\0Int\0worker\0Main\0src/Main.hs:7:1-20\0'; } | variable 169 1
    begin 10
    band 100 0x4020
    band 50 0x9999
    end 10
} | section >"$work/tables"
gives 0 heap "$work/tables"
grep -qE '^worker +src/Main\.hs:7:1-20 +100B' "$work/out" || fail "an info table: $(cat "$work/out")"
gives 0 heap --csv --by module "$work/tables"
[[ $(column label | head -1) == Main ]] || fail "info tables by module"

{
    define 0 $ms 5
    begin 10
    band 100 '(12)f,g'
    band 50 '(7)f,g'
    band 1 MANY
    end 10
} | section >"$work/retainers"
gives 0 heap --csv "$work/retainers"
[[ $(column end_bytes | head -1) == 150 ]] || fail "retainers are not summed"
says "closures with many retainers"
gives 0 heap --quiet "$work/retainers"
! grep -q retainers "$work/err" || fail "--quiet has a note"

# --- Bad input

# No beginning; --breakdown names it.
{ begin 10; band 5 x; end 10; } | section >"$work/bare"
gives 0 heap --json "$work/bare"
grep -q '"flag":null,"period_ns":null' "$work/out" || fail "an unknown breakdown"
for word in y -hy type; do
    gives 0 heap --breakdown "$word" "$work/bare"
    grep -q '^Heap by type (-hy): 1 sample$' "$work/out" || fail "--breakdown $word"
done
gives 64 heap --breakdown q "$work/bare"

# An unknown breakdown, incomplete samples, bands outside.
{
    define 0 $ms 99
    band 1 outside
    begin 10
    band 2 incomplete
    begin 20
    band 3 x
    end 20
    begin 30
    band 4 y
} | section >"$work/broken"
gives 1 heap --csv "$work/broken"
[[ $(column label) == x ]] || fail "incomplete samples count"
says "2 samples are incomplete: they were left out"
says "1 bands are in no sample: they were left out"

# Labels: the text of a terminal, and CSV and JSON, are safe.
{
    begin 10
    band 5 'a\tb\nc"d,\x1b[31me\xff\xc3'
    band 4 'Größe 漢字'
    band 3 "$(printf 'long%.0s' {1..100})"
    band 2 ''
    end 10
} | section >"$work/labels"
gives 0 heap "$work/labels"
! grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$work/out" || fail "control characters"
(($(wc -L <"$work/out") <= 80)) || fail "long labels are wider than 80 columns"
grep -qF 'a\tb\nc"d,\x1b[31me\xff\xc3' "$work/out" || fail "escapes: $(cat "$work/out")"
iconv -f UTF-8 -t UTF-8 "$work/out" >/dev/null || fail "invalid UTF-8"
gives 0 heap --json "$work/labels"
iconv -f UTF-8 -t UTF-8 "$work/out" >/dev/null || fail "JSON: invalid UTF-8"
grep -qF 'me\\xFF\\xC3"' "$work/out" || fail "JSON: invalid bytes"
grep -qF 'a\tb\nc\"d,\u001b[31me' "$work/out" || fail "JSON: escapes"
gives 0 heap --include '漢' --csv "$work/labels"
[[ $(column label | head -1) == "Größe 漢字" ]] || fail "--include in UTF-8"

# Different labels stay different: an invalid byte is \xE4, a backslash \\, in CSV and JSON alike.
{
    begin 10
    band 4 'h\xe4'
    band 3 'h\xfc'
    band 2 'h\\xE4'
    # shellcheck disable=SC1003
    band 1 '\\'
    end 10
} | section >"$work/bytes"
# shellcheck disable=SC1003
printf '%s\n' 'h\xE4' 'h\xFC' 'h\\xE4' '\\' >"$work/expected"
gives 0 heap --csv "$work/bytes"
column label >"$work/labels"
same "$work/labels" "$work/expected"
gives 0 heap --json "$work/bytes"
python3 -c 'import json, sys
for profile in json.load(sys.stdin)["sections"][0]["profiles"]:
    for band in profile["bands"]: print(*(profile["labels"][name] for name in band["stack"]))' <"$work/out" >"$work/labels"
same "$work/labels" "$work/expected"

# Numbers near 2^64; times that go back; a period of 0.
{
    define 0 0 7
    for time in 9223372036854775807 5 5 100; do
        begin $time
        band -1 x
        band -1 y
        end $time
    done
} | latest=9223372036854775807 section >"$work/large"
gives 0 heap --csv "$work/large"
[[ $(column max_bytes | head -1) == 18446744073709551615 ]] || fail "2^64-1"
for form in "" --json "--at peak" "--by tree" "--every 1h" --wide; do
    # shellcheck disable=SC2086 # words are meant
    gives 0 heap $form "$work/large"
    ! grep -qiE '\b(nan|inf)\b' "$work/out" || fail "large numbers, $form"
done

# Several profiles, several sections.
{
    define 0 $ms 7
    define 1 $ms 1
    begin 10
    band 5 x
    end 10
    begin 20
    band 7 y 1
    end 20
} | section >"$work/two"
cat "$work/two" "$work/log" >"$work/restarted"
gives 0 heap "$work/restarted"
grep -qE '^Profile 1 of 2\. Heap by closure type \(-hT\): 1 sample, ' "$work/out" || fail "the first profile"
grep -qE '^Profile 2 of 2\. Heap by cost centre \(-hc\): 1 sample, ' "$work/out" || fail "the second profile"
grep -qE '^Section 2\. Heap by closure type' "$work/out" || fail "the second section"
gives 0 heap --csv "$work/restarted"
[[ $(cut -d, -f1,2 "$work/out" | sort | uniq -c | sed 's/^ *//' | tr '\n' ';') == \
"1 1,0;1 1,1;3 2,0;1 section,profile;" ]] || fail "profiles in CSV"

# --- Without samples

gives 1 heap "$logs/demo.eventlog"
says "the log has no heap samples (+RTS -hT -l)"
prints "  ./demo +RTS -N2 -A256k -hT -l"
grep -q '^live data  65.0KiB' "$work/out" || fail "live data without samples"
grep -q '^         1  ' "$work/out" || fail "collections by generation"
gives 1 heap --json "$logs/demo.eventlog"
grep -q '"profiles":\[\],"heaps":\[{' "$work/out" || fail "JSON without samples"
gives 1 heap --csv "$logs/demo.eventlog"
[[ $(wc -l <"$work/out") == 1 ]] || fail "CSV without samples"
{ define 0 $ms 7; begin 10; band 5 x; } | section >"$work/begun"
gives 1 heap "$work/begun"
grep -qx "$work/begun: the log has no heap samples" <(sed 's/^hectic: //' "$work/err") || fail "a profile without samples"
grep -q '^A heap profile began, but has no complete sample' "$work/out" || fail "a profile without samples"
define 0 $ms 7 | section >"$work/defined"
gives 0 info "$work/defined"
prints "  heap-profile   a profile began: a longer run, or +RTS -i0.001 (one each ms)"
head -c -200 "$logs/time-profile.eventlog" >"$work/cut"
gives 0 info "$work/cut"
prints "Not in this log, which ends early (and how to enable it)"
{ begin 10; end 10; } | section >"$work/empty"
gives 0 heap "$work/empty"
prints "Heap by an unknown breakdown (see --breakdown): 1 sample"

# --- GHC's logs

some=("$logs"/*.eventlog)
thin some
for log in "${some[@]}"; do
    for form in "" --wide "--at peak" "--by tree" "--by leaf" "--every 10ms"; do
        code=0
        # shellcheck disable=SC2086 # words are meant
        "$HECTIC" heap $form "$log" >"$work/out" 2>"$work/err" || code=$?
        if [[ $code == 1 ]]; then
            grep -qE 'no heap samples|bands are in no sample' "$work/err" || fail "heap $form $log: $(cat "$work/err")"
        fi
        ((code <= 1)) || fail "heap $form $log: exit code $code"
        [[ $form == --wide ]] || (($(wc -L <"$work/out") <= 80)) || fail "heap $form $log: wider than 80 columns"
        ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$work/out" || fail "heap $form $log: control characters"
    done
done
at_bytes() {
    python3 -c 'import json, sys
for profile in json.load(sys.stdin)["sections"][0]["profiles"]:
    for band in profile["bands"]:
        if band["at_bytes"]: print("/".join(profile["labels"][i] for i in band["stack"]), band["at_bytes"], sep="\t")'
}
# Each sample's bands, from the text of the events.
for kind in types profile-y profile-d profile-m; do
    command -v python3 >/dev/null || break
    log=$logs/heap-$kind.eventlog
    "$HECTIC" show --no-header "$log" >"$work/events"
    while read -r time; do
        awk -v time="$time" '/start heap prof sample/ { inside = index($0, time ":") == 1 }
            inside && match($0, /residency [0-9]+, label /) {
                split(substr($0, RSTART), words, /[ ,]+/); label = substr($0, RSTART + RLENGTH)
                bytes[label] += words[2] }
            END { for (label in bytes) if (bytes[label]) print label "\t" bytes[label] }' "$work/events" | sort >"$work/expected"
        "$HECTIC" heap --json --at "${time}ns" "$log" | at_bytes | sort >"$work/got"
        same "$work/got" "$work/expected"
    done < <(sed -n 's/^\([0-9]*\): start heap prof sample.*/\1/p' "$work/events" | if is_short; then awk 'NR % 5 == 1'; else cat; fi)
    [[ -s $work/got ]] || fail "$kind: no sample"
done

# The sizes of the runtime are those of stat.
known() { # KEY TEXT: the numbers of a key in JSON, but for null
    grep -o "\"$1\":[0-9]*" <<<"$2" | grep -o '[0-9]*$' || true
}
compared=0
some=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin some
for log in "${some[@]}"; do
    [[ -f $log && $log != *restarted* ]] || continue
    heap=$("$HECTIC" heap --json "$log" 2>/dev/null | grep -o '"heaps":.*' || true)
    stat=$("$HECTIC" stat --jsonl "$log" 2>/dev/null || true)
    [[ $(grep -o '"capset":' <<<"$heap" | wc -l) == 1 ]] || continue
    live=$(grep -o '"live":{"count":[0-9]*,"max_bytes":[0-9]*' <<<"$heap" || true)
    size=$(grep -o '"heap_size":{"count":[0-9]*,"max_bytes":[0-9]*' <<<"$heap" || true)
    [[ $(known max_bytes "$live") == "$(known residency_max_bytes "$stat")" ]] || fail "$log: live data"
    [[ $(known max_bytes "$size") == "$(known heap_max_bytes "$stat")" ]] || fail "$log: heap size"
    [[ -z $live || $(known count "$live") == "$(known residency_samples "$stat")" ]] || fail "$log: collections"
    [[ $(known copied_bytes "$heap" | awk '{ sum += $1 } END { printf "%.0f", sum }') == \
        "$(known copied_bytes "$stat" | head -1)" ]] || [[ $heap != *'"generation"'* ]] || fail "$log: copied"
    compared=$((compared + 1))
done
((compared >= $(is_short && echo 3 || echo 10))) || fail "only $compared logs have a heap"

# The sizes of the first eight processes are kept.
for ((capset = 0; capset < 9; capset++)); do be 2 50; be 8 1; be 4 $capset; be 8 100; done |
    section >"$work/processes"
gives 1 heap "$work/processes"
says "1 sizes of the heap were left out: the log has too many processes"

# --- Mistakes

gives 64 heap --json --csv "$work/log"
says "--json and --csv cannot be combined"
gives 64 heap --every 1s --at peak "$work/log"
gives 64 heap --every 1s --by tree "$work/log"
gives 64 heap --depth 3 "$work/log"
says "--depth needs --by tree"
gives 64 heap --sort weight "$work/log"
gives 64 heap --by label "$work/log"
gives 64 heap --at yesterday "$work/log"
says 'invalid time "yesterday" for --at (peak, end, or a time: 1.5s, 20ms, marker:NAME)'
gives 64 heap --at marker:nowhere "$work/log"
says 'no marker "nowhere"'
gives 0 heap --by leaf "$work/log"
says "only profiles by cost centre (-hc) have stacks"
gives 2 heap "$work/missing"

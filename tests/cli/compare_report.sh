#!/usr/bin/env bash
# compare --html and --flame: files that browsers show without anything else, whatever is in a log.
. tests/support/lib.bash
needs python3
page=$PWD/tests/support/report_page.py
python3 tests/support/flame_logs.py "$work"
HECTIC=$(realpath "$HECTIC") logs=$PWD/$logs
cd "$work"

# The numbers are those of other verbs.
gives 0 compare -q --html plain.html "$logs/demo.eventlog" "$logs/spans.eventlog"
gives 0 compare -q --csv "$logs/demo.eventlog" "$logs/spans.eventlog"
mv out plain.csv
for side in old:demo new:spans; do
    gives 0 sql --csv "$logs/${side#*:}.eventlog" "SELECT '', pause_ns FROM gc UNION ALL SELECT label, duration_ns FROM spans_each"
    mv out "${side%%:*}.csv"
done
python3 "$page" plain.html --numbers plain.csv --durations old.csv new.csv || fail "the page"

# A baseline has the same, to a sixteenth.
gives 0 compare --save plain.hectic "$logs/demo.eventlog"
gives 0 compare -q --html sketches.html --baseline plain.hectic "$logs/spans.eventlog"
python3 "$page" sketches.html --durations old.csv new.csv --within 0.08 --has pauses spans || fail "sketches.html"

# The heap's bands; conditions; several runs.
gives 3 compare -q --html conditions.html --require 'memory.allocated < 1B' "$logs"/heap-profile-{y,c}.eventlog
python3 "$page" conditions.html --has conditions heap pauses || fail "conditions.html"
gives 0 compare -q --html heap.html heap-old?.eventlog --with heap-new?.eventlog
python3 "$page" heap.html --has heap flame || fail "heap.html"
gives 0 compare -q --html type.html type-old?.eventlog --with type-new?.eventlog
python3 "$page" type.html --has heap flame || fail "type.html"
grep -qF "<title>legacy" type.html || fail "what has vanished is not in the graph"

# Hostile texts, and a profile that is too large to be drawn.
gives 0 compare -q --html hostile.html --flame hostile.svg hostile-old?.eventlog --with hostile-new?.eventlog
python3 "$page" hostile.html --has spans flame --text '<script>alert(1)</script>' "' onload='x" ']]>' '\xff\xfe' || fail "hostile.html"
python3 "$page" hostile.svg --text '<script>alert(1)</script>' "' onload='x" ']]>' '\xff\xfe' || fail "hostile.svg"
gives 0 compare -q --html deep.html --flame deep.svg deep-old1.eventlog deep-new1.eventlog
grep -q "too narrow to be drawn: [0-9,]* frames" deep.svg || fail "nothing is left out"
(($(grep -c "<rect" deep.svg) <= 40020)) || fail "too many frames"
python3 "$page" deep.svg || fail "deep.svg"

# No profile, of one side or of both; different ones; a baseline; a format that is unknown.
gives 2 compare --flame none.svg "$logs/demo.eventlog" time-old1.eventlog
says "no profile in the old runs: build with ghc -prof, and run with +RTS -p -l (time) or +RTS -hc -l (heap)"
[[ ! -e none.svg ]] || fail "a file without a profile"
gives 2 compare --flame none.svg time-old1.eventlog heap-old1.eventlog
says "the old and the new runs have profiles of different kinds"
for side in old new; do
    cat time-${side}1.eventlog heap-${side}1.eventlog >both-$side.eventlog
done
gives 0 compare -q --flame both.svg both-old.eventlog both-new.eventlog
says "--flame shows time by cost centre; both sides also have heap by"
gives 0 compare --save old.hectic time-old?.eventlog
gives 2 compare --flame none.svg --baseline old.hectic time-new1.eventlog
says "a baseline has no stacks"
gives 0 compare -q --html baseline.html --baseline old.hectic time-new1.eventlog
python3 "$page" baseline.html --text "no stacks: there is no flame graph" || fail "baseline.html"
gives 64 compare --flame none.png time-old1.eventlog time-new1.eventlog
says "has to end with .svg, or .json"
gives 64 compare --save saved.hectic --html none.html time-old1.eventlog
says "--save saves the runs of one side: without --html and --flame"

# Files are replaced only with --force, and never by a part.
for option in "--html file.html" "--flame file.svg" "--flame file.speedscope.json"; do
    read -ra words <<<"$option"
    echo old >"${words[1]}"
    gives 2 compare "${words[@]}" time-old1.eventlog time-new1.eventlog
    says "${words[1]} already exists: use --force to replace it"
    [[ ! -s out && $(<"${words[1]}") == old ]] || fail "$option: replaced, or only found out late"
    gives 2 compare --force "${words[@]}" time-old1.eventlog missing.eventlog
    [[ $(<"${words[1]}") == old ]] || fail "$option: replaced by nothing"
    gives 0 compare --force "${words[@]}" time-old1.eventlog time-new1.eventlog
    (($(stat -c %s "${words[1]}") > 1000)) || fail "$option: not replaced"
done

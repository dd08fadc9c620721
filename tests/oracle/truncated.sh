#!/usr/bin/env bash
# Logs that are cut at random places: each verb and the page have the same numbers of each process.
. tests/support/lib.bash
needs python3
merged() { # NAME LOG…
    gives 0 merge --force --align start -o "$work/$1" "${@:2}"
}
merged two $logs/threads.eventlog $logs/demo.eventlog
merged three $logs/sparks.eventlog $logs/spans.eventlog $logs/demo.eventlog
all=("$work"/{two,three} "$logs"/{demo,threads}.eventlog)
# A process that ends long before the others, and one without an end.
generate_log --caps 2 --size 200k --seed 31 -o "$work/short"
generate_log --caps 3 --size 1M --seed 32 -o "$work/long"
merged apart "$work/short" "$work/long"
head -c 600K "$work/long" >"$work/cut"
merged killed "$work/short" "$work/cut"
all+=("$work"/{apart,killed})
shopt -s nullglob
of_corpus=("$corpus"/{nofib-gcd,ghc-9.2-events,hello-ghc-8.2.2,parallelTest,sealions}*.eventlog)
if ((${#of_corpus[@]} > 1)); then
    merged corpus "${of_corpus[@]}"
    all+=("$work/corpus")
fi
places=20
if is_short; then places=6; fi
python3 tests/oracle/truncated.py "$HECTIC" "$HECTIC_BUILD/view_answers" $places "${all[@]}"

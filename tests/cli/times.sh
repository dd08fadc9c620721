#!/usr/bin/env bash
# An interval that ends before it begins is a usage error in every verb.
. tests/support/lib.bash
log=$logs/demo.eventlog # its marker primes comes before its marker phi

for verb in show inc cut copy stat gc threads spans sparks tasks; do
    out=()
    [[ $verb != cut && $verb != copy ]] || out=("$work/part")
    gives 64 "$verb" --from 2s --to 1s "$log" "${out[@]}"
    says "--from 2s is later than --to 1s"
    gives 64 "$verb" --from marker:phi --to marker:primes "$log" "${out[@]}"
    says "--from marker:phi is later than --to marker:primes"
    gives 64 "$verb" --from marker:phi --to 1ns "$log" "${out[@]}"
    says "--from marker:phi is later than --to 1ns"
    [[ ! -s $work/out && ! -e $work/part ]] || fail "$verb: output was written"
done

for verb in stat gc threads spans sparks tasks; do
    for between in "--between phi..primes" "--between phi --between primes"; do
        # shellcheck disable=SC2086 # words are meant
        gives 64 "$verb" $between "$log"
        says 'no marker "primes" after the first "phi"'
        [[ ! -s $work/out ]] || fail "$verb: output was written"
    done
done

# A number without a unit is an error; 0 needs none.
for option in "stat --from" "show --to" "heap --at" "stat --every" "record --for"; do
    # shellcheck disable=SC2086 # words are meant
    gives 64 $option 5 "$log"
    says "invalid time \"5\" for --${option##*--} (it has no unit; did you mean 5s?)"
done
gives 64 gc --from 0.2 "$log"
says "did you mean 0.2s?"
gives 0 gc --from 0 --to 1s "$log"

# --between A.. reaches to the end, ..B from the beginning.
for pair in "phi..:--from marker:phi" "..phi:--to marker:phi"; do
    for verb in stat threads gc; do
        # shellcheck disable=SC2086 # words are meant
        "$HECTIC" $verb --json ${pair#*:} "$log" >"$work/wanted"
        gives 0 $verb --json --between "${pair%%:*}" "$log"
        same "$work/out" "$work/wanted"
    done
done
gives 64 stat --between .. "$log"
says 'invalid interval ".." for --between (examples: A..B, A.. to the end, ..B from the beginning)'
gives 64 stat --between phi "$log"

#!/usr/bin/env bash
# generate-log: the logs are sound and valid, have the requested size and shape, and are reproducible.
. tests/support/lib.bash

generate() { # NAME OPTION…: writes $work/NAME
    local file=$work/$1
    shift
    generate_log -o "$file" "$@"
}

sound() { # NAME: check and all machines find nothing, and so does ghc-events
    gives 0 check "$work/$1"
    gives 0 validate all "$work/$1"
    command -v ghc-events >/dev/null || return 0
    ghc-events show "$work/$1" >/dev/null || fail "ghc-events cannot show $1"
    ghc-events validate threads "$work/$1" | grep '^Valid' >/dev/null ||
        fail "ghc-events finds the threads of $1 invalid"
}

share() { # NAME CLASS: of the events, in percent
    local json
    json=$("$HECTIC" info --force --json "$work/$1")
    local all=${json##*\"events\":} these=${json##*\"events_by_class\":}
    these=${these#*\""$2"\":}
    echo $((${these%%[,\}]*} * 100 / ${all%%,*}))
}

between() { # LEAST NUMBER MOST WHAT
    (($1 <= $2 && $2 <= $3)) || fail "$4: $2, not from $1 to $3"
}

# The same options give the same bytes, in a file or a pipe. Another seed gives other bytes.
generate one --size 300k --caps 3
generate two --size 300k --caps 3
same "$work/one" "$work/two"
generate_log --size 300k --caps 3 | cmp - "$work/one" || fail "the output to a pipe differs"
generate other --size 300k --caps 3 --seed 7
cmp -s "$work/one" "$work/other" && fail "another seed gives the same log"
sound one

# The size.
between 300000 "$(stat -c %s "$work/one")" 320000 "bytes"
generate large --size 20M
between 20000000 "$(stat -c %s "$work/large")" 20100000 "bytes"
generate counted --events 5k
between 5000 "$("$HECTIC" inc --force --no-header "$work/counted" | grep -c '^[0-9]*: ')" 5400 "events"
generate timed --duration 20ms
last=$("$HECTIC" show --force --no-header "$work/timed" | tail -2 | cut -d: -f1 | head -1)
between 20000000 "$last" 25000000 "the time of the last event"

# The shape.
generate alone --events 20k --caps 1 --threads 1
sound alone
generate many --size 2M --caps 64 --threads 20000
sound many
[[ $("$HECTIC" show --force --no-header --event CREATE_THREAD --cap 63 --limit 1 "$work/many") ]] ||
    fail "no 64th cap"
generate_log --size 2M --buffer 64Ki >"$work/small-blocks"
sound small-blocks
(($("$HECTIC" inc --force --no-header "$work/small-blocks" | grep -c 'event block') > 25)) ||
    fail "a smaller buffer gives no more blocks"

# One cap logs some 20 events before another does, or one or two.
run_length() { # NAME: the mean number of consecutive events of one cap, in order of time, times ten
    "$HECTIC" show --force --no-header "$work/$1" |
        awk '$2 == "cap" { if ($3 != cap) runs++; cap = $3; events++ } END { print int(10 * events / runs) }'
}
for caps in 2 4 8; do
    generate turns --size 2M --caps $caps
    between 130 "$(run_length turns)" 250 "length of a run with $caps caps, times ten"
    generate alternating --size 2M --caps $caps --alternate
    sound alternating
    between 10 "$(run_length alternating)" 20 "length of a run with --alternate, times ten"
done

# The mix. Collections stop threads, too.
generate mixed --size 2M --mix threads=40,messages=30,gc=20,sparks=10
sound mixed
between 38 "$(share mixed scheduler)" 50 "share of threads"
between 28 "$(share mixed user)" 32 "share of messages"
between 8 "$(share mixed spark-full)" 12 "share of sparks"
for kind in threads gc sparks messages heap-profile time-profile; do
    generate "$kind" --events 3k --mix "$kind=1"
    sound "$kind"
done

# Profiles: the number of bands in a sample, and of different stacks.
generate bands --events 20k --mix heap-profile=1 --bands 5000
[[ $("$HECTIC" show --force --no-header --event HEAP_PROF_SAMPLE_STRING "$work/bands" | sed 's/.*label //' |
    sort -u | wc -l) == 5000 ]] || fail "not 5000 bands"
generate stacks --events 20k --mix time-profile=1 --stacks 3 --caps 2
[[ $("$HECTIC" show --force --no-header --event PROF_SAMPLE_COST_CENTRE "$work/stacks" | sed 's/.*stack //' |
    sort -u | wc -l) == 3 ]] || fail "not 3 stacks"

# Invalid options.
for wrong in "--mix nonsense=1" "--mix threads" "--mix threads=0" "--mix gc=1001" "--caps 2000" "--bands 0" "--stacks 1G" \
    "--size 0" "--size 10x" "--duration 0s" "--seed -1" "LOG"; do
    code=0
    # shellcheck disable=SC2086
    generate_log $wrong >"$work/out" 2>"$work/err" || code=$?
    [[ $code == 64 && ! -s $work/out ]] || fail "$wrong: exit code $code"
done
generate_log >/dev/full 2>"$work/err" && fail "a full disk is not an error"
says "standard output: No space left on device"
generate_log -o "$work/nowhere/log" 2>"$work/err" && fail "a folder that does not exist is no error"
says "$work/nowhere/log: No such file or directory"

# The file gets its name when it is complete, and is replaced only with --force.
mkdir "$work/folder"
# Not by the function: its shell would be the child.
"$HECTIC_BUILD/generate-log" --size 1000G -o "$work/folder/log" &
child=$!
has_begun() { [[ $(ls -A "$work/folder") ]]; }
soon has_begun
[[ ! -e $work/folder/log ]] || fail "an incomplete log has the name"
kill -KILL $child
wait $child 2>/dev/null || true
"$HECTIC_BUILD/generate-log" -o "$work/one" 2>"$work/err" && fail "an existing file is replaced"
says "already exists: use --force"
same "$work/one" "$work/two"

# The output cannot be a terminal.
needs script
script -qec "$HECTIC_BUILD/generate-log --events 10" /dev/null >"$work/typescript" && fail "a terminal gets a log"
grep -q "not writing a log to a terminal" "$work/typescript" || fail "a terminal is not refused"

#!/usr/bin/env bash
# run --repeat: runs commands several times, in turns, and keeps their logs for compare.
. tests/support/haskell.bash
compile compared compared.hs -O1 -threaded -package containers
HECTIC=$(realpath "$HECTIC")
cd "$work"

gives 0 run --repeat 6 --warmup 1 -- ./compared 2000 1000 100 0
[[ -e compared.runs/006.eventlog && ! -e compared.runs/007.eventlog && $(wc -l <out) == 7 ]] || fail "not 6 runs and one before"
says "./compared 2000 1000 100 0: 6 runs, in compared.runs: medians, with intervals of 95 %"
grep -qE "^  time.total +[0-9.]+(us|ms|s) +\([0-9.]+(us|ms|s) to [0-9.]+(us|ms|s)\)$" err || fail "no median: $(<err)"
gives 2 run --repeat 2 -- ./compared 2000 1000 100 0
says "compared.runs: has files in it: name another with --runs"

# Several commands take turns.
gives 0 run -q --repeat 6 --also './compared 40000 "1000" 100 0' --also './compared 2000 1000 100 0' --runs three \
    -- ./compared 2000 1000 100 0
[[ ! -s err ]] || fail "not quiet: $(<err)"
[[ -e three/1/006.eventlog && -e three/2/006.eventlog && -e three/3/006.eventlog ]] ||
    fail "the logs of three commands: $(ls three/*)"
gives 0 compare --csv three/1 three/2
grep -q '^memory.allocated_bytes,.*,certain,6,6$' out || fail "the commands do not differ: $(head -3 out)"
gives 0 compare --csv three/1 three/3
grep -q '^memory.allocated_bytes,.*,none,6,6$' out || fail "the first and the third command differ: $(head -3 out)"

# It ends as soon as the interval is narrow, but not before there is one.
gives 0 run --repeat 40 --until 100% --runs until -- ./compared 2000 1000 100 0
until=$(find until -name '*.eventlog' | wc -l)
((until >= 6 && until < 40)) || fail "$until runs until an interval of 100 %"
gives 0 run --repeat 6 --until 0.0001% --runs wide -- ./compared 2000 1000 100 0
[[ -e wide/006.eventlog ]] || fail "not 6 runs"
says "the intervals of the total time are wider than 0.0001% of it (--until)"

# Options of runs are passed on.
gives 0 run -q --repeat 1 --rts -A4m --runs options -- ./compared 40000 1000 100 0
gives 0 require 'gc.pause.count < 40' options
gives 0 require 'gc.pause.count >= 40' three/2

# Runs that fail are set apart, and have their exit code.
gives 1 run --repeat 2 --runs failed -- ./compared 1 2
says "./compared 1 2: 0 runs, and 2 that failed, in failed"
[[ $(ls failed) == $'001.eventlog.failed\n002.eventlog.failed' ]] || fail "of failed runs: $(ls failed)"
gives 2 compare failed three/1
says "failed: there is no log in this folder"
gives 127 run --repeat 3 --runs none -- ./nothing
gives 125 run --repeat 3 --runs other -- true
says "true: 0 runs, and 1 that failed, in other"

# Each run reads the whole of a file.
echo 'main = getContents >>= putStr' >Copy.hs
ghc -v0 -eventlog -rtsopts Copy.hs
echo text >input
gives 0 run -q --repeat 3 --runs copies -- ./Copy <input
[[ $(<out) == $'text\ntext\ntext' ]] || fail "three runs read: $(<out)"

# A signal ends it, with the program.
"$HECTIC" run -q --repeat 3 --runs interrupted -- ./compared 1 1 1 100000000 >/dev/null 2>err &
has_begun() {
    pgrep -P "$(pgrep -P "$!" | head -n 1)" >/dev/null 2>&1
}
soon has_begun
kill -TERM $!
code=0
wait $! || code=$?
((code == 143)) || fail "exit code $code after SIGTERM: $(<err)"
[[ ! -e interrupted/002.eventlog && ! -e interrupted/002.eventlog.failed ]] || fail "it goes on after SIGTERM"

# The command line.
gives 64 run --warmup 2 ./compared
says "--until, --warmup, --also and --runs need --repeat"
gives 64 run --until 5 --repeat 8 ./compared
says "invalid part"
gives 64 run --repeat 2 --log x ./compared
says "--repeat can only be combined with"
gives 64 run --repeat 2 --also 'a | b' ./compared
gives 64 run --repeat 2000 ./compared

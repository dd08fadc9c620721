#!/usr/bin/env bash
# run starts a program, which behaves as without hectic, and watches it.
. tests/support/lib.bash
. tests/support/live.bash
needs ghc
cp tests/programs/run.hs "$work"
export TMPDIR=$work/private
mkdir "$TMPDIR"

# compile_with NAME GHC-OPTION…: other options than usual
compile_with() {
    local name=$1
    shift
    (cd "$work" && ghc -v0 -outputdir "objects-$name" -o "$name" run.hs "$@")
}

# No temporary file is left.
leaves_nothing() {
    [[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"
}

# lines LESS: so many lines of a watch are in $work/err, at least.
lines() {
    (($(grep -c '^ *[0-9]*\.[0-9]* ' "$work/err") >= $1)) || fail "no $1 lines: $(cat "$work/err")"
}

# starts ARGUMENT…: hectic, in the background as $child; its program has begun.
starts() {
    rm -f "$work/out"
    "$HECTIC" "$@" >"$work/out" 2>"$work/err" &
    child=$!
    soon file_matches "$work/out" begins
}

. tests/support/compile.bash
compile all run.hs -threaded
compile_with default -eventlog
compile_with without -rtsopts
compile_with none -eventlog -rtsopts=none
compile_with ignoring -eventlog -rtsopts=ignoreAll
strip -o "$work/stripped" "$work/default"

# Arguments, whatever they look like, stdin, stdout and exit codes are the program's own.
gives 0 run "$work/all" --count -n 3 +RTS -A1m -RTS "a b" '' --help
prints '["--count","-n","3","a b","","--help"]'
says "Total   time"
lines 1
gives 0 run --no-report -- "$work/default" --x
prints '["--x"]'
! grep -q Total "$work/err" || fail "a report"
gives 0 run "$work/all" cat <<<'from stdin'
prints 'from stdin'
gives 77 run -q "$work/all" exit 77
! grep -qE "Verdict|MUT|elapsed" "$work/err" || fail "run -q: a report: $(<"$work/err")"
gives 77 run -q "$work/default" exit 77
PATH=$work:$PATH gives 0 run all found
prints '["found"]'
leaves_nothing

# Only if the -rtsopts of the program are unknown are options passed in the environment.
for program in all default; do
    gives 0 run "$work/$program" environment
    prints Nothing
    lines 1
done
GHCRTS=-T gives 0 run "$work/stripped" environment
grep -q '^Just "-T -l -ol' "$work/out" || fail "GHCRTS: $(cat "$work/out")"
lines 1
gives 0 run --through environment "$work/all" environment
grep -q '^Just "-l -ol' "$work/out" || fail "GHCRTS: $(cat "$work/out")"
leaves_nothing

# A program that cannot be watched is not started.
gives 125 run "$work/without" exit 0
says "was linked without the eventlog: relink it with -eventlog -rtsopts"
gives 125 run "$work/none" exit 0
says "relink it with -rtsopts"
gives 125 run "$work/ignoring" exit 0
says "relink it with -rtsopts"
gives 125 run true
says "is not a Haskell program"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$work/default" >"$work/script"
chmod +x "$work/script"
gives 125 run "$work/script" x
says "is a script"
gives 0 run --through environment "$work/script" x
prints '["x"]'
lines 1
gives 127 run "$work/nothing"
says "No such file"
gives 127 run hectic-no-such-program
says "not found in PATH"
gives 126 run "$work"
says "is a directory"
gives 126 run "$work/run.hs"
says "is not executable"
printf 'nonsense' >"$work/nonsense"
chmod +x "$work/nonsense"
gives 126 run --through environment "$work/nonsense"
says "Exec format error"
gives 125 run --log "$work/no/where" "$work/all"
says "No such file"
for option in --log -o; do # before the program starts
    echo earlier >"$work/earlier"
    gives 125 run "$option" "$work/earlier" "$work/all" exit 3
    says "$work/earlier already exists: use --force to replace it"
    [[ $(<"$work/earlier") == earlier ]] || fail "run $option replaces a file"
    gives 3 run --force "$option" "$work/earlier" "$work/all" exit 3
    ! grep -qx earlier "$work/earlier" || fail "run --force $option replaces nothing"
done
gives 125 run --log "$work/same" -o "$work/./same" "$work/all" exit 3
says "$work/./same: --log and --output are the same file"
[[ ! -e $work/same ]] || fail "an output of two kinds"
gives 1 run --rts -A1m "$work/default" exit 0
says "Most RTS options are disabled"
says "no eventlog was written"
gives 64 run --json --csv "$work/all"
says "hectic run: --json and --csv cannot be combined"
gives 64 run
leaves_nothing

# CPU time and memory agree with +RTS -s of the same run.
gives 0 run --rts "-s$work/said" "$work/all" keep 1000000
awk '
    FNR == NR && / total memory in use/ {memory = $1}
    FNR == NR && /^  Total .*time/ {total = $3 + 0}
    FNR == NR {next}
    / MiB maximum resident set of the process, by the system$/ {resident = $1}
    /^  Total .*time/ {cpu = $3 + 0}
    /CPU time by the system/ {parts = $6 + $8}
    END {
        near = total / 20 + 0.02
        ok = total > 0 && cpu >= total - near && cpu <= total + near && cpu - parts < 0.0015 &&
            parts - cpu < 0.0015 && resident > memory / 2 && resident < memory + 32
        print cpu " s, " resident " MiB; +RTS -s: " total " s, " memory " MiB"
        exit !ok
    }' "$work/said" "$work/err" >"$work/system" || fail "by the system: $(cat "$work/system")"

# --log writes a complete log, and the report is that of hectic stat, except for CPU time and memory.
gives 0 run --log "$work/log" "$work/all" last 3
sed -n '/allocated in the heap/,/^Verdict/p' "$work/err" |
    sed -e '/^Verdict/d' -e '/by the system/d' -e 's/^\(  Total   time\)  *[0-9.]*s/\1       N\/A/' >"$work/report"
"$HECTIC" check "$work/log" >/dev/null || fail "the log is not complete"
"$HECTIC" stat "$work/log" >"$work/wanted"
same "$work/report" "$work/wanted"

# Then the verdict, as hectic info prints it of that log.
"$HECTIC" info "$work/log" | sed -n '/^Verdict/,/^$/p' | sed '/^$/d' >"$work/wanted"
sed -n '/^Verdict/,$p' "$work/err" >"$work/verdict"
same "$work/verdict" "$work/wanted"
"$HECTIC" show "$work/log" | grep ' running thread' >/dev/null || fail "no events"

# Lines for a script.
gives 0 run -q --json --every 100ms -o "$work/lines" "$work/all" last 20
(($(wc -l <"$work/lines") >= 4)) || fail "no lines: $(cat "$work/lines")"
head -1 "$work/lines" | grep -q '^{"program":"all","pid":[0-9]*,"time_ns":' || fail "no JSON"

# Signals sent to hectic are forwarded; hectic ends by the same signal as the program.
starts run -q "$work/all" last 100
kill -TERM $child
code=0
wait $child || code=$?
((code == 143 || code == 1)) || fail "SIGTERM: exit code $code"
starts run "$work/all" last 100
kill -HUP $child
code=0
wait $child || code=$?
((code == 129)) || fail "SIGHUP: exit code $code"
says "(Hangup): events that its runtime had not written yet are lost"
leaves_nothing

# Without a log there is no report, and the reason is printed.
gives 0 run "$work/all" vanish
says "ended without its runtime (by _exit, or by exec as another program): events that"
grep -q 'N/A bytes allocated' "$work/err" && fail "it reports: $(cat "$work/err")"
leaves_nothing

# The program outlives hectic.
starts run -q "$work/all" last 10
kill -STOP $child
soon file_matches "$work/out" ends
kill -CONT $child
wait $child || fail "stopped and continued: exit code $?"
leaves_nothing
starts run -q "$work/all" last 5
soon has_open $child "$TMPDIR/*"
kill -KILL $child
wait $child 2>/dev/null || true
soon file_matches "$work/out" ends
[[ ! -s $work/err ]] || fail "the program complains: $(cat "$work/err")"
soon is_empty "$TMPDIR"

# Ended at once, by whatever signal: there is no log, or it has bytes; an earlier file of its name stays; a
# temporary file does not.
echo earlier >"$work/earlier"
for i in $(seq 40); do
    signal=$(((i % 4) == 0 ? 9 : (i % 2) ? 15 : 1)) # KILL, TERM, HUP
    log=$work/$( ((i % 3)) && echo "new$i" || echo earlier)
    "$HECTIC" run --force --log "$log" "$work/all" last 600 >"$work/out" 2>"$work/err" &
    child=$!
    soon test "/proc/$child/exe" -ef "$HECTIC" # a shell that is ended here would run the trap of this one
    sleep "0.0$((RANDOM % 40 + 10))" # at any moment
    kill -$signal $child
    wait $child 2>/dev/null || true
    ! grep -q "relink" "$work/err" || fail "its build is blamed: $(cat "$work/err")"
    [[ ! -e $log || -s $log ]] || fail "a log without a byte: $(cat "$work/err")"
    if [[ $log == */earlier ]] && [[ $(head -c 4 "$log") != hdrb ]]; then
        [[ $(cat "$log") == earlier ]] || fail "the earlier file is overwritten without a log"
    fi
    for pid in $(pgrep -f "^$work/all "); do kill -KILL "$pid"; done
done
soon is_empty "$TMPDIR"

# --record: complete logs in DIR, rotated; --top: the screen of top.
needs zstd
gives 0 run -q --record "$work/logs" --record-time 500ms --keep-free 1 "$work/all" last 20
recorded=("$work"/logs/all-*.eventlog.zst)
((${#recorded[@]} >= 2)) || fail "not rotated: ${recorded[*]}"
for file in "${recorded[@]}"; do
    gives 0 check "$file"
done
[[ $("$HECTIC" info --json "${recorded[-1]}") == *'"complete":true'*'"RUN_THREAD"'* ]] || fail "the last one has no events"
gives 0 run -q --force --log "$work/log" --record "$work/logs2" --keep-free 1 "$work/all" last 2
"$HECTIC" inc --event CREATE_THREAD "$work/log" >"$work/expected"
"$HECTIC" inc --event CREATE_THREAD "$work"/logs2/* | cmp - "$work/expected" || fail "another log is recorded"
gives 125 run --record "$work/log/within" "$work/all" x
says "$work/log/within"
[[ ! -s $work/out ]] || fail "the program was started"
gives 64 run --top --record "$work/logs" "$work/all"
says "--top can only be combined with --heap, --prof and --rts"
gives 2 run --top "$work/all"
says "terminal"
command -v tmux >/dev/null || exit 0
terminal new-session -d -x 90 -y 30 \
    "'$HECTIC' run --top --rts -A256k '$work/all' \"it's\"; echo ended with \$?; cat"
shows "cap 0"
keys q
shows "ended with 0"
shows "\\[\"it's\"]"
end_terminal

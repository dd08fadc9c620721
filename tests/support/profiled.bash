# Shared by the oracles of time profiles. At a tick, GHC reads the present stack twice: for its report,
# and for the log (handleProfTick). If the program enters another cost centre in between, they differ by
# this tick: the exit code of a comparison is 2 if they differ by some ticks only.
. tests/support/haskell.bash
needs python3
needs_profiling
export PYTHONIOENCODING=utf-8 PYTHONDONTWRITEBYTECODE=1
oracle=$PWD/tests/oracle/export_prof.py

# is_equal COMMAND…: compares a run of a program whose cost centres each take milliseconds: some run of
# up to ten has no moved tick.
is_equal() {
    local code
    for _ in {1..10}; do
        code=0
        "$@" || code=$?
        [[ $code == 2 ]] || break
    done
    [[ $code == 0 ]] || fail "$*"
}

# is_near COMMAND…: one whose cost centres change within nanoseconds: ticks may have moved.
is_near() {
    local code=0
    "$@" || code=$?
    [[ $code == 0 || $code == 2 ]] || fail "$*"
}

compile_fine() {
    compile fine prof_stacks.hs -O1 -prof -fprof-auto -fprof-cafs -threaded
}

# profile PROGRAM FLAG SUFFIX "FLAG… -RTS ARGUMENT…": a run, its log, GHC's report (-P or -pj), and the
# export to ours$SUFFIX, compared.
profile() {
    rm -f program.prof log
    # shellcheck disable=SC2086 # several arguments
    "./$1" +RTS "$2" -poprogram -l -ollog $4 >/dev/null 2>"$work/err" || fail "$*: $(<"$work/err")"
    gives 0 export --force log "ours$3"
    python3 "$oracle" program.prof "${3:1}" "ours$3"
}

# agrees FORMAT FILE [ARGUMENT]…: with the export ours.prof.
agrees() {
    python3 "$oracle" ours.prof "$@" || fail "$*"
}

# A profiled program, and its runs: shared by the oracles of exported time profiles. 
. tests/support/lib.bash
oracle=$PWD/tests/oracle/export_prof.py

# Compiles the program, and changes to $work, where it is.
compile_program() {
    needs ghc
    needs python3
    cp tests/programs/{tiny,prof_stacks}.hs "$work"
    cd "$work" || exit
    ghc -v0 -prof -o tiny tiny.hs 2>/dev/null || skip "needs profiling libraries"
    ghc -v0 -O1 -prof -fprof-auto -fprof-cafs -threaded -eventlog -rtsopts -o program prof_stacks.hs
}

# profile FLAG SUFFIX "FLAG… -RTS ARGUMENT…": a run, its log, and GHC's report (-P or -pj), with which
# the export to ours$SUFFIX agrees. GHC may move ticks between stacks, more of them with several caps
# and on a busy machine: in one of twenty runs all agree, or with several caps nearly all.
profile() {
    local code form=prof
    profiled="$*"
    [[ $2 == .prof ]] || form=prof-json
    for _ in {1..20}; do
        code=0
        rm -f program.prof log
        # shellcheck disable=SC2086 # several arguments
        ./program +RTS "$1" -l -ollog $3 >/dev/null 2>"$work/err" || fail "$*: $(<"$work/err")"
        gives 0 export log "ours$2"
        PYTHONIOENCODING=utf-8 python3 "$oracle" program.prof "$form" "ours$2" || code=$?
        [[ $code != 0 && ($code != 2 || $3 != *-N*) ]] || return 0
    done
    fail "$*"
}

# agrees FORMAT FILE [ARGUMENT]…: with the export that agrees with GHC's report.
agrees() {
    PYTHONIOENCODING=utf-8 python3 "$oracle" ours.prof "$@" || fail "$profiled: $1"
}

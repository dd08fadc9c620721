# What all verbs that read a log have in common. Sourced by the tests of verbs, which then compare the
# numbers with tests/support/verbs.py.
. tests/support/lib.bash
needs python3

# behaves VERB LOG [CUT-LOG]: its help, its exit codes, and logs from elsewhere, cut short (that of two
# caps may lack all of one) and damaged.
behaves() {
    local verb=$1 log=$2 cut=${3:-$2}
    gives 0 "$verb" --help
    grep -q "^Usage: hectic $verb \[OPTION\]\.\.\. .*LOG$" "$work/out" || fail "--help: $(head -n 1 "$work/out")"
    grep -q "^  hectic $verb .*  " "$work/out" || fail "--help has no example"
    gives 64 "$verb"
    says "hectic $verb: missing operand: LOG"
    gives 64 "$verb" --nonsense "$log"
    says "hectic $verb: unknown option --nonsense"
    gives 64 "$verb" one two three "$log"
    says "hectic $verb: too many operands"
    gives 64 "$verb" --limit 0 "$log"
    says "--limit"
    gives 2 "$verb" "$work/none"
    says "$work/none: No such file"
    : >"$work/empty"
    gives 2 "$verb" "$work/empty"
    says "$work/empty: byte 0: the input is empty"
    gives 2 "$verb" README.md
    says "README.md: byte 0: not an eventlog"

    gives 0 "$verb" "$log"
    mv "$work/out" "$work/whole"
    [[ -s $work/whole ]] || fail "nothing is printed"
    gives 0 "$verb" - <"$log"
    same "$work/out" "$work/whole"
    gives 0 "$verb" -o "$work/written" "$log"
    same "$work/written" "$work/whole"
    gives 2 "$verb" -o "$work/written" "$log"
    says "$work/written already exists"

    "$HECTIC" "$verb" "$cut" >"$work/whole"
    head -c "$(($(stat -c %s "$cut") * 2 / 3))" "$cut" >"$work/cut"
    gives 0 "$verb" "$work/cut"
    ! cmp -s "$work/out" "$work/whole" || fail "a part of the log is the whole"
    python3 tests/support/verbs.py damage "$log" >"$work/damaged"
    gives 1 "$verb" "$work/damaged"
    says "$work/damaged: byte "
    [[ -s $work/out ]] || fail "nothing of a damaged log is printed"
}

# agrees VERB LOG…: the formats have the same rows, which are those of a slow reference.
agrees() {
    python3 tests/support/verbs.py agrees "$@" || fail "$1: see above"
}

# limits VERB COLUMN LOG: --sort sorts by a column, descending, and --limit leaves the first rows.
limits() {
    python3 tests/support/verbs.py limits "$@" || fail "$1: see above"
}

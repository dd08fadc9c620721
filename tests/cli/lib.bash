# What the tests of the command share. A test is run in the project's directory, with the command
# in $HECTIC; whatever it writes goes to $work.
set -euo pipefail
export LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logs=tests/logs
corpus=${HECTIC_CORPUS:-../shared/corpus}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

needs() {
    command -v "$1" >/dev/null || skip "needs $1"
}

# gives CODE ARGUMENT…: hectic ends with that code; its output is in $work/out and $work/err.
gives() {
    local wanted=$1 code=0
    shift
    "$HECTIC" "$@" >"$work/out" 2>"$work/err" || code=$?
    [[ $code == "$wanted" ]] || fail "hectic $*: exit code $code, not $wanted; $(head -3 "$work/err")"
}

# says TEXT: what was last run has said so on stderr.
says() {
    grep -qF -- "$1" "$work/err" || fail "not said: \"$1\"; but: $(head -3 "$work/err")"
}

# prints TEXT: what was last run has that line.
prints() {
    grep -qxF -- "$1" "$work/out" || fail "not printed: \"$1\"; but: $(head -3 "$work/out")"
}

same() {
    cmp "$1" "$2" || fail "$1 is not $2"
}

# The events of a listing on stdin: without its table of types and final empty line.
events() {
    sed -e '1,/^Events:$/d' -e '$d'
}

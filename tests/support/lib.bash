# Shared by the tests of the command. A test runs in the project's directory, with the command in
# $HECTIC, and writes its files to $work.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/tests/support
. tests/support/wait.bash
work=$(mktemp -d)
# Remaining processes keep the test's output open, and ctest waits for its end.
# shellcheck disable=SC2046
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
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

# Whether hectic is built with a sanitizer, which uses memory of its own and allows fewer threads.
is_sanitized() {
    [[ $(nm -D "$HECTIC" 2>/dev/null) =~ __[at]san_init ]]
}

# Whether a test tries fewer logs and cases than `make exhaustive` does.
is_short() {
    [[ ! ${EXHAUSTIVE:-} ]] || is_sanitized
}

# "${preload[@]}" VARIABLE=VALUE… COMMAND…: with tests/preload/files.c.
# shellcheck disable=SC2034 # used by tests
preload=(env LD_PRELOAD="$HECTIC_BUILD/tests/libpreload_files.so")
may_preload() {
    ! is_sanitized
}

# generate_log OPTION…: a synthetic log. Its file is replaced.
generate_log() {
    "$HECTIC_BUILD/generate-log" --force "$@"
}

# gives CODE ARGUMENT…: hectic ends with that code; its output is in $work/out and $work/err.
gives() {
    local wanted=$1 code=0
    shift
    "$HECTIC" "$@" >"$work/out" 2>"$work/err" || code=$?
    [[ $code == "$wanted" ]] || fail "hectic $*: exit code $code, not $wanted; $(head -3 "$work/err")"
}

# says TEXT: stderr of the last command contains it.
says() {
    grep -qF -- "$1" "$work/err" || fail "not said: \"$1\"; but: $(head -3 "$work/err")"
}

# prints TEXT: stdout of the last command has that line.
prints() {
    grep -qxF -- "$1" "$work/out" || fail "not printed: \"$1\"; but: $(head -3 "$work/out")"
}

same() {
    cmp "$1" "$2" || fail "$1 is not $2"
}

# A baseline of hectic compare, made by hand: of the lines on stdin.
baseline() {
    awk 'BEGIN { print "hectic-baseline 1\noptions\t" } { print } END { print "end\t" NR + 2 }'
}

# The events of a listing on stdin: without its table of types and final empty line.
events() {
    sed -e '1,/^Events:$/d' -e '$d'
}

# Logs made by hand: numbers as big-endian bytes, and their combinations.
be() { # BYTES NUMBER
    local i text=
    for ((i = ($1 - 1) * 8; i >= 0; i -= 8)); do
        printf -v text '%s\\x%02x' "$text" $((($2 >> i) & 255))
    done
    printf '%b' "$text"
}

log_header() { # [NUMBER SIZE]…: a header that declares those types
    printf hdrbhetb
    while (($# > 0)); do
        printf etb'\0'
        be 2 "$1"
        be 2 "$2"
        be 4 4
        printf Type
        be 4 0
        printf ete'\0'
        shift 2
    done
    printf hetehdre''datb
}

block() { # TIME SIZE END CAP, with SIZE without that of the marker
    be 2 18
    be 8 "$1"
    be 4 $(($2 + 24))
    be 8 "$3"
    be 2 "$4"
}

run_thread() { # TIME THREAD, 14 bytes
    be 2 1
    be 8 "$1"
    be 4 "$2"
}

# For tests that run the command hundreds of times with what other tests run, too: the logs of the corpus are
# few, and without the search for leaks, which takes half of the time of a short run.
runs_often() {
    is_short || return 0
    export ASAN_OPTIONS=detect_leaks=0
    local log few=$work/.corpus
    mkdir "$few"
    while read -r log; do
        ln -s "${log%.eventlog}".* "$few" # with what others print of it
    done < <([[ ! -d $corpus ]] || find "$(realpath "$corpus")" -name '*.eventlog' -size -64k)
    corpus=$few
}
[[ $0 != *oracle/* ]] || runs_often

# thin NAME: of an array of logs, only each third, but not the same ones in each test.
thin() {
    is_short || return 0
    local -n array_=$1
    local i first=$((${#0} % 3))
    for i in "${!array_[@]}"; do
        ((i % 3 == first)) || unset "array_[i]"
    done
}

#!/usr/bin/env bash
# The heap samples of a log are those of the .hp file that GHC's runtime writes in the same run:
# the same labels, and the same bytes. Those of a merged log are those of all its logs.
. tests/support/haskell.bash
needs python3
lines=$HECTIC_BUILD/heap_lines
oracle=$PWD/tests/oracle/heap_oracle.py
cd "$work"
mkdir pairs

# run PROGRAM ARGUMENTS FLAG…: one run, both files. Only a profiling runtime limits labels.
run() {
    local program=$1 arguments=$2
    shift 2
    rm -f "$program.hp" log
    [[ $program == *-plain ]] || set -- -L1000 "$@"
    # shellcheck disable=SC2086 # several arguments
    ("./$program" $arguments +RTS -l -ollog "$@" >/dev/null 2>err || exit) 2>/dev/null
}

# As run. With a timer this fast, the runtime of GHC 9.0 crashes once in many runs.
again() {
    run "$@" || run "$@"
}

# keep PROGRAM FLAG…: the files of the latest run, to be compared.
count=0
keep() {
    count=$((count + 1))
    "$lines" log >"pairs/$count.log" || fail "$*: $lines: exit code $?"
    mv "$1.hp" "pairs/$count.hp"
    echo "$count $*" >>pairs/list
}

# try PROGRAM "ARGUMENTS" FLAG…
try() {
    local program=$1 arguments=$2 code=0
    shift 2
    again "$program" "$arguments" -i$interval "$@" || code=$?
    [[ $code == 0 || $arguments == *exception* ]] || fail "$program $*: exit code $code: $(head -n 2 err)"
    keep "$program" "$@"
}

# try_biography PROGRAM FLAG…: the runtime of GHC 9.0 crashes in the 32nd sample.
try_biography() {
    local interval program=$1
    shift
    for interval in 0.005 0.02 0.1 1 10; do
        run "$program" "" -i$interval "$@" || continue
        keep "$program" "$@"
        return
    done
    fail "$program $*: $(head -n 2 err)"
}

# A sample takes as long as a major collection: these are enough of large heaps.
interval=0.002

# Without profiling, any program has -hT.
for program in heap_leak heap_concurrent; do
    compile $program-plain $program.hs -O1 -threaded
    try $program-plain "" -hT
    try $program-plain "" -hT -N2 -A256k
done

needs_profiling
for program in heap_leak heap_types heap_arrays heap_stacks heap_concurrent heap_phases; do
    compile $program $program.hs -O1 -prof -fprof-auto -fprof-cafs -threaded
    for flag in c m d y T r; do
        try $program "" -h$flag
    done
    try_biography $program -hb
    # With several caps, the runtime refuses biographies and retainers.
    try $program "" -hc -N2 -A256k
    try $program "" -hy -N2 -A256k
done
compile runs runs.hs -O1 -prof -fprof-auto-top
interval=0.02
for kind in work threads large collect exception; do
    try runs $kind -hc
    try runs $kind -hT
done
# Selectors. With one of biography, all samples come at the end.
interval=0.002
for program in heap_stacks heap_phases; do
    try_biography $program -hc -hbdrag,void
    try_biography $program -hT -hblag
    try $program "" -hy -hmMain
    try $program "" -hd -hCmain
    try $program "" -hm -hcmain
    try $program "" -hc "-hyList"
    try $program "" -hr -hmMain -R20
    try $program "" -hc "-hrmain"
done
python3 "$oracle" pairs/list || fail "the samples differ"

# Samples of several programs overlap: those of copies of a log event by event.
mkdir one copy
for flag in c y T m; do
    again heap_phases "" -i0.001 -h$flag || fail "heap_phases -h$flag: exit code $?: $(head -n 2 err)"
    cp log one/$flag
    cp log copy/$flag
done
for logs in "one/*" "*/c" "*/?"; do
    mapfile -t logs < <(compgen -G "$logs")
    gives 0 merge -q --force --align none -o merged "${logs[@]}"
    for log in merged "${logs[@]}"; do
        "$lines" "$log" >"$log.hp"
    done
    python3 "$oracle" --merged merged.hp "${logs[@]/%/.hp}"
done

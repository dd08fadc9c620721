#!/usr/bin/env bash
# The heap samples of a log are those of the .hp file that GHC's runtime writes in the same run:
# the same labels, and the same bytes. Those of a merged log are those of all its logs.
set -euo pipefail

for tool in ghc python3; do
    command -v $tool >/dev/null && continue
    echo "SKIPPED: needs $tool (scripts/install-deps test)"
    exit 77
done
lines=$HECTIC_BUILD/heap_lines
oracle=$PWD/tests/oracle/heap_oracle.py

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/programs/*.hs "$work"
cd "$work"
export LC_ALL=C.UTF-8
failed=0
compared=0
samples=0

# compile NAME SOURCE GHC-OPTION…
compile() {
    local name=$1 source=$2
    shift 2
    ghc -v0 -O1 -eventlog -rtsopts -outputdir "objects-$name" -o "$name" "$source" "$@"
}

# run PROGRAM ARGUMENTS FLAG…: one run, both files. Only a profiling runtime limits labels.
run() {
    local program=$1 arguments=$2
    shift 2
    rm -f "$program.hp" log
    [[ $program == *-plain ]] || set -- -L1000 "$@"
    # shellcheck disable=SC2086 # several arguments
    ("./$program" $arguments +RTS -l -ollog "$@" >/dev/null 2>err || exit) 2>/dev/null
}

# compare PROGRAM FLAG…: the files of the latest run.
compare() {
    local program=$1 answer
    shift
    "$lines" log >samples || {
        echo "$program $*: $lines: exit code $?"
        failed=1
        return
    }
    if answer=$(python3 "$oracle" "$program.hp" samples "$@" 2>&1); then
        samples=$((samples + answer))
    else
        echo "$program $*: $answer"
        failed=1
    fi
    compared=$((compared + 1))
}

# try PROGRAM ARGUMENTS FLAG…
try() {
    local program=$1 arguments=$2 code=0
    shift 2
    run "$program" "$arguments" -i0.001 "$@" || code=$?
    [ "$code" = 0 ] || [[ $arguments == *exception* ]] || {
        echo "$program $*: exit code $code: $(head -n 2 err)"
        failed=1
        return
    }
    compare "$program" "$@"
}

# try_biography PROGRAM ARGUMENTS FLAG…: the runtime of GHC 9.0 crashes in the 32nd sample.
try_biography() {
    local program=$1 arguments=$2
    shift 2
    for interval in 0.005 0.02 0.1 1 10; do
        run "$program" "$arguments" -i$interval "$@" || continue
        compare "$program" "$@"
        return
    done
    echo "$program $*: the program failed: $(head -n 2 err)"
    failed=1
}

# Without profiling, any program has -hT.
for program in heap_leak heap_concurrent demo sparks threads; do
    compile "$program-plain" $program.hs -threaded 2>/dev/null || continue # needs a package
    try $program-plain "" -hT
    try $program-plain "" -hT -N2 -A256k
done

compile tiny tiny.hs -prof 2>/dev/null || {
    echo "SKIPPED the rest: needs profiling libraries (scripts/install-deps test)"
    [ "$failed" = 0 ] && exit 77
    exit 1
}

for program in heap_leak heap_types heap_arrays heap_stacks heap_concurrent heap_phases heap \
    messages spans threads workers busy; do
    arguments=
    [ $program != busy ] || arguments=200
    compile $program $program.hs -prof -fprof-auto -fprof-cafs -threaded
    for flag in c m d y T r; do
        try $program "$arguments" -h$flag
    done
    try_biography $program "$arguments" -hb
    # With several caps, the runtime refuses biographies and retainers.
    try $program "$arguments" -hc -N2 -A256k
    try $program "$arguments" -hy -N2 -A256k
done
compile runs runs.hs -prof -fprof-auto-top
for kind in work threads large collect exception; do
    try runs $kind -hc
    try runs $kind -hT
done
# Selectors. With one of biography, all samples come at the end.
for program in heap_leak heap_stacks heap_phases; do
    try_biography $program "" -hc -hbdrag,void
    try_biography $program "" -hT -hblag
    try $program "" -hy -hmMain
    try $program "" -hd -hCmain
    try $program "" -hm -hcmain
    try $program "" -hc "-hyList"
    try $program "" -hr -hmMain -R20
    try $program "" -hc "-hrmain"
done

# Samples of several programs overlap: those of copies of a log event by event.
mkdir one copy
for flag in c y T m; do
    run heap_phases "" -i0.001 -h$flag
    cp log one/$flag
    cp log copy/$flag
done
for logs in "one/*" "*/c" "*/?"; do
    mapfile -t logs < <(compgen -G "$logs")
    "$HECTIC" merge -q --force --align none -o merged "${logs[@]}"
    for log in merged "${logs[@]}"; do
        "$lines" "$log" >"$log.hp"
    done
    python3 "$oracle" --merged merged.hp "${logs[@]/%/.hp}" || failed=1
done

echo "compared $samples samples of $compared runs"
[ "$samples" -gt 500 ] || failed=1
exit $failed

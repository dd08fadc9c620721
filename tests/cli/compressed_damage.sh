#!/usr/bin/env bash
# Of a damaged compressed log, every verb uses the part before the damage, as of a plain log that ends
# there, reports the position of the damage, and exits with code 1.
. tests/support/lib.bash
runs_often
needs python3
log=$logs/demo.eventlog

# What zlib decompresses before the damage, byte by byte; exit code 1 if there is damage.
decompress_gz() {
    python3 - "$1" <<'END'
import sys, zlib
data = open(sys.argv[1], "rb").read()
out = sys.stdout.buffer
member = zlib.decompressobj(31)
for i in range(len(data)):
    try:
        out.write(member.decompress(data[i : i + 1]))
    except zlib.error:
        sys.exit(1)
    if member.eof:
        member = zlib.decompressobj(31)
END
}

# For zstd, the reference is hectic copy, which outputs all that libzstd decompresses.
decompress_zst() {
    "$HECTIC" copy "$1" - 2>/dev/null
}

verbs=("show" "show threads" "show --json" "inc" "inc --from marker:phi" "stat"
    "gc" "threads" "tasks" "sparks" "spans" "info" "validate all" "profile threads"
    "simulate threads" "copy -o -" "cut --from 1ms -o -" "check --repair -o -" "merge -o - $log")

# gives_the_same FILE PLAIN DAMAGED: runs all verbs on both.
gives_the_same() {
    local verb code wanted
    for verb in "${verbs[@]}"; do
        code=0
        # shellcheck disable=SC2086 # words are meant
        "$HECTIC" $verb "$2" >"$work/expected" 2>/dev/null || code=$?
        wanted=$((code > $3 ? code : $3))
        # shellcheck disable=SC2086
        gives "$wanted" $verb "$1"
        # info also prints the compression, the damage, and commands with the name of the log.
        sed -i '/^\(Log\|State\)  /d; /^  *hectic /d' "$work/expected" "$work/out"
        cmp -s "$work/expected" "$work/out" || fail "$verb $1 differs from $2"
        # A verb may stop earlier at damage inside the log.
        [[ $code != 0 || $3 == 0 || $verb == info ]] ||
            says "$1: byte $(stat -c %s "$2"): the compressed data are damaged at byte "
    done
    [[ $wanted == 2 ]] || gives "$wanted" check "$1"
}

for packer in gzip zstd; do
    case $packer in gzip) library=ZLIB ending=gz ;; *) library=ZSTD ending=zst ;; esac
    grep -q "^HECTIC_ENABLE_$library:BOOL=ON" "$HECTIC_BUILD/CMakeCache.txt" || continue
    command -v "$packer" >/dev/null || skip "needs $packer"
    # Two members: the log may end after each.
    { head -c 15000 "$log" | "$packer" -c && tail -c +15001 "$log" | "$packer" -c; } >"$work/whole.$ending"
    size=$(stat -c %s "$work/whole.$ending")

    places=(700 2500 $((size / 2)) $((size - 2000)) $((size - 5)) $((size - 2)))
    if is_short; then case $packer in gzip) unset 'places['{0,2,4}']' ;; *) unset 'places['{1,3,5}']' ;; esac; fi
    for at in "${places[@]}"; do
        bad=$work/bad.$ending
        cp "$work/whole.$ending" "$bad"
        byte=$(od -An -tu1 -j "$at" -N 1 "$bad")
        printf '%b' "\\x$(printf %x $((byte ^ 16)))" | dd of="$bad" bs=1 seek="$at" conv=notrunc status=none
        damaged=0
        "decompress_$ending" "$bad" >"$work/plain" || damaged=1
        "$packer" -dc "$bad" >"$work/reference" 2>/dev/null || true
        head -c "$(stat -c %s "$work/reference")" "$work/plain" | cmp - "$work/reference" ||
            fail "not all output of $packer is there"
        gives_the_same "$bad" "$work/plain" "$damaged"
    done

    # A compressed log that is cut short is unfinished, as a plain one is.
    head -c $((size * 3 / 4)) "$work/whole.$ending" >"$work/cut.$ending"
    decompress_"$ending" "$work/cut.$ending" >"$work/plain" || fail "a log that is cut short is reported as damaged"
    gives_the_same "$work/cut.$ending" "$work/plain" 0
    gives 0 inc --verbose "$work/cut.$ending"
    says "the compressed file is truncated"
    gives 0 show --verbose "$work/cut.$ending"
    says "the compressed file is truncated"

    { cat "$work/whole.$ending" && echo garbage; } >"$work/more.$ending"
    gives_the_same "$work/more.$ending" "$log" 1
done

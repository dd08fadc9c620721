#!/usr/bin/env bash
# Input from a pipe, or compressed input, is spooled in the temporary folder only if it is a log; the
# spool is limited, and removed at the end.
. tests/support/lib.bash
mkdir "$work/temporary"
export TMPDIR=$work/temporary
log=$logs/demo.eventlog
header=$(($(grep -abo datb "$log" | head -1 | cut -d: -f1) + 4))
endless() { # a log that repeats one event
    head -c "$header" "$log"
    { block 0 14 0 0 && run_thread 1 1; } >"$work/events"
    for _ in $(seq 16); do
        cat "$work/events" "$work/events" >"$work/more"
        mv "$work/more" "$work/events"
    done
    while cat "$work/events"; do :; done 2>/dev/null
}
# refuses CODE COMMAND…: in time, and with nothing left.
refuses() {
    local wanted=$1 code=0
    shift
    timeout 60 "$HECTIC" "$@" >"$work/out" 2>"$work/err" || code=$?
    [[ $code == "$wanted" ]] || fail "hectic $*: $code, not $wanted; $(cat "$work/err")"
    [[ -z $(ls -A "$work/temporary") ]] || fail "hectic $*: left behind: $(ls -A "$work/temporary")"
}

# Input that is not a log is recognized by its first bytes.
for verb in show info check stat gc threads "validate all" "show --from marker:x"; do
    # shellcheck disable=SC2086 # words are meant
    TMPDIR=$work/nowhere refuses 2 $verb /dev/zero
    says "/dev/zero: byte 0: not an eventlog"
    # shellcheck disable=SC2086
    TMPDIR=$work/nowhere refuses 2 $verb <(yes)
    says "not an eventlog"
done

# A limit set by the user.
refuses 2 show --spool-limit 1M <(endless)
says "needs more than 1000000 bytes in the temporary directory $TMPDIR; raise the limit with --spool-limit"
refuses 0 show --spool-limit "$(stat -c %s "$log")" <(cat "$log")
cmp "$work/out" "${log%eventlog}show" || fail "it is not the whole log"
refuses 2 show --spool-limit "$(($(stat -c %s "$log") - 1))" <(cat "$log")
refuses 64 show --spool-limit x "$log"
# A file takes no room.
refuses 0 show --spool-limit 1 "$log"
refuses 2 show caps --spool-limit 1M <(endless)

# Without one, a folder is not filled, and it is that which is named; not the log.
if mount -t tmpfs -o size=20M tmpfs "$TMPDIR" 2>/dev/null; then
    trap 'umount "$work/temporary"; rm -rf "$work"' EXIT
    refuses 2 show <(endless)
    says "cannot write to the temporary directory $TMPDIR: No space left on device; set TMPDIR to another"
fi
TMPDIR=$work/nowhere refuses 2 show <(cat "$log")
says "cannot write to the temporary directory $work/nowhere: No such file or directory"

# A few bytes that decompress to very many are not a log either; gzip cannot compress so strongly.
grep -q "^HECTIC_ENABLE_ZSTD:BOOL=ON" "$HECTIC_BUILD/CMakeCache.txt" || exit 0
needs zstd
head -c 1G /dev/zero | zstd -qc >"$work/zeros.zst"
TMPDIR=$work/nowhere refuses 2 show "$work/zeros.zst"
says "not an eventlog"
{ head -c "$header" "$log" && head -c 400M /dev/zero; } | zstd -q --ultra -22 >"$work/bomb.zst"
if mountpoint -q "$TMPDIR"; then umount "$TMPDIR"; fi
trap 'rm -rf "$work"' EXIT
refuses 2 info "$work/bomb.zst"
says "needs more than "
refuses 2 info --spool-limit 10M "$work/bomb.zst"
says "needs more than 10000000 bytes"

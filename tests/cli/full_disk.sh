#!/usr/bin/env bash
# A full disk is reported, with exit code 2, and nothing is left behind.
. tests/support/lib.bash
log=$logs/demo.eventlog

if [[ -c /dev/full ]]; then
    gives 2 show "$log" -o /dev/full
    says "hectic: /dev/full: No space left on device"
    for arguments in "watch $log" "show $log" "inc $log" "show threads $log" "--help" "show --help"; do
        code=0
        # shellcheck disable=SC2086 # words are meant
        "$HECTIC" $arguments >/dev/full 2>"$work/err" || code=$?
        [[ $code == 2 ]] || fail "hectic $arguments >/dev/full: exit code $code, not 2"
        says "hectic: standard output: No space left on device"
    done
fi

mkdir "$work/disk"
mount -t tmpfs -o size=16k tmpfs "$work/disk" 2>/dev/null || skip "needs to mount a small disk, as root"
trap 'umount "$work/disk"; rm -rf "$work"' EXIT
gives 2 show "$log" -o "$work/disk/file"
says "hectic: $work/disk/file: No space left on device"
[[ -z $(ls -A "$work/disk") ]] || fail "left behind: $(ls -A "$work/disk")"

# Of live input, what could be written is kept, but no empty file; an earlier file stays then.
echo earlier >"$work/disk/earlier"
cat /dev/zero >"$work/disk/filler" 2>/dev/null || true
for out in file earlier; do
    gives 2 record --force "$log" "$work/disk/$out"
    says "hectic: $work/disk/$out: No space left on device"
    ! grep -q "could be written" "$work/err" || fail "it holds nothing: $(cat "$work/err")"
done
[[ ! -e $work/disk/file ]] || fail "left behind: $(ls -A "$work/disk")"
[[ $(cat "$work/disk/earlier") == earlier ]] || fail "the earlier file is lost"

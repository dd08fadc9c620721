#!/usr/bin/env bash
# hectic export --format ctf: babeltrace2 reads, without a warning, the events of hectic show --json; what fails leaves
# nothing, and nothing but a trace is replaced.
. tests/support/lib.bash
shopt -s nullglob dotglob
log=$logs/demo.eventlog
trace=$work/trace

# fails ARGUMENT…: an export to $trace, which is not there afterwards.
fails() {
    gives 2 export --format ctf "$@" "$trace"
    [[ ! -e $trace ]] || fail "$*: there is an output"
    ! compgen -G "$work/.hectic*" || fail "$*: a temporary folder is left"
}

# is_trace LOG: $trace is what is exported of it.
is_trace() {
    rm -rf "$work/wanted"
    gives "${2:-0}" export --quiet --format ctf "$1" "$work/wanted"
    diff -r "$trace" "$work/wanted" || fail "$trace is not a trace of $1"
}

# The folder: an existing one that is not empty stays, without --force; with it, if it has anything but a trace.
mkdir "$trace"
gives 0 export --format ctf $log "$trace"
[[ $(stat -c %A "$trace" "$trace/metadata") == $'drwxr-xr-x\n-rw-r--r--' ]] || fail "$(ls -la "$trace")"
gives 2 export --format ctf $logs/threads.eventlog "$trace"
says "hectic: $trace already exists: use --force to replace it"
is_trace $log
cat $logs/{sparks,demo}.eventlog >"$work/two-sections.eventlog"
gives 0 export --quiet --force --format ctf "$work/two-sections.eventlog" "$trace/"
is_trace "$work/two-sections.eventlog"
(cd "$trace" && printf '%s\n' * | sort | tr '\n' ' ') >"$work/names"
[[ $(<"$work/names") == "section-1 section-2 " ]] || fail "sections: $(<"$work/names")"
for other in notes section-1/notes; do
    echo mine >"$trace/$other"
    gives 2 export --force --format ctf $log "$trace"
    says "hectic: $trace/$other is not part of a trace"
    [[ $(<"$trace/$other") == mine && -e $trace/section-2/metadata ]] || fail "$other: something was removed"
    gives 2 export --format ctf $log "$trace"
    says "hectic: $trace/$other is not part of a trace"
    rm "$trace/$other"
done
ln -s trace "$work/link"
gives 0 export --quiet --force --format ctf $log "$work/link"
[[ -L $work/link ]] || fail "the link is replaced"
is_trace $log
gives 0 export $log "$work/by-suffix.ctf"
diff -r "$work/by-suffix.ctf" "$trace" || fail "by the suffix"
rm -rf "$trace"
echo mine >"$work/file"
gives 2 export --force --format ctf $log "$work/file"
says "hectic: $work/file: not a directory"
mkdir "$work/input"
cp $log "$work/input/cap-0"
gives 2 export --force --format ctf "$work/input/cap-0" "$work/input"
same $log "$work/input/cap-0"
gives 64 export --format ctf $log -
says "--format ctf writes a folder, not standard output"
gives 64 export --format ctf --min-duration 1ms $log "$trace"
says "--min-duration cannot be combined with --format ctf"

# What fails leaves nothing, and what is there.
: >"$work/empty.eventlog"
fails "$work/empty.eventlog"
says "the input is empty"
fails README.md
fails "$work/none"
gives 2 export --format ctf $log "$work/no/trace"
says "No such file or directory"
gives 0 export --quiet --format ctf $log "$work/kept"
gives 2 export --force --format ctf README.md "$work/kept"
diff -r "$work/kept" "$work/wanted" || fail "a failed export has changed its output"
if may_preload; then
    for how in "FULL_AFTER=0" "FULL_AFTER=20000" "FULL_HOW=sync"; do
        code=0
        "${preload[@]}" FULL_DISK="$work/.hectic" $how "$HECTIC" export --format ctf $log "$trace" 2>"$work/err" || code=$?
        [[ $code == 2 ]] || fail "$how: exit code $code"
        says "hectic: $trace: No space left on device"
        left=("$work"/.hectic* "$trace"*)
        ((${#left[@]} == 0)) || fail "$how leaves ${left[*]}"
    done
else
    echo "SKIPPED: full disks, under a sanitizer"
fi

# Ended by a signal.
begins() {
    compgen -G "$work/.hectic.*/cap-*" >/dev/null || ! kill -0 "$exporter" 2>/dev/null
}
generate_log --size 30M -o "$work/large.eventlog" 2>/dev/null
for signal in INT TERM; do
    (
        trap - INT
        exec "$HECTIC" export --format ctf "$work/large.eventlog" "$trace"
    ) &
    exporter=$!
    soon begins
    code=0
    kill -"$signal" "$exporter" 2>/dev/null || true
    wait "$exporter" || code=$?
    ((code == 0)) || [[ ! -e $trace ]] || fail "$signal: there is an output"
    ! compgen -G "$work/.hectic.*" || fail "$signal: a temporary folder is left"
    rm -rf "$trace"
done

# A live log ends with a signal, and the trace is complete.
mkfifo "$work/fifo"
"$HECTIC" export --quiet --format ctf "$work/fifo" "$trace" 2>"$work/notes" &
exporter=$!
exec 3>"$work/fifo"
cat $log >&3
soon has_read "$exporter" "$(stat -c %s $log)"
kill -INT "$exporter"
wait "$exporter" || fail "a live log: $(<"$work/notes")"
exec 3>&-
is_trace $log
rm -rf "$trace"

# Memory and descriptors do not depend on the number of caps.
python3 tests/support/made_events.py "$work"
(ulimit -n 64 && gives 0 export --quiet --format ctf "$work/many-caps.eventlog" "$trace")
[[ $(printf '%s\n' "$trace"/cap-* | wc -l) == 5000 ]] || fail "a file for each cap"
rm -rf "$trace"
(ulimit -n 1024 && gives 0 export --format ctf "$work/many-caps.eventlog" "$trace")
says "streams: to read it, babeltrace2 must be allowed to open more files (ulimit -n "
many_files=$(sed -n 's/.*(ulimit -n \(.*\))$/\1/p' "$work/err")
mv "$trace" "$work/many-caps.ctf"

# An event with a time that damage has made is left out, as readers would refuse its trace.
cp $log "$work/late.eventlog"
for at in 11298 14786; do # the end of the block; an event
    printf '\x80' | dd of="$work/late.eventlog" bs=1 seek=$at conv=notrunc status=none
done
rm -rf "$trace"
gives 1 export --quiet --format ctf "$work/late.eventlog" "$trace"
says "late.eventlog: events with impossible times (2^62 ns or more), left out: 1"
rm -rf "$trace"

# What babeltrace2 reads.
python=/usr/bin/python3
reads() {
    command -v babeltrace2 && "$python" -c 'import bt2'
}
if ! reads >/dev/null 2>&1; then
    echo "SKIPPED: reading traces, by babeltrace2 and its package for Python"
    exit 0
fi
# It can open the trace of many caps with as many files as the note says.
opens() { # FILES
    [[ $( (ulimit -n "$1"; babeltrace2 "$work/many-caps.ctf" 2>"$work/err" || true) | head -n 1) ]]
}
! opens 1024 || fail "babeltrace2 needs no note"
opens "$many_files" || fail "babeltrace2 with $many_files files: $(<"$work/err")"
compares() {
    "$python" tests/oracle/export_ctf.py "$HECTIC" "$work" "$@" || fail "see above"
}
[[ -d $corpus ]] || echo "SKIPPED: the collection of logs (HECTIC_CORPUS)"
rm "$work"/{empty,large,many-caps}.eventlog # babeltrace2 looks at all streams for each event
"$HECTIC" merge --quiet -o "$work/merged.eventlog" $logs/{demo,threads}.eventlog
for size in 12000 21000; do
    head -c $size $log >"$work/cut-$size.eventlog"
done
cp $log "$work/damaged.eventlog"
printf 'damage damage damage damage' | dd of="$work/damaged.eventlog" bs=1 seek=15000 conv=notrunc status=none
generate_log --events 20000 --caps 8 -o "$work/made.eventlog"
others=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin others
compares "$work"/*.eventlog "${others[@]}"
for interval in "--from 1ms --to 2ms" "--from 3560us" "--to 1300us" "--from 5s"; do
    CTF_INTERVAL=$interval compares $log "$work"/{two-sections,made}.eventlog
done

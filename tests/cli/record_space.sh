#!/usr/bin/env bash
# relay --record on a small disk: the oldest files make room for new ones, one by one, and each is
# reported and counted. If somebody else takes the room, they stay. Needs to mount a disk, as root.
. tests/support/lib.bash
. tests/support/live.bash
needs curl
needs python3
needs zstd
mkdir "$work/disk"
mount -t tmpfs -o size=8m tmpfs "$work/disk" 2>/dev/null || skip "needs to mount a small disk, as root"
# shellcheck disable=SC2046
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; umount -l "$work/disk"; rm -rf "$work"' EXIT
cat >"$work/send.py" <<'END'
"""send.py EVENTS DELAY: writes a log with so many messages of random bytes, a block of 500 at a time"""
import os, struct, sys, time
sent, number, delay = 0, int(sys.argv[1]), float(sys.argv[2])
def etype(number, size):
    return b"etb\0" + struct.pack(">HHI", number, size, 1) + b"x" + struct.pack(">I", 0) + b"ete\0"
if os.environ.get("BEGIN"):
    sys.stdout.buffer.write(b"hdrbhetb" + etype(18, 14) + etype(19, 0xFFFF) + b"hetehdredatb")
while sent < number:
    events = b"".join(struct.pack(">HQH", 19, sent + i, 40) + os.urandom(20).hex().encode() for i in range(500))
    sys.stdout.buffer.write(struct.pack(">HQIQH", 18, sent, 24 + len(events), sent + 499, 0) + events)
    sys.stdout.buffer.flush()
    sent += 500
    time.sleep(delay)
END
said() {
    file_has "$work/relay.err" "$1"
}
metric() {
    curl -s "http://127.0.0.1:$port/metrics" | sed -n "s/^hectic_relay_record_$1 //p"
}
is() {
    [[ $(metric "$1") == "$2" ]]
}
begins() { # [KEEP_FREE]
    [[ -p $work/in ]] || mkfifo "$work/in"
    launch_relay relay --from "one=fifo:$work/in" --record "$work/disk/record" --keep-free "${1:-1M}" \
        --metrics 127.0.0.1:0
    exec 9>"$work/in"
    port_of relay
    BEGIN=1 python3 "$work/send.py" 500 0 >&9
}
# The events in files, those that are missing and those that were removed are those that were sent.
adds_up() { # SENT
    local -i in_files=0
    for file in "$work/disk/record"/one-*; do
        "$HECTIC" check "$file" >/dev/null || fail "$file is damaged"
        zstd -tq "$file" || fail "zstd cannot read $file"
        in_files+=$("$HECTIC" inc --no-header --event USER_MSG "$file" | grep -c ": [0-9a-f]*$" || true)
    done
    ((in_files + missed + events == $1)) ||
        fail "of $1 events $in_files are there, $missed are missing and $events were removed: $(cat "$work/relay.err")"
    local -i reported
    reported=$(sed -n 's/.*removed the oldest file to make room: one-[^ ]*.eventlog.zst, [0-9.]* [KM]iB, \([0-9]*\) events, [-0-9]*T[0-9:]*Z to [-0-9]*T[0-9:]*Z$/\1/p' "$work/relay.err" | awk '{ sum += $1 } END { print sum + 0 }')
    ((reported == events)) || fail "$reported of $events removed events are reported: $(cat "$work/relay.err")"
    (($(grep -c "removed the oldest" "$work/relay.err") == files)) || fail "not all $files files are reported"
}
counts() {
    missed=$(metric missed_events_total) events=$(metric removed_events_total) files=$(metric removed_files_total)
}

# The recording itself fills the disk, several times: nothing is missing, and most of the disk stays in use.
begins
python3 "$work/send.py" 450000 0 >&9
exec 9>&-
soon said "log ended"
counts
((missed == 0 && files >= 4 && events > 0)) || fail "$missed missing, $files files with $events events removed"
finish "$relay"
adds_up 450500
used=$(du -sk "$work/disk/record" | cut -f1)
((used > 4000)) || fail "only $used KiB are in use"

# Somebody takes all that is freed: the files stay but for a few, with growing delays.
rm -r "$work/disk/record"
begins
python3 "$work/send.py" 200000 0.01 >&9
python3 "$work/send.py" 8000 0.5 >&9 # now it needs little room
full=$(find "$work/disk/record" -size +100k | wc -l)
(while cat /dev/zero >>"$work/disk/filler" 2>/dev/null || sleep 0.05; do :; done) &
filler=$!
python3 "$work/send.py" 10000 0.5 >&9
counts
((full >= 6)) || fail "only $full files at first"
((missed > 0 && files <= 4)) || fail "$missed missing, $files files removed: $(cat "$work/relay.err")"
said "recording failed: $work/disk/record: " || fail "it does not fail: $(cat "$work/relay.err")"
kill "$filler"
wait "$filler" 2>/dev/null || true
rm "$work/disk/filler"
soon is failing 0
said "recording resumed; " || fail "not resumed: $(cat "$work/relay.err")"
python3 "$work/send.py" 500 0 >&9
exec 9>&-
soon said "log ended"
counts
finish "$relay" 1
adds_up 219000

# Many files are removed at once, without looking at all of them for each.
rm -r "$work/disk/record"
mkdir "$work/disk/record"
for number in $(seq 100000 101799); do
    head -c 4000 /dev/zero >"$work/disk/record/one-20200101T000000Z-$number.eventlog.zst"
done
begins 6M
said_often() {
    (($(grep -c "removed the oldest" "$work/relay.err") > 1200))
}
soon said_often
read -ra status <"/proc/$relay/stat"
((status[13] + status[14] < 300)) || fail "it took ${status[13]} and ${status[14]} ticks"
exec 9>&-

#!/usr/bin/env bash
# hectic view -o: reports are small, whole, and have nothing of the arguments and the environment.
. tests/support/lib.bash
needs python3
# shellcheck disable=SC2154 # set by lib.bash
log=$logs/demo.eventlog
report=$work/report.html

# --- Without a page, there are no reports.
if [[ ! -e $(dirname "$HECTIC")/view.html ]]; then
    gives 2 view -o "$report" "$log"
    says "docs/dependencies.md"
    [[ ! -e $report ]] || fail "a report without a page"
    skip "needs the page (scripts/install-deps page)"
fi

cat >"$work/decode.py" <<'END'
# Writes all that a report contains, unpacked, to CONTENT; what it holds, to HELD: decode.py REPORT MOST CONTENT HELD
import base64, gzip, re, sys

page = open(sys.argv[1], "rb").read()
assert len(page) <= int(sys.argv[2]), len(page)
held = re.search(rb'<script type="application/gzip" id="snapshot">([A-Za-z0-9+/=]*)</script>', page).group(1)
about = re.search(rb'<script type="application/json" id="report">([^<]*)</script>', page).group(1)
held = base64.b64decode(held, validate=True)
held = gzip.decompress(held) if held[:2] == b"\x1f\x8b" else held
assert held.startswith(b"hectic-snapshot 1\n" if b'"slots":null' not in about else b"hdrb")
open(sys.argv[3], "wb").write(about + b"\n" + held)
open(sys.argv[4], "wb").write(held)
END

decodes() { # [MOST]: writes what the report contains to $work/content, and what it holds to $work/held
    python3 "$work/decode.py" "$report" "${1:-10000000}" "$work/content" "$work/held" || fail "$report cannot be decoded"
}

holds_log() {
    [[ $(head -c 4 "$work/held") == hdrb ]]
}

has() {
    grep -qaF -- "$1" "$work/content" || fail "not in the report: $1"
}

has_not() { # nor in the page around it
    ! grep -qaF -- "$1" "$work/content" || fail "in the report: $1"
    ! grep -qaF -- "$1" "$report" || fail "in the page: $1"
}

# --- The same answers as hectic stat; the name of the log, not its path.
gives 0 view --force -o "$report" "$log"
[[ ! -s $work/out ]] || fail "$(cat "$work/out")"
decodes
holds_log || fail "the log is not in the report"
"$HECTIC" redact --check --for team "$work/held" >"$work/out" || fail "not redacted: $(<"$work/out")"
[[ $("$HECTIC" stat --jsonl "$work/held") == "$("$HECTIC" stat --jsonl "$log")" ]] || fail "other numbers"
has '"log":"demo.eventlog"'
has_not "$logs"
! grep -q '<!-- report -->' "$report" || fail "the mark is left"

# --- Nothing of the arguments, the environment and directories.
cat >"$work/secrets.py" <<'END'
# Makes a log whose program has secrets in its arguments, its environment and its paths.
import struct, sys

def event(number, time, payload):
    return struct.pack(">HQ", number, time) + payload

def sized(number, time, payload):
    return event(number, time, struct.pack(">H", len(payload)) + payload)

types = {30: -1, 31: -1, 29: -1, 44: -1, 45: 2, 0: 4, 1: 4, 2: 10, 18: 14, 19: -1, 25: 6}
out = b"hdrbhetb"
for number, size in sorted(types.items()):
    out += b"etb\0" + struct.pack(">HhI", number, size, 1) + b"x" + struct.pack(">I", 0) + b"ete\0"
out += b"hetehdredatb"
out += event(45, 1000, struct.pack(">H", 0))
out += event(25, 1000, struct.pack(">IH", 7, 2))
words = [b"/home/canary-user/canary-directory/canary-program", b"--password", b"canary-argument", b"+RTS", b"-l"]
out += sized(30, 2000, struct.pack(">I", 7) + b"".join(word + b"\0" for word in words))
out += sized(31, 3000, struct.pack(">I", 7) + b"CANARY_NAME=canary-value\0HOME=/home/canary-user\0")
out += sized(29, 3500, struct.pack(">I", 7) + b"GHC-9.4.7 rts_thr")
body = event(0, 4000, struct.pack(">I", 1)) + sized(44, 4500, struct.pack(">I", 1) + b"visible-label of \"/srv/canary-project/visible-part\"")
label = b"and/or at:\n/srv/canary-project/canary-directory/visible-file.hs:12"
body += event(1, 5000, struct.pack(">I", 1)) + sized(19, 6000, b"START visible-span " + label)
body += sized(19, 7000, b"reading /home/canary-user/file")
body += event(2, 90000, struct.pack(">IHI", 1, 5, 0))
out += event(18, 4000, struct.pack(">IQH", 24 + len(body), 90000, 0)) + body
out += b"\xff\xff"
sys.stdout.buffer.write(out)
END
python3 "$work/secrets.py" >"$work/canary-log.eventlog"
mkdir "$work/canary-folder"
mv "$work/canary-log.eventlog" "$work/canary-folder/log.eventlog"
gives 0 show --force "$work/canary-folder/log.eventlog"
grep -q canary-argument "$work/out" || fail "the log has no canary: $(cat "$work/out")"
gives 0 view --force -o "$report" "$work/canary-folder/log.eventlog"
decodes
has "canary-program"
has 'visible-label of "visible-part"'
has 'visible-file.hs:12'
for secret in canary-project canary-argument canary-value CANARY_NAME canary-user canary-directory canary-folder -password; do
    has_not "$secret"
done
gives 0 view --force -o "$report" --with-arguments "$work/canary-folder/log.eventlog"
decodes
has '/home/canary-user/canary-directory/canary-program'
has "CANARY_NAME=canary-value"
has_not canary-folder

# --- Two logs: of their paths, the last part, and those before that tell them apart.
mkdir -p "$work/runs/1/a" "$work/runs/3/a"
cp "$log" "$work/runs/1/a/001.eventlog"
cp "$log" "$work/runs/3/a/001.eventlog"
named() { # NAME NAME LOG LOG
    gives 0 view --force -o "$report" "$3" "$4"
    [[ $(grep -o '"log":"[^"]*"' "$report" | xargs) == "log:$1 log:$2" ]] || fail "$3 $4: $(grep -o '"log":"[^"]*"' "$report")"
}
named 1/a/001.eventlog 3/a/001.eventlog "$work/runs/1/a/001.eventlog" "$work/runs/3/a/001.eventlog"
named demo.eventlog 001.eventlog "$log" "$work/runs/1/a/001.eventlog"
named 001.eventlog 001.eventlog "$work/runs/1/a/001.eventlog" "$work/runs/1/a/001.eventlog"

# --- A log that is too large: a snapshot, with the same answers as hectic stat.
generate_log --events 300000 --caps 32 -o "$work/large"
gives 0 view --force --max-size 1M -o "$report" "$work/large"
decodes 1000000
! holds_log || fail "the log is in the report"
has "$("$HECTIC" stat --jsonl "$work/large")"
gives 0 view --force -o "$report" "$work/large"
decodes
holds_log || fail "the log is not in the report"
# Tables that are too large are shortened.
generate_log --events 3000000 -o "$work/long"
gives 0 view --force --max-size 3M -o "$report" "$work/long"
decodes 3000000
grep -qF '"shortened":[{"request":"threads","section":1,"rows":5000}' "$report" || fail "no table is shortened"
gives 0 view --force --max-size 640k -o "$report" "$log"
decodes 640000
# The size that an error names: of the page, then what is enough for one log, and for two.
for of in "$log" "$log $log"; do
    size=100k
    for _ in 1 2; do
        # shellcheck disable=SC2086 # two logs
        gives 2 view --force --max-size $size -o "$report" $of
        says "--max-size is too small for a report"
        size=$(sed -n 's/.* \([0-9]*k\)[ ,].*/\1/p' "$work/err")
    done
    # shellcheck disable=SC2086
    gives 0 view --force --max-size "$size" -o "$report" $of
    decodes "${size%k}000"
done

# --- What was damaged is reported; other input than files.
head -c 3000 "$log" >"$work/half"
gives 0 view --force -o "$report" "$work/half"
decodes
python3 -c 'import sys; log = bytearray(open(sys.argv[1], "rb").read()); log[3000:3400] = b"\xee" * 400; sys.stdout.buffer.write(log)' "$log" >"$work/damaged"
gives 1 view --force -o "$report" "$work/damaged"
decodes
has '"damaged_places":1'
gives 0 view --force -o "$report" - <"$log"
decodes
head -c 100 "$log" >"$work/short"
gives 2 view --force -o "$report" "$work/short"
says "$work/short: byte 0: truncated header: the input ends after 100 bytes"
gives 2 view --force -o "$report" "$work/none"

# --- The old report stays if the new one cannot be written.
gives 0 view --force -o "$report" "$log"
cp "$report" "$work/before"
(ulimit -f 100 && exec "$HECTIC" view --force -o "$report" "$log" 2>"$work/err") && fail "a full disk is not an error"
cmp "$work/before" "$report"
gives 2 view --force -o "$work/no/report.html" "$log"
echo text >"$work/text"
gives 2 view --force -o "$report" "$work/text"
says '(expected: the mark "hdrb" at the beginning'
cmp "$work/before" "$report"
gives 2 view -o "$log" "$log"
before=$(find "$work" | sort)
"$HECTIC" view --force -o "$work/never.html" "$work/long" 2>/dev/null &
soon has_open $! "$work/long"
kill -TERM $!
code=0
wait $! || code=$?
[[ $code == 143 ]] || [[ -e $work/never.html ]] || fail "after SIGTERM: $code"
[[ $code != 143 ]] || [[ $(find "$work" | sort) == "$before" ]] || fail "files are left: $(find "$work")"

# --- Options.
gives 64 view -o "$report" --port 3000 "$log"
gives 64 view -o "$report" --no-browser "$log"
gives 64 view --with-arguments "$log"

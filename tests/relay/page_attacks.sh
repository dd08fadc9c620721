#!/usr/bin/env bash
# Clients without a token, or with it, cannot stop the servers of the page: not by regular expressions that
# match slowly, not by connections that are not finished, and not by ambiguous Host headers.
. tests/support/lib.bash
. tests/support/live.bash
needs python3
# shellcheck disable=SC2154 # set by lib.bash
export TMPDIR=$work/private
mkdir "$TMPDIR"

# Messages of letters that match at many places, and need not match at any.
python3 - >"$work/log" <<'END'
import random, struct, sys
random.seed(1)
out = b"hdrbhetb" + b"etb\0" + struct.pack(">HHI", 19, 0xFFFF, 12) + b"User message"
out += struct.pack(">I", 0) + b"ete\0" + b"hete" + b"hdre" + b"datb"
for number in range(100):
    text = b"c" + bytes(random.choice(b"ab") for _ in range(60000))
    out += struct.pack(">HQH", 19, number + 1, len(text)) + text
sys.stdout.buffer.write(out)
END

mkfifo "$work/in"
launch_relay relay --from "name=fifo:$work/in" --metrics 127.0.0.1:0
exec 9<>"$work/in"
port_of relay
launch view "$HECTIC" view --no-browser "$work/log"
viewer=$launched
soon file_matches "$work/view.said" '/$'

python3 tests/relay/page_attacks.py "http://127.0.0.1:$port/view/name/" "$relay" "$work/log" 9 ||
    fail "relay: $(tail -n 5 "$work/relay.err")"
ends "$relay"
python3 tests/relay/page_attacks.py "$(cat "$work/view.said")" "$viewer" || fail "view: $(cat "$work/view.err")"
ends "$viewer"
[[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"

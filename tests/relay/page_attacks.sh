#!/usr/bin/env bash
# Clients without a token, or with it, cannot stop the servers of the page: not by regular expressions that
# match slowly, not by connections that are not finished, and not by ambiguous Host headers.
. tests/support/lib.bash
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
"$HECTIC" relay --from "name=fifo:$work/in" --metrics 127.0.0.1:0 2>"$work/relay.err" &
relay=$!
exec 9<>"$work/in"
soon grep -q 'metrics at' "$work/relay.err"
"$HECTIC" view --no-browser "$work/log" >"$work/address" 2>"$work/view.err" 9>&- &
viewer=$!
soon grep -q '/$' "$work/address"

port=$(sed -n 's/.*metrics at .*, port //p' "$work/relay.err")
python3 tests/relay/page_attacks.py "http://127.0.0.1:$port/view/name/" "$relay" "$work/log" 9 ||
    fail "relay: $(tail -n 5 "$work/relay.err")"
wait "$relay" || fail "the relay ended with $?"
python3 tests/relay/page_attacks.py "$(cat "$work/address")" "$viewer" || fail "view: $(cat "$work/view.err")"
wait "$viewer" || fail "the viewer ended with $?"
[[ -z $(ls "$TMPDIR") ]] || fail "left behind: $(find "$TMPDIR")"

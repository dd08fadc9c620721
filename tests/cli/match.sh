#!/usr/bin/env bash
# --match finds what Perl finds, also in long texts; if the matcher gives up, hectic reports it.
. tests/support/lib.bash
needs python3

# A log with one message per argument: a text made by Python.
messages() {
    python3 - "$@" <<'END'
import struct, sys
out = b"hdrbhetb" + b"etb\0" + struct.pack(">HHI", 19, 0xFFFF, 12) + b"User message"
out += struct.pack(">I", 0) + b"ete\0" + b"hete" + b"hdre" + b"datb"
for number, text in enumerate(sys.argv[1:]):
    text = eval(text).encode()
    out += struct.pack(">HQH", 19, number, len(text)) + text
sys.stdout.buffer.write(out + b"\xff\xff")
END
}
# finds COUNT PATTERN: with each verb that takes --match.
finds() {
    local out
    for verb in show inc; do
        gives 0 "$verb" --no-header --match "$2" "$work/log"
        [[ $(grep -c . "$work/out") == "$1" ]] || fail "$verb --match '$2': $(cut -c 1-80 "$work/out")"
    done
    gives 0 copy --force --match "$2" -o "$work/copy" "$work/log"
    gives 0 cut --force --match "$2" -o "$work/cut" "$work/log"
    for out in copy cut; do
        [[ $("$HECTIC" show --force --no-header "$work/$out" | grep -c .) == "$1" ]] || fail "$out --match '$2'"
    done
}

# The repeated group backtracks over the whole text, which takes memory for each character.
messages "'word ' * 13000 + 'needle'" "'a needle'" "'nothing'" "'é ' * 20000 + 'needle'" >"$work/log"
finds 3 '(\w| )*needle'
finds 3 '(\w+ ?)*needle$'
finds 1 'é'

# Backtracking would take too long.
messages "'a' * 2000" "'a' * 40 + 'b'" "'x'" >"$work/log"
finds 1 '^.*(a+)+b$'
finds 0 '(a|aa)+x$'
finds 1 '(a|aa)+[^a]$'

# The pattern requires backtracking: the event is reported, and no output is written.
messages "'x'" "'ab' * 2000 + 'c'" "'x'" >"$work/log"
for verb in "show -o $work/none" "inc -o $work/none" "copy -o $work/none" "cut -o $work/none"; do
    # shellcheck disable=SC2086 # words are meant
    gives 2 $verb --match '(a+|b+|ab)+(\1)x\1$|((a|b)+)+\3!' "$work/log"
    says "$work/log: byte 65: cannot match the event with --match: match limit exceeded"
    [[ $(wc -l <"$work/err") == 1 ]] || fail "$verb: reported more than once"
    [[ ! -e $work/none ]] || fail "$verb: output was written"
done
gives 64 show --match '(' "$work/log"
says 'invalid pattern "(" for --match: missing closing parenthesis at character 2'

#!/usr/bin/env bash
# The package hectic-ghc-events: a program that uses GHC.RTS.Events gives the same answers with ghc-events (Debian has
# 0.17) and with it, but for what ghc-events 0.21 has changed; its texts are those of the command.
. tests/support/haskell.bash
. tests/support/reading.bash
needs jq
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
[[ $(ghc-pkg list --simple-output ghc-events 2>/dev/null) ]] || skip "needs the package ghc-events"
build_reader || fail "the packages cannot be built"
compile_reading ours tests/programs/peer.hs -Wall -Werror -hide-package ghc-events -package hectic-ghc-events
ghc -v0 -O -DPEER -package ghc-events -outputdir "$work/objects-peer" -o "$work/peer" tests/programs/peer.hs
# With the flags of the package: the same program as for 0.17, and that for a release whose values are those of 0.17.
compile_flagged() { # NAME DEFINITION…
    compile_reading "$1" tests/programs/peer.hs "${@:2}" -O0 -Wall -Werror -hide-package ghc-events -hide-package hectic-ghc-events \
        -package hectic -ihaskell/hectic-ghc-events/src
}
compile_flagged flagged -DPEER -DAPI_0_17 -DAPI_0_21_0
compile_flagged released -DAPI_0_21_0

# same_as_peer QUESTIONS LOG
same_as_peer() {
    "$work/peer" "$@" >"$work/peer.out" 2>"$work/peer.err" || fail "ghc-events: $*: $(cat "$work/peer.err")"
    "$work/ours" "$@" >"$work/ours.out" 2>"$work/ours.err" || fail "$*: $(cat "$work/ours.err")"
    for whose in peer ours; do
        # What 0.21 has changed: sizes of stacks, names of fields, the number of a status, sizes of blocks.
        sed -E -e 's/StackOverflow [0-9]+/StackOverflow/g; s/stack overflow, size [0-9]+/stack overflow/g' \
            -e 's/profCapset/profCap/; s/BlockedOnMsgGlobalise/BlockedOnMsgThrowTo/g' \
            -e 's/waiting for data to be globalised/blocked in throwTo/g; s/, tickyCtrInfoTbl = .*\}/}/' \
            -e '/NonmovingHeapCensus/d; s/, encodedAsLog = True//' "$work/$whose.out" >"$work/$whose.txt"
    done
    "$work/flagged" "$@" >"$work/flagged.out" 2>"$work/flagged.err" || fail "flagged: $*: $(cat "$work/flagged.err")"
    cmp -s "$work/peer.out" "$work/flagged.out" || fail "flagged: $*: $(diff "$work/peer.out" "$work/flagged.out" | head -4 | cut -c1-200)"
    cmp -s "$work/peer.txt" "$work/ours.txt" || fail "$*: $(diff "$work/peer.txt" "$work/ours.txt" | head -4 | cut -c1-200)"
}

shopt -s nullglob
count=0
some=("$logs"/*.eventlog "$corpus"/*.eventlog)
thin some
for log in "${some[@]}"; do
    [[ $(stat -c %s "$log") -lt 300000 ]] || continue
    case ${log##*/} in
    # Events that 0.21 has and 0.17 has not, or the reverse; texts that are not UTF-8; several headers.
    every-event.* | older-shapes.* | testlog-part.* | 2011-*) continue ;;
    messages.* | restarted* | ticky-ticky.*) continue ;;
    esac
    count=$((count + 1))
    same_as_peer "types values texts caps threads validate-threads validate-run validate-pool validate-tasks \
        validate-kernel validate-sparks simulate-threads simulate-sparks profile-threads profile-sparks profile-indexed" "$log"
    "$work/ours" show "$log" | sed 1d >"$work/ours.out"
    "$HECTIC" show "$log" >"$work/expected" 2>/dev/null || true
    cmp -s <(sed -e '$d' "$work/expected") "$work/ours.out" || fail "show $log: $(diff "$work/ours.out" "$work/expected" | head -4)"
    "$work/ours" inc "$log" >"$work/ours.out"
    "$HECTIC" inc "$log" >"$work/expected" 2>/dev/null || true
    same "$work/ours.out" "$work/expected"
done
((count >= $(is_short && echo 5 || echo 20))) || fail "only $count logs"

# Statuses as GHC 7.8.2 writes them: it declares USER_MARKER, but not HACK_BUG_T9003.
python3 - >"$work/shifted.eventlog" <<'END'
import struct, sys
import eventlog
events = [(1, 0, 58, b"marker")] + [(2 + status, 0, 2, struct.pack(">IHI", 1, status, 3)) for status in range(22)]
sys.stdout.buffer.write(eventlog.write(events, {2: 10}))
END
same <("$work/flagged" values "$work/shifted.eventlog") <("$work/peer" values "$work/shifted.eventlog")

# Events of GHC before 7.2, which 0.17 knows.
for log in "$corpus"/2011-[Ss]*.eventlog; do
    same <("$work/flagged" "show values texts" "$log") <("$work/peer" "show values texts" "$log")
done
for log in threads demo; do
    same <("$work/released" values "$logs/$log.eventlog") <("$work/peer" values "$logs/$log.eventlog")
done

# What is written is the log that was read; if its events are sorted, they keep their blocks. Both and the command read it.
for log in threads demo spans; do
    "$work/ours" rewrite "$work/again.eventlog" "$logs/$log.eventlog"
    same "$work/again.eventlog" "$logs/$log.eventlog"
    "$work/ours" sort "$work/again.eventlog" "$logs/$log.eventlog"
    gives 0 check "$work/again.eventlog"
    same_as_peer values "$work/again.eventlog"
    for each in "$work/again.eventlog" "$logs/$log.eventlog"; do
        "$HECTIC" show --json "$each" | jq -c 'del(.position)' >"$work/${each##*/}.json"
    done
    same <(sort "$work/again.eventlog.json") <(sort "$work/$log.eventlog.json")
done
"$work/ours" merge "$work/ours.eventlog" "$logs/threads.eventlog" "$logs/demo.eventlog"
"$work/peer" merge "$work/peer.eventlog" "$logs/threads.eventlog" "$logs/demo.eventlog"
for whose in ours peer; do
    "$work/ours" texts "$work/$whose.eventlog" | sed -E 's/overflow, size [0-9]+/overflow/' | sort >"$work/$whose.txt"
done
same "$work/ours.txt" "$work/peer.txt"

# Damage is an error with its place, as in ghc-events; several headers are one, too.
{ head -c 5000 "$logs/demo.eventlog"; printf 'xx'; tail -c +5001 "$logs/demo.eventlog"; } >"$work/bad.eventlog"
for log in "$work/bad.eventlog" "$logs/restarted.eventlog"; do
    ! "$work/ours" inc "$log" >"$work/out" 2>"$work/err" || fail "$log has no error"
    grep -q 'Unrecognized event type: ' "$work/err" || fail "the error of $log: $(cat "$work/err")"
done

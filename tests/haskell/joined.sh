#!/usr/bin/env bash
# Readers that attach to a running program at any time, directly or through a relay, get the same
# lines per second as from the complete log. Counters for Prometheus begin at 0.
. tests/support/haskell.bash
needs curl
grep -q fsanitize "$HECTIC_BUILD/CMakeCache.txt" && skip "GHC does not link with sanitizers"
compile_emitting allocates -threaded -rtsopts tests/programs/allocates.hs
cc -O -o "$work/reader" tests/programs/reader.c
cd "$work"

# While all of them are attached. Heap profiles are in blocks without a cap.
GHC_EVENTLOG_UNIX_PATH=sock GHC_EVENTLOG_WAIT=1 HECTIC_EVENTLOG_FLUSH_MS=50 \
    ./allocates 1000 +RTS -N2 -l -hT -i0.02 2>program.err &
program=$!
./reader unix sock 0 >whole.eventlog &
reader=$!
soon test -s whole.eventlog
"$HECTIC" relay -q --from unix:sock --listen unix:out --metrics 127.0.0.1:0 2>relay.err &
soon test -S out

joins() { # PLACE NAME
    local i
    for ((i = 0; i < 12; i++)); do
        sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
        "$HECTIC" watch -q --csv --every 100ms --lag 500ms --limit 4 "unix:$1" >"lines.$2.$i"
    done
}
for name in a b; do
    joins sock $name &
    joining+=($!)
    joins out r$name &
    joining+=($!)
done
wait "${joining[@]}" || fail "watch: $(cat relay.err program.err)"

# The counters of a program that is relayed late begin with its connection: nearly 0 at first.
"$HECTIC" relay --from unix:sock --metrics 127.0.0.1:0 2>late.err &
is_counted() {
    port=$(sed -n 's/^hectic: metrics at .*, port //p' late.err)
    [[ $port ]] && curl -s "http://127.0.0.1:$port/metrics" >page &&
        grep -q '^hectic_gc_time_to_safepoint_seconds_count' page
}
soon is_counted
counted=$(awk '/^ghc_allocated_bytes_total/ {print $NF}' page)

kill "$program"
wait "$reader" || true
"$HECTIC" watch -q --csv --every 100ms whole.eventlog >whole
total=$("$HECTIC" stat --jsonl whole.eventlog | grep -o '"allocated_bytes":[0-9]*' | head -1 | grep -o '[0-9]*$')
((counted < total / 2)) || fail "$counted bytes are counted of $total, most of them from before"
cat lines.* | awk -F, '
    NR == FNR {
        if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i
        truth[$at["time_ns"]] = $at["allocated_bytes"]
        next
    }
    $1 == "time_ns" {next}
    $at["duration_ns"] != 100000000 {next} # a line printed because no data arrived
    {lines++}
    $at["allocated_bytes"] > truth[$at["time_ns"]] {
        print $at["allocated_bytes"] " bytes, but " truth[$at["time_ns"]] ": " $0
        bad = 1
    }
    END {if (lines < 48) print lines " lines"; exit bad || lines < 48}
' whole - >found || fail "$(head -5 found)"

#!/usr/bin/env bash
# A real Prometheus gets the bands of heap profiles: their number is bounded, and a band that
# disappears has no series from then on.
. tests/support/prometheus.bash

band() { # TIME BYTES LABEL
    be 2 164
    be 8 "$1"
    be 2 $((10 + ${#3}))
    be 1 0
    be 8 "$2"
    printf '%s\0' "$3"
}

sample() { # TIME, with bands on stdin: BYTES LABEL
    local bytes label
    be 2 162 && be 8 "$1" && be 8 0
    while read -r bytes label; do
        band "$1" "$bytes" "$label"
    done
    be 2 165 && be 8 "$1" && be 8 0
}

profile_begins() { # with 30 bands of 1 to 30 bytes
    log_header 43 16 162 8 164 65535 165 8
    be 2 43 && be 8 0 && be 4 0 && be 8 "$(date +%s)" && be 4 0 # WALL_CLOCK_TIME
    seq 30 | sed 's/.*/& band &/' | sample 1000000000
}

mkfifo "$work/profile"
exec 3<>"$work/profile"
relays --from "profiled=fifo:$work/profile"
profile_begins >&3
carries --seconds 3600
# shellcheck disable=SC2119 # no options
scrapes
holds 'up == 1'
holds 'hectic_heap_band_bytes{program="monitored",band="ByteString"} > 0'
holds 'abs(time() - hectic_heap_sample_timestamp_seconds{program="monitored"}) < 1200'

bands='hectic_heap_band_bytes{program="profiled"'
holds "count($bands}) == 21"
holds "sum($bands}) == 465"
holds "$bands,band=\"band 11\"} == 11"
holds "absent($bands,band=\"band 10\"})"
holds "$bands,band=\"(others)\"} == 55"

printf '%s\n' '7 band 11' '100 an "odd" \label' '1 new' | sample 2000000000 >&3
holds "count($bands}) == 3"
holds "absent($bands,band=\"band 12\"})"
holds "absent($bands,band=\"(others)\"})"
holds "$bands,band=\"band 11\"} == 7"
holds "$bands,band=\"an \\\"odd\\\" \\\\label\"} == 100"

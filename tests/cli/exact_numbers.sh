#!/usr/bin/env bash
# Numbers at the limits of their range are the same in text, JSON and CSV.
. tests/support/lib.bash

heap_event() { # NUMBER TIME VALUE, 22 bytes: HEAP_ALLOCATED, HEAP_SIZE, HEAP_LIVE
    be 2 "$1"
    be 8 "$2"
    be 4 0
    be 8 "$3"
}

# A collection of cap 0 whose statistics have VALUE in each field.
collection_log() { # VALUE
    log_header 18 14 9 0 10 0 49 12 50 12 51 12 53 58
    block 0 $((22 * 4 + 10 * 2 + 68)) 40 0
    heap_event 49 0 0
    heap_event 49 10 "$1"
    be 2 9
    be 8 20
    be 2 53
    be 8 30
    be 4 0
    be 2 1
    for _ in copied slop fragmentation; do be 8 "$1"; done
    be 4 2
    for _ in max total balanced; do be 8 "$1"; done
    heap_event 50 30 "$1"
    heap_event 51 30 "$1"
    be 2 10
    be 8 40
    be 2 65535
}

grouped() {
    rev <<<"$1" | sed -E 's/([0-9]{3})/\1,/g; s/,$//' | rev
}

has() { # TEXT: the output contains it
    grep -qF -- "$1" "$work/out" || fail "$value: not printed: $1; but: $(head -c 600 "$work/out")"
}

for value in 0 1 9007199254740993 9223372036854775807 9223372036854775808 18446744073709551615; do
    collection_log "$((value))" >"$work/log"
    gives 0 stat --jsonl "$work/log"
    has "\"allocated_bytes\":$value,\"copied_bytes\":$value,\"residency_max_bytes\":$value,"
    has "\"slop_max_bytes\":$value,\"heap_max_bytes\":$value,\"fragmentation_max_bytes\":$value,"
    gives 0 stat "$work/log"
    has "$(grouped $value) bytes allocated in the heap"
    has "$(grouped $value) bytes copied during GC"
    has "$(grouped $value) bytes maximum residency"
    has "$(grouped $value) bytes maximum slop"
    gives 0 stat --csv "$work/log"
    has ",$value,$value,$value,${value/#0/}," # no heap has 0 bytes
    gives 0 stat --jsonl --every 1s "$work/log"
    has "\"allocated_bytes\":$value,\"copied_bytes\":$value,\"residency_bytes\":$value,"
    gives 0 watch -q --json "$work/log"
    has "\"allocated_bytes\":$value,\"copied_bytes\":$value,\"live_bytes\":$value,"
    gives 0 watch -q --csv "$work/log"
    has ",$value,$value,$value,$value,"
    gives 0 show --json "$work/log"
    has "\"slop\":$value,\"fragmentation\":$value,"
done

# 2^64-1 bytes in 20 ns of mutator time: the rate per second exceeds any integer type.
gives 0 stat "$work/log"
has "922,337,203,685,477,5"
gives 0 stat --jsonl "$work/log"
has '"allocated_bytes_per_mutator_second":9.223372036854775'

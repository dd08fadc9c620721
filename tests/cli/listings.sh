#!/usr/bin/env bash
# The other listings of our own logs equal those of ghc-events 0.21, which are kept as checksums in
# listings.sha256; differential.sh shows the differences if ghc-events is installed. Events replayed
# in SYNC events are hectic's own.
. tests/support/lib.bash

while read -r sum listing log; do
    case $listing in
    threads | caps) gives 0 show "$listing" "$logs/$log" ;;
    pretty-time) gives 0 show --pretty-time "$logs/$log" ;;
    inc) gives 0 inc "$logs/$log" ;;
    *) fail "listings.sha256 names $listing" ;;
    esac
    sed -E 's/(hectic: state replay|Unknown Event \(ref: 1999\)): .*/\1/' "$work/out" >"$work/theirs"
    [[ $(sha256sum <"$work/theirs") == "$sum "* ]] || fail "$listing of $log differs"
done <tests/cli/listings.sha256

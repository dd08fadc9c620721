# What was made of logs is as valid as they were, and ghc-events can read it. For cut and merge.

# faulty LOG…: the machines that find something wrong with any of them, and "damaged"
faulty() {
    local log code
    for log; do
        code=0
        "$HECTIC" validate --quiet --json all "$log" >"$work/verdicts" 2>&1 || code=$?
        grep -oE '"machine":"[a-z]+","verdict":"invalid"' "$work/verdicts" | cut -d'"' -f4 || ((code == 0)) || echo damaged
    done | sort -u
}

# shared_kernel_threads LOG…: two of them name one kernel thread, as logs of two machines may do.
shared_kernel_threads() {
    local log
    for log; do
        "$HECTIC" show --json --event TASK_CREATE "$log" | grep -o '"os_thread":[0-9]*' | sort -u
    done | sort | uniq -d | grep . >/dev/null
}

# accepted LOG OF…
accepted() {
    local made=$1 machine log was
    shift
    was=$(faulty "$@")
    while read -r machine; do
        [[ $was != *damaged* && $'\n'$was$'\n' != *$'\n'$machine$'\n'* ]] || continue
        [[ $machine != tasks ]] || ! shared_kernel_threads "$@" || continue
        fail "$made, made of $*: $("$HECTIC" validate "$machine" "$made" 2>&1 | head -3)"
    done < <(faulty "$made")
    command -v ghc-events >/dev/null || return 0
    for log; do
        # Texts that are not UTF-8 are too much for some versions.
        ghc-events show "$log" >"$work/shown" 2>/dev/null || return 0
    done
    ghc-events show "$made" >"$work/shown" || fail "ghc-events cannot show $made, made of $*"
    local theirs ours
    theirs=$(sed -e '1,/^Events:$/d' "$work/shown" | grep -ac '^[0-9]*: ' || true)
    ours=$("$HECTIC" show --no-header "$made" | grep -av ': event block: ' | grep -ac '^[0-9]*: ' ||
        true)
    theirs=$((theirs - $(grep -ac ': event block: ' "$work/shown" || true)))
    [[ $theirs == "$ours" ]] || fail "ghc-events finds $theirs events in $made, not $ours"
}

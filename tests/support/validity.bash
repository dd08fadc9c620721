# What was made of logs is as valid as they were, and ghc-events can read it. For cut and merge.

# consistent MACHINE LOG…: that machine finds nothing wrong with any of them.
consistent() {
    local machine=$1 log
    shift
    for log; do
        "$HECTIC" validate --quiet "$machine" "$log" >"$work/verdict" 2>&1 || return 1
    done
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
    local made=$1 machine log
    shift
    for machine in threads threadpool threadrun taskpool tasks sparks gc; do
        [[ $machine != tasks ]] || ! shared_kernel_threads "$@" || continue
        if consistent "$machine" "$@"; then
            consistent "$machine" "$made" || fail "$made, made of $*: $(head -3 "$work/verdict")"
        fi
    done
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

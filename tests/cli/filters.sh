#!/usr/bin/env bash
# Filters by time, cap, thread, event, class, text and number.
. tests/support/lib.bash
log=$logs/threads.eventlog
"$HECTIC" show --no-header "$log" | grep . >"$work/all"

# selects 'AWK-CONDITION' FILTER…: the filters select the lines that fulfill the condition.
selects() {
    local condition=$1
    shift
    awk "$condition" "$work/all" >"$work/expected"
    [[ -s $work/expected ]] || fail "$condition: no such event in $log"
    "$HECTIC" show --no-header "$@" "$log" | grep . >"$work/selected"
    cmp "$work/selected" "$work/expected" || fail "$*"
}

middle=$(awk -F: '{time[NR] = $1} END {print time[int(NR / 2)]}' "$work/all")
selects "\$1 + 0 >= $middle" --from "${middle}ns"
selects "\$1 + 0 < $middle" --to "${middle}ns"
selects "\$1 + 0 >= 1000000 && \$1 + 0 < 1500000" --from 1ms --to 0.0015s
selects "\$1 + 0 >= 1000000 && \$1 + 0 < 1500000" --from 1000us --to 1500000ns
selects '/: cap 0: /' --cap 0
selects '/: cap [01]: /' --cap 0,1
selects '!/: cap [0-9]+: /' --cap none
selects 'NR <= 5' --limit 5
selects '/running thread/' --event RUN_THREAD
selects '/running thread|stopping thread/' --event run-thread,Stop_Thread
selects '/running thread|stopping thread/' --event run_thread --event 2
selects '/: cap 0: running thread/' --event run_thread --cap 0
selects '/thread [0-9]*1 /' --match 'thread \d*1 '
selects '/running thread/ && ++n <= 3' --match '^running thread' --limit 3

# By thread: its events, and none of other threads.
thread=$(sed -n 's/.*running thread \([0-9]*\)$/\1/p' "$work/all" | tail -1)
gives 0 show --no-header --thread "$thread" "$log"
grep -q "running thread $thread\$" "$work/out" || fail "thread $thread does not run"
! grep "running thread" "$work/out" | grep -v "running thread $thread\$" || fail "others run, too"

# From a marker on.
marked=$logs/messages.eventlog
gives 0 show --no-header --event USER_MARKER "$marked"
first=$(head -1 "$work/out")
name=${first#*marker: }
gives 0 show --no-header --from "marker:$name" --limit 1 "$marked"
[[ $(cut -d: -f1 "$work/out") == "${first%%:*}" ]] || fail "marker $name is not found"
"$HECTIC" inc --from "marker:$name" "$marked" >"$work/file"
[[ $(head -1 "$work/file") == "$first" ]] || fail "inc does not begin at marker $name"
# shellcheck disable=SC2002 # a pipe is meant
cat "$marked" | "$HECTIC" inc --from "marker:$name" - | cmp - "$work/file" || fail "from a pipe"
gzip -c "$marked" | "$HECTIC" inc --from "marker:$name" - | cmp - "$work/file" || fail "from compressed input"
gives 64 show --from "marker:there is none" "$marked"
says 'no marker "there is none"'

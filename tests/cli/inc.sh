#!/usr/bin/env bash
# inc: all events in the order of the file, as soon as they are there. (Growing files and pipes: follow.sh.)
. tests/support/verb.bash
log=$logs/demo.eventlog
behaves inc "$log"
agrees inc "$log" "$logs"/{threads,messages,heap-profile-c,every-event}.eventlog

# The lines are those of show, in another order; the same events are chosen.
for options in "" "--event gc" "--cap 0" "--from 2ms --to 3ms" "--match thread"; do
    # shellcheck disable=SC2086 # words are meant
    "$HECTIC" inc --json $options "$log" | sort >"$work/found"
    # shellcheck disable=SC2086
    "$HECTIC" show --json $options "$log" | sort >"$work/wanted"
    [[ -s $work/wanted ]] || fail "$options: nothing"
    same "$work/found" "$work/wanted"
done
"$HECTIC" inc --json "$log" | sed -n 1,9p >"$work/wanted"
gives 0 inc --json --limit 9 "$log"
same "$work/out" "$work/wanted"
gives 64 inc --event NONSENSE "$log"
gives 64 inc nonsense "$log"

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

# In JSON, each of these events names the thread, or has it as running_thread; so does show threads.
if command -v python3 >/dev/null; then
    for each in threads demo killed spans messages restarted sparks every-event; do
        python3 - "$HECTIC" "$logs/$each.eventlog" <<'END' || fail "running_thread in JSON: $each"
import json, re, subprocess, sys

def lines(*arguments):
    return subprocess.run([sys.argv[1], *arguments, sys.argv[2]], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode().splitlines()

def events(*arguments):
    return [json.loads(line) for line in lines(*arguments, "--json")]

for order in "show", "inc":
    every = events(order)
    for thread in {e["thread"] for e in every if "thread" in e and e["thread"] < 20}:
        wanted, running = [], {}
        for e in every:
            is_running = running.get(e["cap"]) == thread
            if e.get("thread") == thread:
                wanted.append(e)
            elif is_running:
                wanted.append(dict(e, running_thread=thread))
            if e["event"] == "RUN_THREAD":
                running[e["cap"]] = e["thread"]
            if e["event"] == "STOP_THREAD":
                running.pop(e["cap"], None)
        found = events(order, "--thread", str(thread))
        assert found == wanted, (order, thread, [p for p in zip(found, wanted) if p[0] != p[1]][:2])

group, groups = None, []
for line in lines("show", "threads", "--no-header"):
    if line == "Nothing" or line.startswith("Just "):
        group = None if line == "Nothing" else int(line[5:])
    elif re.match(r"  \d+: ", line):  # messages may have more lines
        groups.append(group)
named = events("show", "threads")
assert len(named) == len(groups), (len(named), len(groups))
for e, group in zip(named, groups):
    assert group is None or group in (e.get("thread"), e.get("running_thread")), (group, e)
    assert group is not None or "running_thread" not in e, e
END
    done
else
    echo "SKIPPED: JSON of threads: needs python3"
fi

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

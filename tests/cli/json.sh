#!/usr/bin/env bash
# --json: each line is a JSON object, and there is nothing else.
. tests/support/lib.bash
if command -v node >/dev/null; then
    parse=(node -e '
        for (const line of require("fs").readFileSync(0, "utf8").split("\n").slice(0, -1)) {
            const event = JSON.parse(line)
            if (typeof event.time !== "number" || !("event" in event)) throw line
        }')
elif command -v python3 >/dev/null; then
    parse=(python3 -c '
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    assert isinstance(event["time"], int) and "event" in event, line')
else
    skip "needs node or python3"
fi

some=("$logs"/*.eventlog)
thin some
for log in "${some[@]}"; do
    for arguments in "show" "show threads" "inc --header"; do
        # shellcheck disable=SC2086 # words are meant
        gives 0 $arguments --json "$log"
        cat "$work/out"
    done
done >"$work/all"
"${parse[@]}" <"$work/all" || fail "invalid JSON"
[[ $("$HECTIC" show --json "$logs/tiny.eventlog" | wc -l) == \
$("$HECTIC" show --no-header "$logs/tiny.eventlog" | grep -c .) ]] || fail "not one object per event"

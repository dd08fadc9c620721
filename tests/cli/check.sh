#!/usr/bin/env bash
# hectic check: its verdicts, as text and JSON; --deep, which finds what validate all finds.
. tests/support/lib.bash
needs python3

# value EXPRESSION: of the JSON that was last printed, in which `log` is the object.
value() {
    python3 -c "import json, sys; log = json.load(open(sys.argv[1])); print($1)" "$work/out"
}

sound=$logs/threads.eventlog
gives 0 check "$sound"
grep -q "^$sound: sound: " "$work/out" || fail "not sound"
gives 0 check --json "$sound"
[[ $(value 'log["log"], log["verdict"], log["complete"], log["damage"], log["defects"], "faults" in log') == \
"$sound sound True [] 0 False" ]] || fail "--json: $(cat "$work/out")"
gives 0 check --json "$logs/killed.eventlog"
[[ $(value 'log["verdict"], log["complete"], log["tail_bytes"], log["defects"], log["damage_count"]') == \
"sound False 8 0 1" ]] || fail "cut short: $(cat "$work/out")"
gives 0 check "$logs/killed.eventlog"
grep -q ': sound, cut short: ' "$work/out" || fail "not cut short"

# Damage has its position and kind.
{ head -c -2 "$sound" && echo "no event"; } >"$work/damaged"
gives 1 check --json "$work/damaged"
position=$(($(stat -c %s "$sound") - 2))
[[ $(value 'log["verdict"], [(d["position"], d["kind"], d["harmless"]) for d in log["damage"]][0]') == \
"damaged ($position, 'undeclared_event', False)" ]] || fail "damage: $(cat "$work/out")"
[[ $(value 'sum(d["skipped_bytes"] for d in log["damage"]) == log["lost_bytes"] > 0') == True ]] ||
    fail "lost bytes: $(cat "$work/out")"
log_header >"$work/untyped"
gives 2 check --json "$work/untyped"
[[ $(value 'log["verdict"]') == unusable ]] || fail "no event types: $(cat "$work/out")"
gives 2 check --json --deep "$work/untyped"
value 'log["verdict"]' >/dev/null
gives 2 check --json /dev/null
[[ ! -s $work/out ]] || fail "JSON about an empty file"

# --deep: the faults and verdicts of validate all, after those of check.
create_thread() { be 2 0 && be 8 "$1" && be 4 "$2"; }
{
    log_header 0 4 1 4 18 14
    block 5 $((14 + 2 * 14)) 100 0
    create_thread 10 1
    run_thread 20 1
    run_thread 30 1
    be 2 65535
} >"$work/faulty"
for log in "$work/faulty" "$work/damaged" "$sound" "$logs/every-event.eventlog" "$logs/restarted.eventlog"; do
    code=0
    "$HECTIC" validate --quiet --limit 3 "$log" >"$work/faults" 2>/dev/null || code=$?
    "$HECTIC" check "$log" >"$work/verdict" || code=1
    gives "$code" check --deep --limit 3 "$log"
    grep -v '^Gaps' "$work/faults" | cat "$work/verdict" - >"$work/wanted"
    same "$work/out" "$work/wanted"

    "$HECTIC" validate --quiet --json "$log" >"$work/faults" 2>/dev/null || true
    gives "$code" check --deep --json "$log"
    python3 - "$work/faults" "$work/out" <<'PYTHON' || fail "$log: --json is not that of validate"
import json, sys
wanted, found = [json.load(open(path)) for path in sys.argv[1:]]
assert wanted == {key: found[key] for key in wanted}
PYTHON
done
gives 0 check "$work/faulty"
gives 1 check --deep --quiet "$work/faulty"

# --repair writes a log, and no report.
for option in --deep --json; do
    gives 64 check $option --repair "$work/damaged" "$work/repaired"
    says "hectic check: --repair cannot be combined with --deep or --json"
done
gives 64 check --repair "$work/damaged"
says "hectic check: missing operand: OUT (- for standard output)"
gives 64 check --repair -o "$work/repaired" "$work/damaged" "$work/other"
gives 64 check "$work/damaged" "$work/repaired"
says "too many operands"
[[ ! -e $work/repaired ]] || fail "a file after a usage error"
# Once, OUT came first.
gives 2 check --repair "$work/repaired" "$work/damaged"
says "$work/repaired: No such file or directory; the log comes first: hectic check --repair IN OUT"
[[ ! -e $work/repaired ]] || fail "a file, with OUT first"
gives 1 check --repair "$work/damaged" "$work/repaired"
gives 2 check --repair "$work/damaged" "$work/repaired"
says "$work/repaired already exists: use --force to replace it"
gives 1 check --repair --force "$work/damaged" "$work/repaired"
gives 0 check "$work/repaired"

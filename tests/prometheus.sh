#!/usr/bin/env bash
# A real Prometheus scrapes a relay and answers queries; promtool likes the metrics and the alerts.
. tests/cli/lib.bash
needs prometheus
needs promtool
needs curl
needs jq
monitored=$HECTIC_BUILD/monitored

promtool check rules docs/prometheus/alerts.yml >"$work/rules" || fail "$(cat "$work/rules")"
promtool test rules tests/metrics/alerts.yml >"$work/rules" 2>&1 || fail "$(cat "$work/rules")"
for page in tests/metrics/*.classic; do
    promtool check metrics <"$page" >"$work/checked" 2>&1 || fail "$page: $(cat "$work/checked")"
    [[ ! -s $work/checked ]] || fail "$page: $(cat "$work/checked")"
done

# --- A program, a relay, a Prometheus
soon() { # COMMAND…: it succeeds within half a minute
    for _ in $(seq 150); do
        "$@" && return
        sleep 0.2
    done
    fail "not in time: $*; $(tail -5 "$work"/*.err)"
}

port_is_known() {
    port=$(sed -n 's/^hectic: metrics at .*, port //p' "$work/relay.err")
    [[ $port ]]
}

free_port() { # one that nobody listens at, below those that are given out
    for ((own = 20000 + RANDOM % 10000; ; own++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$own") 2>/dev/null || return 0
    done
}

: >"$work/relay.err"
echo a-token-of-enough-letters >"$work/token"
"$HECTIC" relay --from "listen:unix:$work/in" --metrics 127.0.0.1:0 --token-file "$work/token" \
    2>>"$work/relay.err" &
relay=$!
soon port_is_known
"$monitored" --seconds 90 --caps 2 "unix:$work/in" </dev/null >"$work/monitored.err" 2>&1 &
program=$!
printf %s "$(cat "$work/token")" >"$work/credentials"
cat >"$work/prometheus.yml" <<END_OF_CONFIG
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: ["$PWD/docs/prometheus/alerts.yml"]
scrape_configs:
  - job_name: hectic
    authorization: {credentials_file: "$work/credentials"}
    static_configs: [{targets: ["127.0.0.1:$port"]}]
END_OF_CONFIG
promtool check config "$work/prometheus.yml" >"$work/rules" || fail "$(cat "$work/rules")"
free_port
prometheus --config.file "$work/prometheus.yml" --storage.tsdb.path "$work/data" \
    --web.listen-address "127.0.0.1:$own" --log.level error 2>"$work/prometheus.err" &
prometheus=$!
trap 'kill -KILL $relay $program $prometheus 2>/dev/null || true; wait; rm -rf "$work"' EXIT

# --- Queries
query() { # QUERY: the first value, or nothing
    curl -s -m 5 "http://127.0.0.1:$own/api/v1/query" --data-urlencode "query=$1" \
        >"$work/answer" || true
    jq -r '.data.result[0].value[1] // empty' "$work/answer" 2>/dev/null || true
}

is_true() { # QUERY of a comparison
    [[ $(query "$1") ]]
}

# What the text says, while nothing changes.
said() { # SERIES, as in the text
    awk -v series="$1" 'index($0, series " ") == 1 { print $NF }' "$work/page"
}

soon is_true 'up == 1'
soon is_true 'count_over_time(ghc_allocated_bytes_total[1m]) > 4'
soon is_true 'rate(ghc_allocated_bytes_total{program="monitored"}[5s]) > 1000'
soon is_true 'histogram_quantile(0.9, sum by (le) (rate(hectic_gc_pause_seconds_bucket[5s]))) > 0'
soon is_true 'sum(rate(hectic_cap_seconds_total{activity="running"}[5s])) > 0'
is_true 'sum(increase(hectic_gc_pause_seconds_count[5s])) > 0' || fail "no pauses"
is_true 'sum(hectic_threads) > 1' || fail "no threads"
is_true 'abs(time() - hectic_latest_event_timestamp_seconds) < 10' || fail "the log is old"
is_true 'abs(time() - ghc_allocated_bytes_created) < 120' || fail "no creation"
is_true 'hectic_program_info{rts=~"hectic.*"} == 1' || fail "no runtime"
is_true 'min(rate(hectic_events_total[5s])) > 10' || fail "no events"

# Each panel of the dashboard is a query that can be asked.
# shellcheck disable=SC2016
sed -e 's/\$__rate_interval/5s/g' -e 's/\$program/.*/g' docs/grafana/hectic.json |
    jq -r '.panels[].targets[].expr' >"$work/panels"
(($(wc -l <"$work/panels") > 9)) || fail "no panels"
while read -r panel; do
    query "$panel" >/dev/null
    [[ $(jq -r .status "$work/answer") == success ]] || fail "$panel: $(cat "$work/answer")"
    [[ $panel == *dropped* || $(jq '.data.result | length' "$work/answer") != 0 ]] ||
        fail "$panel: no answer"
done <"$work/panels"

# No alert of a program that is well; and all rules can be evaluated.
curl -s "http://127.0.0.1:$own/api/v1/rules" >"$work/answer"
[[ $(jq '[.data.groups[].rules[] | select(.health == "err")] | length' "$work/answer") == 0 ]] ||
    fail "rules: $(cat "$work/answer")"
[[ $(jq '[.data.groups[].rules[] | select(.state == "firing")] | length' "$work/answer") == 0 ]] ||
    fail "alerts: $(cat "$work/answer")"

# A program that stands still: what Prometheus has is what the text says, series for series.
kill -STOP "$program"
sleep 4
soon is_true 'up == 1'
curl -s -m 5 -H "Authorization: Bearer $(cat "$work/token")" \
    -H 'Accept: application/openmetrics-text; version=1.0.0' \
    "http://127.0.0.1:$port/metrics" >"$work/page"
grep -q '^ghc_allocated_bytes_total' "$work/page" || fail "no page: $(cat "$work/page")"
series=0
while read -r name; do
    [[ $name == hectic_program_info* || $name == hectic_build_info* ]] && continue
    text=$(said "$name")
    got=$(query "$name")
    awk -v a="$text" -v b="$got" 'BEGIN { exit !(b != "" && a + 0 == b + 0) }' ||
        fail "$name: the text says $text, Prometheus $got"
    series=$((series + 1))
done < <(grep -v '^#' "$work/page" | sed 's/ [^ ]*$//' | grep -v -e '_bucket{.*le="[125]' -e '_created{')
((series > 30)) || fail "only $series series"
kill -CONT "$program"

# It goes: so do its series, and another has counters of its own.
kill "$program"
wait "$program" || true
soon is_true 'hectic_programs == 0'
soon is_true 'absent(ghc_allocated_bytes_total)'
"$monitored" --seconds 30 --caps 1 "unix:$work/in" </dev/null >"$work/monitored.err" 2>&1 &
program=$!
soon is_true 'ghc_allocated_bytes_total > 0'
is_true 'ghc_capabilities == 1' || fail "not the other: $(cat "$work/answer")"
is_true 'count(count by (pid) (count_over_time(ghc_allocated_bytes_total[5m]))) == 2' ||
    fail "not two programs: $(cat "$work/answer")"

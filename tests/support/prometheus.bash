# A relay, and a Prometheus that scrapes it. Sourced by tests; all processes end with them.
. tests/support/lib.bash
. tests/support/live.bash
needs prometheus
needs promtool
needs curl
needs jq
monitored=$HECTIC_BUILD/monitored
started=()
ends_all() {
    kill -KILL "${started[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap ends_all EXIT

relays() { # OPTION…: a relay that programs come to at $work/in; its metrics are at $port
    echo a-token-of-enough-letters >"$work/token"
    launch_relay relay --from "listen:unix:$work/in" --metrics 127.0.0.1:0 --token-file "$work/token" "$@"
    started+=("$relay")
    port_of relay
}

carries() { # OPTION…: of `monitored`, which is $program then
    "$monitored" "$@" "unix:$work/in" </dev/null >"$work/monitored.err" 2>&1 &
    program=$!
    started+=("$program")
}

scrapes() { # OPTION…: a Prometheus, at $own
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
    own=$(free_port)
    prometheus --config.file "$work/prometheus.yml" --storage.tsdb.path "$work/data" \
        --web.listen-address "127.0.0.1:$own" --log.level error "$@" 2>"$work/prometheus.err" &
    started+=($!)
}

query() { # QUERY: the first value, or nothing
    curl -s -m 5 "http://127.0.0.1:$own/api/v1/query" --data-urlencode "query=$1" \
        >"$work/answer" || true
    jq -r '.data.result[0].value[1] // empty' "$work/answer" 2>/dev/null || true
}

is_true() { # QUERY of a comparison
    [[ $(query "$1") ]]
}

holds() { # QUERY of a comparison: it is so, or will be; a scrape may fail on a busy machine
    soon is_true "$1"
}

gets_page() { # the text of what there is, in $work/page
    curl -s -m 5 -H "Authorization: Bearer $(cat "$work/token")" \
        -H 'Accept: application/openmetrics-text; version=1.0.0' \
        "http://127.0.0.1:$port/metrics" >"$work/page"
    grep -q '^ghc_allocated_bytes_total' "$work/page" || {
        echo "no page" >"$work/differs.err"
        return 1
    }
}

is_answered() { # QUERY; nothing is dropped
    query "$1" >/dev/null
    [[ $(jq -r .status "$work/answer") == success ]] &&
        [[ $1 == *dropped* || $(jq '.data.result | length' "$work/answer") != 0 ]]
}

# Each panel of the dashboard is a query that has an answer; no alert is there of a program that is
# well, and all rules can be evaluated.
panels_and_rules_are_answered() {
    # shellcheck disable=SC2016
    sed -e 's/\$__rate_interval/5s/g' -e 's/\$program/.*/g' docs/grafana/hectic.json |
        jq -r '.panels[].targets[].expr' >"$work/panels"
    (($(wc -l <"$work/panels") > 9)) || fail "no panels"
    while read -r panel; do
        soon is_answered "$panel"
    done <"$work/panels"
    curl -s "http://127.0.0.1:$own/api/v1/rules" >"$work/rules"
    [[ $(jq '[.data.groups[].rules[] | select(.health == "err")] | length' "$work/rules") == 0 ]] ||
        fail "rules: $(cat "$work/rules")"
    [[ $(jq '[.data.groups[].rules[].alerts[] | select(.state == "firing" and
        .labels.program != "known")] | length' "$work/rules") == 0 ]] || # an old log is silent
        fail "alerts: $(cat "$work/rules")"
}

# When nothing changes any more, each series of the page that goes through COMMAND is what Prometheus
# has.
has_what_the_text_says() { # COMMAND…
    local line name text got
    series=0
    gets_page || return 1
    while read -r line; do
        name=${line% *} text=${line##* }
        got=$(query "$name")
        awk -v a="$text" -v b="$got" 'BEGIN { # but for the last bits of a double
            exit !(b != "" && (a - b) ^ 2 <= (1e-15 * a) ^ 2) }' || {
            echo "$name: the text says $text, Prometheus $got" >"$work/differs.err"
            return 1
        }
        series=$((series + 1))
    done < <(grep -v -e '^#' -e '_info{' "$work/page" | "$@")
    ((series > 30)) || fail "only $series series"
}

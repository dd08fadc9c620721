#!/usr/bin/env bash
# A real Prometheus scrapes a relay and answers queries; promtool accepts the metrics and the alerts.
# shellcheck disable=SC2119 # the functions may be given options
. tests/support/prometheus.bash

promtool check rules docs/prometheus/alerts.yml >"$work/rules" || fail "$(cat "$work/rules")"
promtool test rules tests/metrics/alerts.yml >"$work/rules" 2>&1 || fail "$(cat "$work/rules")"
for page in tests/metrics/*.classic; do
    promtool check metrics <"$page" >"$work/checked" 2>&1 || fail "$page: $(cat "$work/checked")"
    [[ ! -s $work/checked ]] || fail "$page: $(cat "$work/checked")"
done

relays
carries --seconds 3600 --caps 2
scrapes
holds 'up == 1'
holds 'count_over_time(ghc_allocated_bytes_total[1m]) > 4'
holds 'rate(ghc_allocated_bytes_total{program="monitored"}[5s]) > 1000'
holds 'histogram_quantile(0.9, sum by (le) (rate(hectic_gc_pause_seconds_bucket[5s]))) > 0'
holds 'sum(rate(hectic_cap_seconds_total{activity="running"}[5s])) > 0'
holds 'sum(increase(hectic_gc_pause_seconds_count[5s])) > 0'
holds 'absent(hectic_gc_pause_seconds)' # which would be native
holds 'sum(hectic_threads) > 1'
holds 'abs(time() - hectic_latest_event_timestamp_seconds) < 10'
holds 'abs(time() - ghc_allocated_bytes_created) < 1200'
holds 'hectic_program_info{rts=~"hectic.*"} == 1'
holds 'min(rate(hectic_events_total[5s])) > 10'
panels_and_rules_are_answered

# A stopped program.
kill -STOP "$program"
soon has_what_the_text_says grep -v -e '_bucket{.*le="[125]' -e '_created{'
kill -CONT "$program"

# When it ends, so do its series; another program has its own counters.
kill "$program"
wait "$program" || true
holds 'hectic_programs == 0'
holds 'absent(ghc_allocated_bytes_total)'
carries --seconds 3600 --caps 1
holds 'ghc_allocated_bytes_total > 0'
holds 'ghc_capabilities == 1'
holds 'count(count by (pid) (count_over_time(ghc_allocated_bytes_total[1h]))) == 2'

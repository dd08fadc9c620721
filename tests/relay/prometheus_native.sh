#!/usr/bin/env bash
# A real Prometheus gets native histograms of pauses: quantiles of a log with known pauses, and of a
# running program.
. tests/support/prometheus.bash

head -c -2 tests/logs/heap-generations.eventlog >"$work/known.eventlog" # without an end
"$HECTIC" gc --csv "$work/known.eventlog" | awk -F, '{ print $3, $7 }' | tail -n +2 |
    sort -n -k 2 >"$work/pauses" # generation, ns

relays --from "known=$work/known.eventlog"
carries --seconds 3600 --caps 2
scrapes --enable-feature=native-histograms
holds 'up == 1'

# --- Known pauses
count=$(wc -l <"$work/pauses")
((count > 100)) || fail "only $count pauses"
holds "histogram_count(sum(hectic_gc_pause_seconds{program=\"known\"})) == $count"
holds 'absent(hectic_gc_pause_seconds_bucket)'
for generation in 0 1 2 3; do
    of="hectic_gc_pause_seconds{program=\"known\",generation=\"$generation\"}"
    read -r count sum < <(awk -v g=$generation '$1 == g { n++; s += $2 } END { print n, s }' "$work/pauses")
    holds "histogram_count($of) == $count"
    holds "abs(histogram_sum($of) * 1e9 - $sum) < 1"
    for share in 0 0.1 0.5 0.9 0.99 1; do
        exact=$(awk -v g=$generation -v share=$share '
            $1 == g { pause[++n] = $2 }
            END { rank = int(share * n); rank += rank < share * n || rank == 0; print pause[rank] }' "$work/pauses")
        # The same bucket, which is 2^(1/8) wide.
        holds "abs(log2(histogram_quantile($share, $of) / $exact * 1e9)) <= 1 / 8"
    done
done

# --- A running program
mine='hectic_gc_pause_seconds{program="monitored"}'
holds "histogram_count(sum(rate(${mine}[5s]))) > 1"
holds "histogram_quantile(0.9, sum(rate(${mine}[5s]))) > 0"
holds "histogram_quantile(0.99, sum(rate(${mine}[5s]))) < 1"
holds "histogram_fraction(0, +Inf, sum(rate(${mine}[5s]))) > 0.999"
panels_and_rules_are_answered
alert=$(jq -r '.data.groups[].rules[] | select(.name == "HaskellPausesLong") | .query' "$work/rules")
holds "${alert% > 0.1} > 0"

kill -STOP "$program"
soon has_what_the_text_says grep -v -e '^hectic_gc_pause_seconds' \
    -e '^hectic_gc_time_to_safepoint_seconds' -e '_created{'
for part in count sum; do
    text=$(awk -v name="hectic_gc_pause_seconds_$part" \
        'index($0, name "{program=\"monitored\"") == 1 { sum += $NF } END { print sum }' "$work/page")
    holds "abs(histogram_$part(sum($mine)) / $text - 1) < 1e-5"
done
safepoints='hectic_gc_time_to_safepoint_seconds{program="monitored"}'
text=$(awk '/^hectic_gc_time_to_safepoint_seconds_count{program="monitored"/ {print $NF}' "$work/page")
((text > 0)) || fail "no times to safepoint: $(cat "$work/page")"
holds "histogram_count($safepoints) == $text"
kill -CONT "$program"

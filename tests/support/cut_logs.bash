# shellcheck shell=bash
# shellcheck disable=SC2154 # work: set by lib.bash
# make_cut_logs: $work/cut-*.eventlog, which count up to the time until which all caps are in them.
make_cut_logs() {
    local percent log
    generate_log --caps 3 --size 3M --seed 19 -o "$work/three"
    for percent in 30 50 70 90; do
        for log in "$work/three" tests/logs/{demo,spans}.eventlog; do
            head -c $(($(wc -c <"$log") * percent / 100)) "$log" \
                >"$work/cut-$percent-$(basename "$log" .eventlog).eventlog"
        done
    done
}

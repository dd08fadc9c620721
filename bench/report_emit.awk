# Makes the tables of bench/run-emit from its file: "CONTENDER NANOSECONDS", and
# "flood-DESTINATION-MIX-THREADS MILLIONS USED DROPPED BUFFERS GROWTH".

{
    if (!($1 in runs)) order[++contenders] = $1
    runs[$1]++
    for (field = 2; field <= NF; field++) value[field, $1, runs[$1]] = $field
}

function median(field, key, i, j, n, swap, sorted) {
    n = runs[key]
    for (i = 1; i <= n; i++) sorted[i] = value[field, key, i]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && sorted[j - 1] > sorted[j]; j--) {
            swap = sorted[j]
            sorted[j] = sorted[j - 1]
            sorted[j - 1] = swap
        }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function least(field, key, i, best) {
    best = value[field, key, 1]
    for (i = 2; i <= runs[key]; i++)
        if (value[field, key, i] < best) best = value[field, key, i]
    return best
}

function verdict(what, measured, sign, limit, unit) {
    printf "| %-52s | %6.2f%s | %s %s%s | %s |\n", what, measured, unit, sign, limit, unit, \
        (sign == ">=" ? measured >= limit : measured <= limit) ? "pass" : "MISS"
}

END {
    print "| contender | ns per event |"
    print "|---|--:|"
    for (i = 1; i <= contenders; i++)
        if (order[i] !~ /^flood/)
            printf "| %-15s | %7.2f |\n", order[i], \
                order[i] ~ /^together/ ? least(2, order[i]) : median(2, order[i])

    print ""
    print "| destination | events | threads | million/s | of processors | dropped | buffers | growth |"
    print "|---|---|--:|--:|--:|--:|--:|--:|"
    for (i = 1; i <= contenders; i++)
        if (split(order[i], part, "-") == 4) {
            key = order[i]
            printf "| %-5s | %-7s | %s | %6.1f | %5.1f ns | %5.1f %% | %5d KB | %3d KB |\n", part[2], \
                part[3], part[4], median(2, key), median(3, key), median(4, key), median(5, key), \
                median(6, key)
            if (median(6, key) > growth) growth = median(6, key)
        }

    event = median(2, "event-monotonic")
    print ""
    print "| target | measured | must be | |"
    print "|---|--:|---|---|"
    if ("lttng-event" in runs)
        verdict("an event / LTTng's tracepoint", event / median(2, "lttng-event"), "<=", 0.333, "x")
    verdict("an event but for the clock: less clock_gettime", event - median(2, "clock_gettime"), \
        "<=", 10, " ns")
    verdict("an event but for the clock: with one that counts", median(2, "event-caller"), "<=", \
        10, " ns")
    verdict("a disabled event", median(2, "event-disabled"), "<=", 1, " ns")
    verdict("two threads / one, events per second", \
        least(2, "together-1") / least(2, "together-2"), ">=", 1.9, "x")
    verdict("growth of resident memory while events flood", growth, "<=", 256, " KB")
}

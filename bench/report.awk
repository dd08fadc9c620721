# Makes the tables of bench/run from its files: "LOG BYTES EVENTS" and
# "LOG CONTENDER WALL USER SYSTEM PEAK".

FNR == NR {
    if (!($1 in bytes)) log_order[++logs] = $1
    bytes[$1] = $2
    events[$1] = $3
    next
}

{
    key = $1 " " $2
    if (!(key in runs)) key_order[++keys] = key
    wall[key, ++runs[key]] = $3
    used[key, runs[key]] = $4 + $5
    if ($6 > peak[key]) peak[key] = $6
}

# The median of values[1 … n].
function median(values, n, i, j, swap) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
            swap = values[j]
            values[j] = values[j - 1]
            values[j - 1] = swap
        }
    return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
}

function median_of(of, key, i, values) {
    for (i = 1; i <= runs[key]; i++) values[i] = of[key, i]
    return median(values, runs[key])
}

# The median of the ratios of runs that took turns; of others, the ratio of the medians.
function ratio_of(of, over, under, i, values) {
    if (runs[over] != runs[under]) return median_of(of, over) / median_of(of, under)
    for (i = 1; i <= runs[over]; i++) values[i] = of[over, i] / of[under, i]
    return median(values, runs[over])
}

# One target: a ratio against a limit.
function target(what, over, under, sign, limit) {
    if (!(over in runs) || !(under in runs)) return
    verdict(what, ratio_of(wall, over, under), sign, limit, "x", \
        sprintf("%.2fx", ratio_of(used, over, under)))
}

# Targets in seconds and in MB of memory.
function bound(what, key, seconds_max, memory_max) {
    if (!(key in runs)) return
    verdict(what, seconds[key], "<=", seconds_max, " s", sprintf("%.2f s", median_of(used, key)))
    verdict("peak of " what, peak[key] / 1024, "<=", memory_max, " MB", "")
}

function verdict(what, value, sign, limit, unit, processors) {
    printf "| %-48s | %8.2f%s | %s | %s %g%s | %s |\n", what, value, unit, processors, sign, limit, \
        unit, (sign == ">=" ? value >= limit : value <= limit) ? "pass" : "MISS"
}

END {
    print "| log | contender | seconds | of processors | million events/s | MB/s | peak MB |"
    print "|---|---|--:|--:|--:|--:|--:|"
    for (l = 1; l <= logs; l++)
        for (k = 1; k <= keys; k++) {
            split(key_order[k], part, " ")
            if (part[1] != log_order[l]) continue
            s = seconds[key_order[k]] = median_of(wall, key_order[k])
            printf "| %-11s | %-23s | %8.3f | %8.3f | %7.2f | %7.1f | %7.1f |\n", part[1], \
                part[2], s, median_of(used, key_order[k]), \
                events[part[1]] / s / 1e6, bytes[part[1]] / s / 1e6, peak[key_order[k]] / 1024
        }
    print ""
    print "| target | measured | of processors | must be | |"
    print "|---|--:|--:|---|---|"
    for (l = 1; l <= logs; l++) {
        name = log_order[l]
        ghc = name " ghc-events-"
        target("show, times faster than ghc-events, " name, ghc "show-to-file", \
            name " show-to-file", ">=", 40)
        target("inc, times faster than ghc-events, " name, ghc "inc-to-file", \
            name " inc-to-file", ">=", 20)
    }
    for (l = 1; l <= logs; l++) {
        name = log_order[l]
        scan = name " bare-scan"
        target("check on one core / bare scan, " name, name " check-one-core", scan, "<=", 1.3)
        target("counting on one core / bare scan, " name, name " count-one-core", scan, "<=", 1.3)
        target("check on all cores / bare scan, " name, name " check", scan, "<=", 1)
        target("counting on all cores / bare scan, " name, name " count", scan, "<=", 1)
    }
    target("validate threads, times faster than ghc-events", "40M-8 ghc-events-validate", \
        "40M-8 validate-threads", ">=", 60)
    target("profile threads, times faster than ghc-events", "40M-8 ghc-events-profile", \
        "40M-8 profile-threads", ">=", 100)
    for (l = 1; l <= logs; l++) {
        name = log_order[l]
        scan = name " bare-scan"
        target("stat on one core / bare scan, " name, name " stat-one-core", scan, "<=", 2)
        target("stat / bare scan, " name, name " stat", scan, "<=", 1.3)
        target("info / bare scan, " name, name " info", scan, "<=", 2.2)
        for (v = split("threads gc spans validate-all", verb, " "); v > 0; v--)
            target(verb[v] " / bare scan, " name, name " " verb[v], scan, "<=", 2)
        for (v = split("redact redact-structure redact-team", verb, " "); v > 0; v--) {
            key = name " " verb[v]
            target(verb[v] " / copy, " name, key, name " copy", "<=", 3)
            if (key in runs) verdict("peak of " verb[v] ", " name, peak[key] / 1024, "<=", 64, " MB", "")
        }
    }
    target("overview on all cores / bare scan, 1G-8", "1G-8 overview", "1G-8 bare-scan", "<=", 1.3)
    target("compare / info of both logs, 1G-8", "1G-8 compare", "1G-8 info-twice", "<=", 2.5)
    target("compare / info of both logs, real", "real compare", "real info-twice", "<=", 2.5)
    if ("1G-8 compare" in runs)
        verdict("peak of compare, 1G-8", peak["1G-8 compare"] / 1024, "<=", 64, " MB", "")
    target("stat of 1 % / stat of the whole, 4G-8", "4G-8 stat-1-percent", "4G-8 stat", "<=", 0.05)
    bound("overview, 10 GB", "10G-8 overview", 10, 256)
    for (v = split("heap prof", verb, " "); v > 0; v--)
        target(verb[v] " on one core / bare scan, few samples", "few-samples " verb[v] "-one-core", \
            "few-samples bare-scan", "<=", 2)
    bound("prof, 10 million samples", "stacks prof", 4, 64)
    bound("export to speedscope, 10 million samples", "stacks export-speedscope", 4, 64)
    bound("heap, 10,000 bands in 10,000 samples", "bands heap", 5, 128)
    split("show check count", verb, " ")
    for (v = 1; v <= 3; v++)
        for (l = 1; l <= logs; l++) {
            key = log_order[l] " " verb[v]
            if (key in runs) verdict("peak of " verb[v] ", " log_order[l], peak[key] / 1024, "<=", \
                32, " MB", "")
        }
    for (v = 1; v <= 3; v++) {
        target(verb[v] ", 400 MB / 40 MB", "400M-8 " verb[v], "40M-8 " verb[v], "<=", 10.5)
        target(verb[v] ", 4 GB / 400 MB", "4G-8 " verb[v], "400M-8 " verb[v], "<=", 10.5)
    }
}

/* What the output formats share. */
#include "metrics/metrics_output.h"

#include <string.h>

const char *const metrics_suffix[] = {
    [METRICS_COUNTER] = "_total",
    [METRICS_GAUGE] = "",
    [METRICS_HISTOGRAM] = "",
    [METRICS_INFO] = "_info",
};

const struct metrics_limit metrics_limits[METRICS_LIMITS] = {
    {"1e-05", 10000},    {"2.5e-05", 25000},  {"5e-05", 50000},      {"0.0001", 100000},
    {"0.00025", 250000}, {"0.0005", 500000},  {"0.001", 1000000},    {"0.0025", 2500000},
    {"0.005", 5000000},  {"0.01", 10000000},  {"0.025", 25000000},   {"0.05", 50000000},
    {"0.1", 100000000},  {"0.25", 250000000}, {"0.5", 500000000},    {"1.0", 1000000000},
    {"2.5", 2500000000}, {"5.0", 5000000000}, {"10.0", 10000000000},
};

bool metrics_is_time(const struct metrics_family *f)
{
    return f->unit && strcmp(f->unit, "seconds") == 0;
}

/* What Prometheus and its kin read: the numbers of programs. docs/metrics.md tells what each is.
 * Pure: bytes out of live_stats. */
#ifndef HECTIC_SRC_METRICS_H
#define HECTIC_SRC_METRICS_H

#include "relay/record.h"

#include <hectic/hectic.h>

/* Who likes several as much gets the last of them. */
enum metrics_format { METRICS_CLASSIC, METRICS_OPEN, METRICS_PROTOBUF };

struct metrics_program {
    const char *name;
    uint32_t pid;                        /* 0: not known */
    const hectic_live_stats *live_stats; /* NULL: no log has begun */
    uint64_t damaged;                    /* places in its log */
    hectic_stream_state stream;
    hectic_server_state server;
    const record_counts *record; /* NULL: it is not recorded */
};

/* What is understood by who asks: the value of HTTP's Accept, or NULL. */
enum metrics_format metrics_format_for(const char *accept);
const char *metrics_content_type(enum metrics_format format);

/* `recorded` counts for all records; NULL: nothing is recorded. To be freed; NULL: no memory. The
 * programs' names are distinct. A NUL that is not counted is
 * behind it. */
char *metrics_page(enum metrics_format format, const record_counts *recorded,
                   const struct metrics_program *program, size_t count, size_t *length);

#endif

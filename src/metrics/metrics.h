/* Metrics of programs for Prometheus and compatible tools; docs/metrics.md describes each. A pure
 * function of the live statistics. */
#ifndef HECTIC_SRC_METRICS_H
#define HECTIC_SRC_METRICS_H

#include "delivery/sender.h"
#include "recording/record.h"
#include "stat/live_stats.h"

#include <hectic/hectic.h>

/* Of formats that a client accepts equally, the last is chosen; METRICS_OTLP is for none. */
enum metrics_format { METRICS_CLASSIC, METRICS_OPEN, METRICS_PROTOBUF, METRICS_OTLP };

/* Bands of a heap profile that are series of their own, of a program. */
enum { METRICS_BANDS = 20 };

struct metrics_program {
    const char *name;
    uint32_t pid;                        /* 0: unknown */
    const hectic_live_stats *live_stats; /* NULL: no log yet */
    uint64_t damaged;                    /* damaged places in its log */
    hectic_stream_state stream;
    hectic_server_state server;
    const record_counts *record; /* NULL: no recording */
    bool is_log; /* a log that is read, which has no stream, no server and no readers */
};

/* The format for a client: by the HTTP header Accept, which may be NULL. */
enum metrics_format metrics_format_for(const char *accept);
const char *metrics_content_type(enum metrics_format format);

/* Of all programs, also of those that have ended. */
struct metrics_relay {
    const record_counts *recorded;        /* NULL: no recording */
    const struct delivery_counts *stored; /* NULL: no rows are stored */
    const struct delivery_counts *otlp;   /* NULL: no items of OTLP are sent */
};

/* The programs' names must be unique. `relay` NULL: there is none. Returns a page to be freed, with
 * a NUL behind it that is not counted; NULL: no memory. */
char *metrics_page(enum metrics_format format, const struct metrics_relay *relay,
                   const struct metrics_program *program, size_t count, size_t *length);

#endif

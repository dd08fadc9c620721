/* program.h — the spans, messages and metrics of a program as items of OTLP. */
#ifndef HECTIC_SRC_OTLP_PROGRAM_H
#define HECTIC_SRC_OTLP_PROGRAM_H

#include "metrics/metrics.h"
#include "otlp/batch.h"

typedef struct otlp_program otlp_program;

struct otlp_program_options {
    const struct otlp_target *target;
    uint64_t from, to;  /* ns: spans that end then, and messages */
    const uint8_t *log; /* the id of the log, 16 bytes; NULL: of its events, see identity.h */
    uint64_t process;   /* 0, or the number of the process among those of the log */
    const char *name;   /* of the service; NULL: as the environment or the log has it */
    const char *host;   /* where it runs; NULL: not known */
    /* ns since 1970 at time 0 of the log's clock; 0: unknown. */
    uint64_t clock_zero;     /* as the log says later; otherwise, as it has said so far */
    uint64_t clock_received; /* if it does not: by when its first event was received */
};

/* The options are copied, but not what they point to. NULL: out of memory. */
otlp_program *otlp_program_new(const struct otlp_program_options *options);
void otlp_program_free(otlp_program *program);

/* The next event, in order of time. The header must be valid until the end. False: out of memory,
 * or a request could not be delivered. */
bool otlp_program_event(otlp_program *program, const hectic_event *event);

/* The following return false as otlp_program_event does. */

/* Items are made from now on even if the log had too few events for its id, which is then another
 * one than that of the whole log. */
bool otlp_program_identify(otlp_program *program);

/* After all events: of spans, those that are known at the end only. */
bool otlp_program_end(otlp_program *program, uint64_t now);

/* Adds the metrics of a program, and those of durations of spans, until that time. */
bool otlp_program_metrics(otlp_program *program, const struct metrics_program *metrics,
                          uint64_t now);

/* Puts what waits. */
bool otlp_program_flush(otlp_program *program);

struct otlp_counts {
    uint64_t spans, records;
    bool lacks_clock; /* an item had no time of the day */
};
struct otlp_counts otlp_program_counts(const otlp_program *program);

#endif

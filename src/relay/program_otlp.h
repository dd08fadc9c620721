/* program_otlp.h — the spans, messages and metrics of a program, sent as items of OTLP while it
 * runs: with the same ids as an export of its recording. In the loop's thread. */
#ifndef HECTIC_SRC_PROGRAM_OTLP_H
#define HECTIC_SRC_PROGRAM_OTLP_H

#include "delivery/sender.h"
#include "metrics/metrics.h"

/* Where items go, of all programs. */
struct otlp_sending {
    delivery_sender *sender;
    const char *host;    /* where the programs run; NULL: not known */
    uint64_t metrics_ms; /* between metrics of a program */
};

typedef struct program_otlp program_otlp;

/* `service`: the name that the user has given; NULL: as the log has it. It must stay. NULL: out of
 * memory. */
program_otlp *program_otlp_new(const struct otlp_sending *sending, const char *service);
void program_otlp_free(program_otlp *otlp);

/* The next event of the log, in order of time. False: out of memory, from now on. */
bool program_otlp_event(program_otlp *otlp, const hectic_event *event);

/* After all events. */
void program_otlp_end(program_otlp *otlp, const struct metrics_program *metrics);

/* Is it time to send metrics? Then call program_otlp_metrics. */
bool program_otlp_wants_metrics(const program_otlp *otlp);
void program_otlp_metrics(program_otlp *otlp, const struct metrics_program *metrics);

/* Sends what has waited long enough. */
void program_otlp_tick(program_otlp *otlp);

#endif

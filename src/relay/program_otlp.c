/* program_otlp.c — see program_otlp.h. */
#include "relay/program_otlp.h"

#include "os/clock.h"
#include "otlp/program.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FLUSH_MS = 1000, IDENTIFY_MS = 5000 };

struct program_otlp {
    const struct otlp_sending *sending;
    const char *service;
    struct otlp_target target;
    otlp_program *program; /* NULL: there was no event */
    bool has_failed;
    uint64_t latest;                     /* ns: time of the latest event */
    uint64_t began, flushed, metrics_at; /* ms */
};

/* What cannot be kept is counted by the sender. */
static bool put(void *self, enum otlp_signal signal, const struct buffer *request, size_t items)
{
    const struct program_otlp *otlp = self;
    struct buffer block = {0};
    buffer_add(&block, otlp_paths[signal], strlen(otlp_paths[signal]) + 1);
    buffer_add(&block, request->bytes, request->size);
    delivery_sender_put(otlp->sending->sender, &block, items);
    buffer_free(&block);
    return true;
}

program_otlp *program_otlp_new(const struct otlp_sending *sending, const char *service)
{
    program_otlp *otlp = calloc(1, sizeof *otlp);
    if (!otlp) return NULL;
    otlp->sending = sending;
    otlp->service = service;
    otlp->target = (struct otlp_target){put, otlp};
    otlp->began = otlp->flushed = otlp->metrics_at = clock_ms();
    return otlp;
}

void program_otlp_free(program_otlp *otlp)
{
    if (!otlp) return;
    otlp_program_free(otlp->program);
    free(otlp);
}

/* The time since the Unix epoch at time 0 of the log's clock, if this event was logged just now. */
static uint64_t zero_by(const hectic_event *event)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - event->time;
}

bool program_otlp_event(program_otlp *otlp, const hectic_event *event)
{
    if (otlp->has_failed) return false;
    if (!otlp->program)
        otlp->program =
            otlp_program_new(&(struct otlp_program_options){.target = &otlp->target,
                                                            .to = UINT64_MAX,
                                                            .name = otlp->service,
                                                            .host = otlp->sending->host,
                                                            .clock_received = zero_by(event)});
    if (event->time > otlp->latest) otlp->latest = event->time;
    otlp->has_failed = !otlp->program || !otlp_program_event(otlp->program, event);
    return !otlp->has_failed;
}

bool program_otlp_wants_metrics(const program_otlp *otlp)
{
    return otlp->program && clock_ms() - otlp->metrics_at >= otlp->sending->metrics_ms;
}

void program_otlp_metrics(program_otlp *otlp, const struct metrics_program *metrics)
{
    otlp->metrics_at = clock_ms();
    if (!otlp->has_failed && otlp->program && metrics->live_stats)
        otlp->has_failed = !otlp_program_metrics(otlp->program, metrics, otlp->latest);
}

static void flush(program_otlp *otlp)
{
    otlp->flushed = clock_ms();
    if (!otlp->has_failed && otlp->program) otlp->has_failed = !otlp_program_flush(otlp->program);
}

void program_otlp_tick(program_otlp *otlp)
{
    if (!otlp->has_failed && otlp->program && clock_ms() - otlp->began >= IDENTIFY_MS)
        otlp->has_failed = !otlp_program_identify(otlp->program);
    if (clock_ms() - otlp->flushed >= FLUSH_MS) flush(otlp);
}

void program_otlp_end(program_otlp *otlp, const struct metrics_program *metrics)
{
    if (!otlp->has_failed && otlp->program)
        otlp->has_failed = !otlp_program_end(otlp->program, otlp->latest);
    program_otlp_metrics(otlp, metrics);
    flush(otlp);
}

/* time_pass.c — see time_pass.h. */
#include "read/time_pass.h"

enum { STEP = 1 << 16 }; /* events between calls of `progress` */

struct pass {
    hectic_log *log;
    const struct time_consumer *consumer;
    void *self;
    uint64_t events;    /* so far */
    hectic_result last; /* of hectic_log_next_events */
};

static pass_next take(struct pass *p, const hectic_event *event, size_t count)
{
    const double all = (double)hectic_log_survey(p->log)->events + 1;
    const uint64_t steps = p->events / STEP;
    p->events += count;
    if (p->consumer->progress && p->events / STEP > steps)
        p->consumer->progress(p->self, (double)p->events / all);
    return p->consumer->events(p->self, event, count);
}

/* The rest of the last section is not read if it is skipped. */
static bool read_section(struct pass *p, const struct log_section *section, bool is_last)
{
    const struct time_consumer *consumer = p->consumer;
    const pass_next begin = consumer->begin ? consumer->begin(p->self, section) : PASS_ON;
    pass_next next = begin;
    const hectic_event *event;
    size_t count;
    while (next == PASS_ON || (next == PASS_SKIP && !is_last)) {
        p->last = hectic_log_next_events(p->log, &event, &count);
        if (p->last != HECTIC_GOT_EVENT) break;
        if (next == PASS_ON) next = take(p, event, count);
    }
    if (next == PASS_SKIP && is_last)
        p->last = section->found->complete ? HECTIC_COMPLETE : HECTIC_PARTIAL;
    if (next == PASS_STOP) return false;
    return begin == PASS_SKIP || !consumer->end || consumer->end(p->self, section);
}

hectic_result time_pass(hectic_log *log, const struct time_consumer *consumer, void *self)
{
    struct pass p = {.log = log, .consumer = consumer, .self = self};
    const hectic_survey *survey = hectic_log_survey(log);
    const hectic_event *none;
    size_t count;
    hectic_log_rewind(log);
    p.last = hectic_log_next_events(log, &none, &count);
    for (size_t i = 0; p.last == HECTIC_HEADER; i++) {
        const struct log_section section = {hectic_log_header(log), &survey->section[i], i + 1};
        if (!read_section(&p, &section, i + 1 == survey->sections)) return HECTIC_GOT_EVENT;
    }
    return p.last;
}

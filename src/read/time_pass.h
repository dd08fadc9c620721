/* time_pass.h — one pass over a log, in order of time. What reads a log in that order is a consumer
 * of it; read/decode/pass.h is the pass in the order of the file. Only what reads several logs in
 * step (transform/cut.c, merge.c) takes events one by one, by hectic_log_next. */
#ifndef HECTIC_SRC_TIME_PASS_H
#define HECTIC_SRC_TIME_PASS_H

#include <hectic/log.h>

struct log_section {
    const hectic_header *header;
    const hectic_section *found; /* by the survey */
    size_t number;               /* counted from 1 */
};

typedef enum pass_next {
    PASS_ON,
    PASS_SKIP, /* the rest of the section */
    PASS_STOP,
} pass_next;

struct time_consumer {
    /* PASS_SKIP: as if the section did not exist. May be NULL, as the last two may. */
    pass_next (*begin)(void *self, const struct log_section *section);
    /* The next events of the section, at least one, in order. */
    pass_next (*events)(void *self, const hectic_event *event, size_t count);
    /* The section has ended, or its rest is skipped. False: stop. */
    bool (*end)(void *self, const struct log_section *section);
    void (*progress)(void *self, double done); /* the part from 0 to 1 that is read */
};

/* Reads the log from its beginning. Returns the last result of hectic_log_next; HECTIC_GOT_EVENT:
 * the consumer has stopped. */
hectic_result time_pass(hectic_log *log, const struct time_consumer *consumer, void *self);

/* How many of the events, which are in order, are not after that time. */
static inline size_t events_until(const hectic_event *event, size_t count, uint64_t time)
{
    size_t n = 0;
    if (count == 0 || event[count - 1].time <= time) return count;
    while (event[n].time <= time)
        n++;
    return n;
}

#endif

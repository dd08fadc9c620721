/* Makes identifiers unique across several logs. */
#ifndef HECTIC_SRC_RENUMBER_H
#define HECTIC_SRC_RENUMBER_H

#include <hectic/decoder.h>

enum { RENUMBER_UNITS = HECTIC_UNITS };

/* The numbers of one unit that a log uses. */
typedef struct range {
    bool any;
    uint64_t least, most;
} range;

/* The identifiers of a log, and their shift. */
typedef struct numbering {
    range used[RENUMBER_UNITS];
    uint64_t shift[RENUMBER_UNITS];
    uint64_t time_shift;      /* ns */
    bool shifted_stop_status; /* its stop statuses are converted to the usual ones */
    bool has_machine;
    uint16_t machine; /* the Eden machine of the log */
} numbering;

/* Records the identifiers in an event's payload, and its cap. */
void numbering_note(numbering *n, const hectic_event *event);

/* Adds the identifiers of `more`. */
void numbering_merge(numbering *n, const numbering *more);

/* Sets the shifts, so that no two logs share an identifier. A log's numbers stay if they do not
 * overlap those of earlier logs; otherwise they follow the greatest of these. False: the numbers of
 * *unit do not fit, in log *log. */
bool numbering_plan(numbering *logs, size_t count, size_t *log, hectic_unit *unit);

/* A time of the log, shifted. */
uint64_t numbering_time(const numbering *n, uint64_t time);

/* Renumbers an event of logs[log]: `payload` is a copy of its payload, which this changes. Sets
 * event->cap and event->time, too. */
void numbering_apply(const numbering *logs, size_t count, size_t log, hectic_event *event,
                     uint8_t *payload);

#endif

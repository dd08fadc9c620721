/* Numbers that name things, made different in each of several logs. */
#ifndef HECTIC_SRC_RENUMBER_H
#define HECTIC_SRC_RENUMBER_H

#include <hectic/decoder.h>

enum { RENUMBER_UNITS = HECTIC_UNIT_MESSAGE_TAG + 1 };

/* The numbers of one unit that a log uses. */
typedef struct range {
    bool any;
    uint64_t least, most;
} range;

/* What a log names, and how far that is moved. */
typedef struct numbering {
    range used[RENUMBER_UNITS];
    uint64_t shift[RENUMBER_UNITS];
    uint64_t time_shift;      /* ns */
    bool shifted_stop_status; /* its stop statuses become the usual ones */
    bool has_machine;
    uint16_t machine; /* of Eden, whose log it is */
} numbering;

/* Notes what an event names, in its payload and by its cap. */
void numbering_note(numbering *n, const hectic_event *event);

/* Notes what `more` has noted. */
void numbering_merge(numbering *n, const numbering *more);

/* Sets the shifts, so that no two logs name different things by one number. A log's numbers stay as
 * they are where they are apart from those of all logs before it; or else they follow the greatest
 * of those. False: *unit's do not fit, in log *log. */
bool numbering_plan(numbering *logs, size_t count, size_t *log, hectic_unit *unit);

/* A time of the log's, moved. */
uint64_t numbering_time(const numbering *n, uint64_t time);

/* Renumbers an event of logs[log]: `payload` is a copy of its payload, and gets the new numbers.
 * Sets event->cap and event->time, too. */
void numbering_apply(const numbering *logs, size_t count, size_t log, hectic_event *event,
                     uint8_t *payload);

#endif

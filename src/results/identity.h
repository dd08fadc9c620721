/* identity.h — which log it is, wherever a copy of it lies, and however much of it is there. */
#ifndef HECTIC_SRC_IDENTITY_H
#define HECTIC_SRC_IDENTITY_H

#include <hectic/log.h>

/* Of the first section. */
struct log_identity {
    uint8_t id[16];  /* of the first 16 events of cap 0, which logs of any length have, with their
                        times in ns; of gap messages before them, which parts of a recording begin
                        with; and of the processes of a merged log */
    uint32_t day;    /* when its clock was 0: days since 1970, UTC; 0: the log has no time of day */
    uint64_t events; /* of the log, with block markers */
};

/* The id of a log of one process, from its events one by one, in order of time. All zero: before
 * the first. */
struct log_identifier {
    unsigned __int128 of_cap, of_all; /* hashes: of cap 0; of all, for logs that have none of it */
    unsigned count_of_cap, count_of_all;
    bool has_begun;
};

/* Takes the next event. False: the id is complete, and no more are needed. */
bool log_identifier_take(struct log_identifier *identifier, const hectic_event *event);

/* The id if there are no more events. */
void log_identifier_get(const struct log_identifier *identifier, uint8_t id[16]);

/* The day on which a clock was 0 that began so many seconds after 1970. */
uint32_t log_day(uint64_t seconds);

/* False: the log cannot be read (hectic_log_error), or out of memory. */
bool log_identify(hectic_log *log, struct log_identity *identity);

#endif

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

/* False: the log cannot be read (hectic_log_error), or out of memory. */
bool log_identify(hectic_log *log, struct log_identity *identity);

#endif

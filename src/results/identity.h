/* identity.h — which log it is, wherever a copy of it lies. */
#ifndef HECTIC_SRC_IDENTITY_H
#define HECTIC_SRC_IDENTITY_H

#include <hectic/log.h>

/* Of the first section. */
struct log_identity {
    uint8_t id[16];  /* of its header, its process's id and the time at which its clock was 0;
                        without  these, of its header and its first events */
    uint32_t day;    /* when its clock was 0: days since 1970, UTC; 0: the log has no time of day */
    uint64_t events; /* of the log, with block markers */
};

/* False: the log cannot be read (hectic_log_error), or out of memory. */
bool log_identify(hectic_log *log, struct log_identity *identity);

#endif

/* Connections that have not shown yet what they are, by the address of their peer. Their number is
 * bounded; when one more comes, the address that has most of them loses its oldest: who connects
 * again and again keeps out only themselves. */
#ifndef HECTIC_SRC_CROWD_H
#define HECTIC_SRC_CROWD_H

#include "live/list.h"
#include "living/map.h"

/* In what is of the crowd. */
typedef struct crowd_member {
    list_link link;
    struct crowd_address *address; /* NULL: it is of no crowd */
} crowd_member;

typedef struct crowd {
    unsigned count, most;
    map addresses;
    list_link *having; /* by how many members they have: addresses */
    unsigned largest;  /* the most that an address has */
} crowd;

bool crowd_begin(crowd *c, unsigned most); /* false: no memory */
void crowd_end(crowd *c);                  /* which is empty */

/* An address as a key: of IPv6 its network (64 bits), of a Unix socket the process. */
map_key crowd_address_of(int fd);

/* False: there are as many as may be, or no memory. The member stays where it is. */
bool crowd_add(crowd *c, crowd_member *m, map_key address);
void crowd_remove(crowd *c, crowd_member *m); /* nothing where it is of no crowd */

/* Who makes room for others: of the address that has most, the oldest. NULL: there is nobody. */
crowd_member *crowd_first_to_go(const crowd *c);

static inline bool crowd_is_full(const crowd *c)
{
    return c->count >= c->most;
}

#endif

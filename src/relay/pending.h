/* Connections that have not shown yet what they are, by the address of their peer. Their number is
 * bounded; when one more comes, the address that has most of them loses its oldest: who connects
 * again and again keeps out only themselves. */
#ifndef HECTIC_SRC_PENDING_H
#define HECTIC_SRC_PENDING_H

#include "relay/list.h"
#include "state/map.h"

/* In what is of the crowd. */
typedef struct pending_member {
    list_link link;
    struct pending_address *address; /* NULL: it is of no crowd */
} pending_member;

typedef struct pending_set {
    unsigned count, most;
    map addresses;
    list_link *having; /* by how many members they have: addresses */
    unsigned largest;  /* the most that an address has */
} pending_set;

bool pending_begin(pending_set *c, unsigned most); /* false: no memory */
void pending_end(pending_set *c);                  /* which is empty */

/* An address as a key: of IPv6 its network (64 bits), of a Unix socket the process. */
map_key pending_address_of(int fd);

/* False: there are as many as may be, or no memory. The member stays where it is. */
bool pending_add(pending_set *c, pending_member *m, map_key address);
void pending_remove(pending_set *c, pending_member *m); /* nothing where it is of no crowd */

/* Who makes room for others: of the address that has most, the oldest. NULL: there is nobody. */
pending_member *pending_next_eviction(const pending_set *c);

static inline bool pending_is_full(const pending_set *c)
{
    return c->count >= c->most;
}

#endif

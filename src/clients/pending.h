/* Pending connections: untrusted peers that have not authenticated or sent a header yet, grouped by
 * peer address. Their number is bounded. When it is reached, the address with most connections
 * loses its oldest one, so a peer that floods evicts only itself. */
#ifndef HECTIC_SRC_PENDING_H
#define HECTIC_SRC_PENDING_H

#include "base/map.h"
#include "clients/list.h"

/* Embedded in a connection. */
typedef struct pending_member {
    list_link link;
    struct pending_address *address; /* NULL: in no set */
} pending_member;

typedef struct pending_set {
    unsigned count, most;
    map addresses;
    list_link *by_count; /* addresses by their number of members */
    unsigned largest;    /* the most members that an address has */
} pending_set;

bool pending_begin(pending_set *s, unsigned most); /* false: no memory */
void pending_end(pending_set *s);                  /* of an empty set */

/* A peer address as a key: of IPv6 the network (64 bits), of a Unix socket the process. */
map_key pending_address_of(int fd);

/* False: the set is full, or no memory. The set does not own the member. */
bool pending_add(pending_set *s, pending_member *m, map_key address);
void pending_remove(pending_set *s, pending_member *m); /* no effect if it is in no set */

/* The oldest member of the address with most members. NULL: the set is empty. */
pending_member *pending_next_eviction(const pending_set *s);

static inline bool pending_is_full(const pending_set *s)
{
    return s->count >= s->most;
}

#endif

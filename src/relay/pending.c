#define _GNU_SOURCE /* struct ucred */
#include "relay/pending.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct pending_address {
    list_link link;    /* among those that have as many members */
    list_link members; /* the newest first */
    map_key key;
    unsigned count;
} pending_address;

typedef struct entry {
    map_key key;
    pending_address *address;
} entry;

bool pending_begin(pending_set *c, unsigned most)
{
    *c = (pending_set){.most = most, .addresses = {.entry_size = sizeof(entry), .unsorted = true}};
    c->having = malloc((most + (size_t)1) * sizeof *c->having);
    for (unsigned i = 0; c->having && i <= most; i++)
        list_init(&c->having[i]);
    return c->having != NULL;
}

void pending_end(pending_set *c)
{
    map_clear(&c->addresses);
    free(c->having);
    *c = (pending_set){0};
}

map_key pending_address_of(int fd)
{
    enum { IPV4 = 1, IPV6, UNIX };
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    struct ucred peer = {0};
    socklen_t length = sizeof address, size = sizeof peer;
    getpeername(fd, &address.any, &length);
    map_key key = {UNIX, 0};
    if (address.any.sa_family == AF_INET) {
        key = (map_key){IPV4, address.v4.sin_addr.s_addr};
    } else if (address.any.sa_family == AF_INET6) {
        key.a = IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr) ? IPV4 : IPV6;
        const uint8_t *bytes = address.v6.sin6_addr.s6_addr;
        if (key.a == IPV4)
            memcpy(&key.b, bytes + 12, 4);
        else
            memcpy(&key.b, bytes, 8);
    } else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) {
        key.b = (uint64_t)peer.pid;
    }
    return key;
}

/* Its number of members has become another. */
static void place(pending_set *c, pending_address *a)
{
    list_remove(&a->link);
    list_add(&c->having[a->count], &a->link);
    if (a->count > c->largest) c->largest = a->count;
    while (c->largest > 0 && !list_next(&c->having[c->largest], &c->having[c->largest]))
        c->largest--;
}

static pending_address *address_at(pending_set *c, map_key key)
{
    entry *e = map_find(&c->addresses, key);
    if (e) return e->address;
    pending_address *a = calloc(1, sizeof *a);
    if (a) e = map_add(&c->addresses, key);
    if (!e) {
        free(a);
        return NULL;
    }
    e->address = a;
    a->key = key;
    list_init(&a->link);
    list_init(&a->members);
    return a;
}

bool pending_add(pending_set *c, pending_member *m, map_key key)
{
    pending_address *a = pending_is_full(c) ? NULL : address_at(c, key);
    if (!a) return false;
    m->address = a;
    list_add(&a->members, &m->link);
    c->count++;
    a->count++;
    place(c, a);
    return true;
}

void pending_remove(pending_set *c, pending_member *m)
{
    pending_address *a = m->address;
    if (!a) return;
    m->address = NULL;
    list_remove(&m->link);
    c->count--;
    a->count--;
    place(c, a);
    if (a->count > 0) return;
    list_remove(&a->link);
    map_remove(&c->addresses, map_find(&c->addresses, a->key));
    map_shrink(&c->addresses);
    free(a);
}

pending_member *pending_next_eviction(const pending_set *c)
{
    if (c->count == 0) return NULL;
    const list_link *first = list_next(&c->having[c->largest], &c->having[c->largest]);
    const pending_address *a = LIST_MEMBER(first, const pending_address, link);
    return LIST_MEMBER(list_previous(&a->members, &a->members), pending_member, link);
}

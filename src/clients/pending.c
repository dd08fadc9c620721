#define _GNU_SOURCE /* struct ucred */
#include "clients/pending.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct pending_address {
    list_link link;    /* among addresses with the same count */
    list_link members; /* newest first */
    map_key key;
    unsigned count;
} pending_address;

typedef struct entry {
    map_key key;
    pending_address *address;
} entry;

bool pending_begin(pending_set *s, unsigned most)
{
    *s = (pending_set){.most = most, .addresses = {.entry_size = sizeof(entry), .unsorted = true}};
    s->by_count = malloc((most + (size_t)1) * sizeof *s->by_count);
    for (unsigned i = 0; s->by_count && i <= most; i++)
        list_init(&s->by_count[i]);
    return s->by_count != NULL;
}

void pending_end(pending_set *s)
{
    map_clear(&s->addresses);
    free(s->by_count);
    *s = (pending_set){0};
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

/* Its number of members has changed. */
static void update_rank(pending_set *s, pending_address *a)
{
    list_remove(&a->link);
    list_add(&s->by_count[a->count], &a->link);
    if (a->count > s->largest) s->largest = a->count;
    while (s->largest > 0 && !list_next(&s->by_count[s->largest], &s->by_count[s->largest]))
        s->largest--;
}

static pending_address *address_at(pending_set *s, map_key key)
{
    entry *e = map_find(&s->addresses, key);
    if (e) return e->address;
    pending_address *a = calloc(1, sizeof *a);
    if (a) e = map_add(&s->addresses, key);
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

bool pending_add(pending_set *s, pending_member *m, map_key key)
{
    pending_address *a = pending_is_full(s) ? NULL : address_at(s, key);
    if (!a) return false;
    m->address = a;
    list_add(&a->members, &m->link);
    s->count++;
    a->count++;
    update_rank(s, a);
    return true;
}

void pending_remove(pending_set *s, pending_member *m)
{
    pending_address *a = m->address;
    if (!a) return;
    m->address = NULL;
    list_remove(&m->link);
    s->count--;
    a->count--;
    update_rank(s, a);
    if (a->count > 0) return;
    list_remove(&a->link);
    map_remove(&s->addresses, map_find(&s->addresses, a->key));
    map_shrink(&s->addresses);
    free(a);
}

pending_member *pending_next_eviction(const pending_set *s)
{
    if (s->count == 0) return NULL;
    const list_link *first = list_next(&s->by_count[s->largest], &s->by_count[s->largest]);
    const pending_address *a = LIST_MEMBER(first, const pending_address, link);
    return LIST_MEMBER(list_previous(&a->members, &a->members), pending_member, link);
}

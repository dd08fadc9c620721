/* Which client is evicted if there are too many: the oldest of the address with most clients. */
#include "clients/pending.h"

#include "bytes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { MOST = 20, ADDRESSES = 6, STEPS = 100000 };

typedef struct guest {
    pending_member member;
    unsigned address;
    uint64_t since; /* 0: not a member */
} guest;

static unsigned count_of(const guest *all, unsigned address)
{
    unsigned count = 0;
    for (unsigned i = 0; i < MOST; i++)
        count += all[i].since > 0 && all[i].address == address;
    return count;
}

static void the_oldest_of_the_most_frequent_address_is_evicted(void **state)
{
    (void)state;
    guest all[MOST] = {0}, more = {0};
    uint64_t random = 1, now = 0;
    pending_set c;
    assert_true(pending_begin(&c, MOST));
    for (unsigned step = 0; step < STEPS; step++) {
        guest *g = &all[random_below(&random, MOST)];
        if (g->since > 0 && random_below(&random, 4) == 0) {
            pending_remove(&c, &g->member);
            pending_remove(&c, &g->member); /* no effect */
            g->since = 0;
        } else if (g->since == 0) {
            g->address = (unsigned)random_below(&random, ADDRESSES);
            g->since = ++now;
            assert_true(pending_add(&c, &g->member, (map_key){1, g->address}));
        }
        unsigned count = 0, largest = 0;
        for (unsigned i = 0; i < MOST; i++) {
            count += all[i].since > 0;
            if (count_of(all, all[i].address) > largest) largest = count_of(all, all[i].address);
        }
        assert_int_equal(c.count, count);
        const guest *first = LIST_MEMBER(pending_next_eviction(&c), guest, member);
        assert_int_equal(first == NULL, count == 0);
        if (!first) continue;
        assert_int_equal(count_of(all, first->address), largest);
        for (unsigned i = 0; i < MOST; i++)
            assert_true(all[i].since == 0 || all[i].address != first->address ||
                        all[i].since >= first->since);
        if (!pending_is_full(&c)) continue;
        assert_false(pending_add(&c, &more.member, (map_key){1, 1}));
        g = &all[first - all];
        pending_remove(&c, &g->member);
        g->since = 0;
    }
    for (unsigned i = 0; i < MOST; i++)
        pending_remove(&c, &all[i].member);
    assert_int_equal(c.count + c.largest + c.addresses.count, 0);
    pending_end(&c);
}

/* The peer's address of a loopback connection, seen by the server. */
static map_key address_from(int family, const char *from)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } here = {.any.sa_family = (sa_family_t)family}, bound = here;
    socklen_t size = family == AF_INET ? sizeof here.v4 : sizeof here.v6;
    inet_pton(family, family == AF_INET ? "127.0.0.1" : "::1",
              family == AF_INET ? (void *)&here.v4.sin_addr : (void *)&here.v6.sin6_addr);
    inet_pton(family, from,
              family == AF_INET ? (void *)&bound.v4.sin_addr : (void *)&bound.v6.sin6_addr);
    const int listening = socket(family, SOCK_STREAM, 0), fd = socket(family, SOCK_STREAM, 0);
    map_key key = {0, 0};
    if (bind(listening, &here.any, size) == 0 && listen(listening, 1) == 0 &&
        getsockname(listening, &here.any, &size) == 0 && bind(fd, &bound.any, size) == 0 &&
        connect(fd, &here.any, size) == 0) {
        const int accepted = accept(listening, NULL, NULL);
        key = pending_address_of(accepted);
        close(accepted);
    }
    close(fd);
    close(listening);
    return key;
}

static bool is_same(map_key x, map_key y)
{
    return x.a == y.a && x.b == y.b;
}

static void addresses_are_distinguished(void **state)
{
    (void)state;
    int pair[2];
    const map_key one = address_from(AF_INET, "127.0.0.1"),
                  two = address_from(AF_INET, "127.0.0.2");
    assert_true(one.a > 0 && is_same(one, address_from(AF_INET, "127.0.0.1")));
    assert_false(is_same(one, two));
    const map_key six = address_from(AF_INET6, "::1"); /* zeros without IPv6 */
    assert_false(is_same(one, six));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const map_key own = pending_address_of(pair[0]);
    assert_int_equal(own.b, getpid());
    assert_false(is_same(own, one));
    close(pair[0]);
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_of_the_most_frequent_address_is_evicted),
        cmocka_unit_test(addresses_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

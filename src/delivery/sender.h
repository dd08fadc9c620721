/* sender.h — sends blocks of items, such as rows, to a server, by threads of its own, in their
 * order.
 *
 * Blocks wait in memory while the server answers; if it does not, or is too slow, the oldest ones
 * are moved to a spool on disk, until that is full. Then new blocks are dropped and counted, as is
 * one that the server refuses. A block may be sent twice, if the answer to the first request did
 * not arrive. */
#ifndef HECTIC_SRC_DELIVERY_SENDER_H
#define HECTIC_SRC_DELIVERY_SENDER_H

#include "delivery/spool.h"

typedef struct delivery_sender delivery_sender;

/* What became of a block. */
struct delivery {
    bool is_refused; /* it failed, and will again */
    uint64_t wait;   /* ms: for so long, the server wants no other request; 0: not given */
    uint64_t lost;   /* items that the server has not taken, though it took the rest: see error */
};

/* A kind of server. */
struct delivery_target {
    const char *items;     /* in messages: "rows" */
    unsigned refusals_max; /* a block that is refused so often, one after the other, is lost */
    /* `is_cancelled`: true ends a request. NULL: out of memory. */
    void *(*open)(const void *settings, bool (*is_cancelled)(void *user), void *user);
    void (*close)(void *server);
    /* Before the first block, and again after a failure. */
    bool (*prepare)(void *server, const void *settings);
    /* `what`: a statement, or the path of a request. */
    bool (*send)(void *server, const char *what, const struct buffer *body,
                 struct delivery *delivery);
    const char *(*error)(const void *server);
};

struct delivery_options {
    const struct delivery_target *target;
    const void *settings;                       /* of the target */
    const char *url;                            /* in messages */
    const char *spool;                          /* the folder */
    uint64_t spool_max;                         /* bytes */
    void (*note)(void *user, const char *text); /* diagnostics, by any thread */
    void *user_data;
};

struct delivery_counts {
    uint64_t sent; /* items */
    uint64_t lost, lost_blocks;
    uint64_t waiting;       /* items in memory and in the spool */
    uint64_t spooled_bytes; /* in the spool */
    uint64_t failing;       /* servers that take nothing now */
};

/* Call it before there are threads. The options are copied, but not what they point to. NULL: the
 * message says why. */
delivery_sender *delivery_sender_new(const struct delivery_options *options, char *message,
                                     size_t size);

/* Takes a block: the `what` of delivery_target.send with its NUL, then the body; *bytes becomes an
 * empty buffer.
 * False: they are lost, and counted. */
bool delivery_sender_put(delivery_sender *sender, struct buffer *bytes, uint64_t items);

/* Counts items that are lost for another reason. */
void delivery_sender_lose(delivery_sender *sender, uint64_t items);

/* Adds its counts. */
void delivery_sender_count(delivery_sender *sender, struct delivery_counts *counts);

/* Sends the rest for that time at most, and leaves what remains in the spool. Returns how many
 * items were lost since its beginning. */
uint64_t delivery_sender_end(delivery_sender *sender, uint64_t ms);

#endif

/* Commands to a program, one after the other, over the connection that its log comes by; and what
 * it answers, which is found in the log. One thread gives them, and waits for the answers; another,
 * the loop's, sends and hears. */
#ifndef HECTIC_SRC_ORDERS_H
#define HECTIC_SRC_ORDERS_H

#include <hectic/hectic.h>

#include <pthread.h>

typedef struct orders {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { ORDER_NONE, ORDER_GIVEN, ORDER_SENT, ORDER_REFUSED, ORDER_ANSWERED } state;
    uint8_t message[HECTIC_CONTROL_MESSAGE_MOST];
    size_t size;
    bool closed;                                     /* nothing can be sent any more */
    bool answers;                                    /* the program is of those that answer */
    char begins[HECTIC_CONTROL_NAMESPACE_MOST + 16]; /* how it does */
    char answer[256];
} orders;

void orders_init(orders *o);
void orders_clear(orders *o);

/* Has the loop send it (`wake` is called), and waits for a while. NULL: the program has said that
 * it is done; else what it has said instead, or why nothing was said. */
const char *orders_give(orders *o, const hectic_control_command *command, void (*wake)(void *user),
                        void *user);

/* By the loop. */
void orders_send(orders *o, bool (*send)(void *user, const void *bytes, size_t length), void *user);
void orders_expect(orders *o, bool answers);
bool orders_hear(orders *o, const hectic_event *event); /* it is the answer */
void orders_close(orders *o);

#endif

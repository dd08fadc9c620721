/* Commands to a program, one after the other, over the connection that its log comes by; and what
 * it answers, which is found in the log. One thread gives them, and waits for the answers; another,
 * the loop's, sends and hears. */
#ifndef HECTIC_SRC_COMMAND_DELIVERY_H
#define HECTIC_SRC_COMMAND_DELIVERY_H

#include <hectic/hectic.h>

#include <pthread.h>

typedef struct command_delivery {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum {
        DELIVERY_NONE,
        DELIVERY_QUEUED,
        DELIVERY_SENT,
        DELIVERY_REFUSED,
        DELIVERY_ANSWERED
    } state;
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    size_t size;
    bool closed;                                    /* nothing can be sent any more */
    bool answers;                                   /* the program is of those that answer */
    char begins[HECTIC_CONTROL_NAMESPACE_MAX + 16]; /* how it does */
    char answer[256];
} command_delivery;

void command_delivery_init(command_delivery *o);
void command_delivery_clear(command_delivery *o);

/* Has the loop send it (`wake` is called), and waits for a while. NULL: the program has said that
 * it is done; else what it has said instead, or why nothing was said. */
const char *command_delivery_run(command_delivery *o, const hectic_control_command *command,
                                 void (*wake)(void *user), void *user);

/* By the loop. */
void command_delivery_send(command_delivery *o,
                           bool (*send)(void *user, const void *bytes, size_t length), void *user);
void command_delivery_set_answers(command_delivery *o, bool answers);
bool command_delivery_take_answer(command_delivery *o,
                                  const hectic_event *event); /* it is the answer */
void command_delivery_close(command_delivery *o);

#endif

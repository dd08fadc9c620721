/* Delivers commands to a program, one at a time, over the connection of its log, and finds the
 * answers in the log. One thread submits commands and waits for the answers; the loop's thread
 * sends commands and receives answers. */
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
    bool closed;                                    /* no more commands can be sent */
    bool answers;                                   /* the program answers commands */
    char begins[HECTIC_CONTROL_NAMESPACE_MAX + 16]; /* how the answer begins */
    char answer[256];
} command_delivery;

void command_delivery_init(command_delivery *d);
void command_delivery_clear(command_delivery *d);

/* Calls `wake` to have the loop send the command, and waits some seconds for the answer. NULL: the
 * program has confirmed it; else its answer, or why there is none. */
const char *command_delivery_run(command_delivery *d, const hectic_control_command *command,
                                 void (*wake)(void *user), void *user);

/* Called in the loop's thread. */
void command_delivery_send(command_delivery *d,
                           bool (*send)(void *user, const void *bytes, size_t length), void *user);
void command_delivery_set_answers(command_delivery *d, bool answers);
bool command_delivery_take_answer(command_delivery *d,
                                  const hectic_event *event); /* true: it was the answer */
void command_delivery_close(command_delivery *d);

#endif

#include "relay/command_delivery.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ANSWER_S = 4 };

void command_delivery_init(command_delivery *o)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&o->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&o->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void command_delivery_clear(command_delivery *o)
{
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->changed);
}

/* Both with the lock. Is there something to wait for? */
static bool is_open(const command_delivery *o)
{
    return !o->closed && (o->state == DELIVERY_QUEUED || (o->state == DELIVERY_SENT && o->answers));
}

static const char *outcome(const command_delivery *o)
{
    if (o->state == DELIVERY_ANSWERED) return strcmp(o->answer, "done") == 0 ? NULL : o->answer;
    if (o->state == DELIVERY_SENT) return HECTIC_CONTROL_FORWARDED;
    if (o->closed) return "the program has ended";
    return "the program cannot receive commands now (and never through a file, FIFO or pipe, or if "
           "it connected to the relay)";
}

const char *command_delivery_run(command_delivery *o, const hectic_control_command *command,
                                 void (*wake)(void *user), void *user)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ANSWER_S;
    if (strlen(command->name) != command->length) return "invalid command name";
    pthread_mutex_lock(&o->lock);
    o->size = hectic_control_encode(o->message, sizeof o->message, command->name, command->id);
    snprintf(o->begins, sizeof o->begins, "hectic: %s %u: ", command->name, command->id);
    o->state = o->size > 0 ? DELIVERY_QUEUED : DELIVERY_REFUSED;
    if (!o->closed) wake(user);
    int result = 0;
    while (is_open(o) && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&o->changed, &o->lock, &until);
    const char *why = outcome(o);
    o->state = DELIVERY_NONE;
    pthread_mutex_unlock(&o->lock);
    return why;
}

void command_delivery_send(command_delivery *o,
                           bool (*send)(void *user, const void *bytes, size_t length), void *user)
{
    pthread_mutex_lock(&o->lock);
    if (!o->closed && o->state == DELIVERY_QUEUED) {
        o->state = send && send(user, o->message, o->size) ? DELIVERY_SENT : DELIVERY_REFUSED;
        pthread_cond_signal(&o->changed);
    }
    pthread_mutex_unlock(&o->lock);
}

void command_delivery_set_answers(command_delivery *o, bool answers)
{
    pthread_mutex_lock(&o->lock);
    o->answers = answers;
    pthread_mutex_unlock(&o->lock);
}

bool command_delivery_take_answer(command_delivery *o, const hectic_event *event)
{
    if (event->type != HECTIC_EVENT_LOG_MSG) return false;
    pthread_mutex_lock(&o->lock);
    const size_t length = strlen(o->begins);
    const bool is_answer = o->state == DELIVERY_SENT && event->size >= length &&
                           memcmp(event->payload, o->begins, length) == 0;
    if (is_answer) {
        snprintf(o->answer, sizeof o->answer, "%.*s", (int)(event->size - length),
                 (const char *)event->payload + length);
        o->state = DELIVERY_ANSWERED;
        pthread_cond_signal(&o->changed);
    }
    pthread_mutex_unlock(&o->lock);
    return is_answer;
}

void command_delivery_close(command_delivery *o)
{
    pthread_mutex_lock(&o->lock);
    o->closed = true;
    pthread_cond_signal(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

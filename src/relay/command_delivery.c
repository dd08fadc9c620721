#include "relay/command_delivery.h"

#include "os/clock.h"
#include <hectic/read_events.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ANSWER_MS = 4000 };

void command_delivery_init(command_delivery *d)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&d->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void command_delivery_clear(command_delivery *d)
{
    pthread_mutex_destroy(&d->lock);
    pthread_cond_destroy(&d->changed);
}

/* With the lock. Is there something to wait for? */
static bool is_open(const command_delivery *d)
{
    return !d->closed && (d->state == DELIVERY_QUEUED || (d->state == DELIVERY_SENT && d->answers));
}

static const char *outcome(const command_delivery *d)
{
    if (d->state == DELIVERY_ANSWERED) return strcmp(d->answer, "done") == 0 ? NULL : d->answer;
    if (d->state == DELIVERY_SENT) return HECTIC_CONTROL_FORWARDED;
    if (d->closed) return "the program has ended";
    return "the program cannot receive commands now (and never through a file, FIFO or pipe, or if "
           "it connected to the relay)";
}

const char *command_delivery_run(command_delivery *d, const hectic_control_command *command,
                                 void (*wake)(void *user), void *user)
{
    const struct timespec until = clock_timespec(clock_ms() + ANSWER_MS);
    if (strlen(command->name) != command->length) return "invalid command name";
    pthread_mutex_lock(&d->lock);
    d->size = hectic_control_encode(d->message, sizeof d->message, command->name, command->id);
    snprintf(d->begins, sizeof d->begins, "hectic: %s %u: ", command->name, command->id);
    d->state = d->size > 0 ? DELIVERY_QUEUED : DELIVERY_REFUSED;
    if (!d->closed) wake(user);
    int result = 0;
    while (is_open(d) && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&d->changed, &d->lock, &until);
    const char *why = outcome(d);
    d->state = DELIVERY_NONE;
    pthread_mutex_unlock(&d->lock);
    return why;
}

void command_delivery_send(command_delivery *d,
                           bool (*send)(void *user, const void *bytes, size_t length), void *user)
{
    pthread_mutex_lock(&d->lock);
    if (!d->closed && d->state == DELIVERY_QUEUED) {
        d->state = send && send(user, d->message, d->size) ? DELIVERY_SENT : DELIVERY_REFUSED;
        pthread_cond_signal(&d->changed);
    }
    pthread_mutex_unlock(&d->lock);
}

void command_delivery_set_answers(command_delivery *d, bool answers)
{
    pthread_mutex_lock(&d->lock);
    d->answers = answers;
    pthread_mutex_unlock(&d->lock);
}

bool command_delivery_take_answer(command_delivery *d, const hectic_event *event)
{
    if (event->type != HECTIC_EVENT_LOG_MSG) return false;
    pthread_mutex_lock(&d->lock);
    const size_t length = strlen(d->begins);
    const hectic_text text = hectic_read_message(event);
    const bool is_answer = d->state == DELIVERY_SENT && text.length >= length &&
                           memcmp(text.bytes, d->begins, length) == 0;
    if (is_answer) {
        snprintf(d->answer, sizeof d->answer, "%.*s", (int)(text.length - length),
                 (const char *)text.bytes + length);
        d->state = DELIVERY_ANSWERED;
        pthread_cond_signal(&d->changed);
    }
    pthread_mutex_unlock(&d->lock);
    return is_answer;
}

void command_delivery_close(command_delivery *d)
{
    pthread_mutex_lock(&d->lock);
    d->closed = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

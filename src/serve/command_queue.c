/* The control thread: executes commands and periodic flushes. Both may take long. */
#include "serve/serve.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_SIZE = 1024 };

static const char *execute(hectic_server *s, const hectic_control_command *command)
{
    const bool is_flush =
        command->id == HECTIC_CONTROL_FLUSH && strcmp(command->name, HECTIC_CONTROL_HECTIC) == 0;
    if (is_flush && s->options.flush) return s->options.flush(s->options.user);
    if (command->id == HECTIC_CONTROL_REPLAY && strcmp(command->name, HECTIC_CONTROL_HECTIC) == 0) {
        pthread_mutex_lock(&s->lock);
        server_replay(s);
        pthread_mutex_unlock(&s->lock);
        return NULL;
    }
    if (!s->options.command)
        return is_flush ? "this program cannot flush" : "this program does not accept commands";
    return s->options.command(s->options.user, command);
}

/* With the lock, which is released during the execution. */
static void answer(hectic_server *s, request *r)
{
    char text[TEXT_SIZE];
    pthread_mutex_unlock(&s->lock);
    const char *why = execute(s, &r->command);
    snprintf(text, sizeof text, "hectic: %s %u: %s", r->command.name, r->command.id,
             why ? why : "done");
    pthread_mutex_lock(&s->lock);
    s->commands_pending--;
    for (peer *p = s->peers; p; p = p->next) {
        if (p->id != r->peer) continue;
        if (s->begun) baseline_message(&s->baseline, &p->answers, s->latest, text);
        p->commands_pending--;
    }
    server_wake(s);
}

static void flush_by_time(hectic_server *s)
{
    pthread_mutex_unlock(&s->lock);
    if (s->options.flush) s->options.flush(s->options.user);
    pthread_mutex_lock(&s->lock);
}

/* True: it was due, and is rescheduled. */
static bool is_due(timer *t)
{
    const uint64_t now = clock_ms();
    if (!t->every || now < t->due) return false;
    t->due = now + t->every;
    return true;
}

static void wait_for_commands(hectic_server *s)
{
    uint64_t due = UINT64_MAX;
    if (s->flush.every) due = s->flush.due;
    if (s->replay.every && s->replay.due < due) due = s->replay.due;
    const struct timespec until = clock_timespec(due);
    if (due < UINT64_MAX)
        pthread_cond_timedwait(&s->commands_ready, &s->lock, &until);
    else
        pthread_cond_wait(&s->commands_ready, &s->lock);
}

void *command_queue_run(void *user)
{
    hectic_server *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        request *r = s->first_request;
        if (r) {
            s->first_request = r->next;
            answer(s, r);
            free(r);
        } else if (is_due(&s->flush) || s->wants_flush) {
            s->wants_flush = false;
            flush_by_time(s);
        } else if (is_due(&s->replay)) {
            server_replay(s);
        } else {
            wait_for_commands(s);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

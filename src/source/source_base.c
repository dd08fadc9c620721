/* Calls to the user of a source, its timer and its handles: used by all kinds. */
#include "source/source_kind.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool source_refuse(char *message, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, size, format, arguments);
    va_end(arguments);
    return false;
}

/* --- Lifetime --------------------------------------------------------------------------------- */

void source_release(source *s)
{
    if (s->kind && s->kind->release) s->kind->release(s);
    if (s->addresses) uv_freeaddrinfo(s->addresses);
    if (s->fd >= 0) close(s->fd);
    free(s->name);
    free(s);
}

void source_leave(source *s)
{
    if (--s->open == 0) source_release(s);
}

void source_on_closed(uv_handle_t *handle)
{
    source *s = handle->data;
    if (handle == &s->handle) s->has_stream = false;
    source_leave(s);
}

void source_has_stream(source *s)
{
    s->handle.data = s;
    s->has_stream = true;
    s->open++;
}

void source_close_stream(source *s)
{
    s->connected = false;
    if (!s->has_stream || uv_is_closing(&s->handle)) return;
    uv_os_fd_t fd;
    if (s->flags >= 0 && uv_fileno(&s->handle, &fd) == 0) fcntl(fd, F_SETFL, s->flags);
    uv_close(&s->handle, source_on_closed);
}

/* --- Calls to the user ------------------------------------------------------------------------ */

void source_wait(source *s, const char *format, ...)
{
    char text[sizeof s->waiting];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strcmp(text, s->waiting) == 0) return;
    memcpy(s->waiting, text, sizeof text);
    if (s->calls.waiting) s->calls.waiting(s->user, s->waiting);
}

void source_deliver(source *s, size_t length)
{
    if (s->waiting[0]) {
        s->waiting[0] = 0;
        if (s->calls.waiting) s->calls.waiting(s->user, NULL);
    }
    if (!s->begun && !s->closing) {
        s->begun = true;
        uv_timer_stop(&s->patience);
        s->retry_ms = SOURCE_MIN_RETRY_MS;
        s->calls.begin(s->user);
    }
    if (!s->closing) s->calls.bytes(s->user, s->buffer, length);
}

void source_end(source *s, int error)
{
    if (s->closing) return;
    s->ended = true;
    source_close_stream(s);
    uv_timer_stop(&s->timer);
    uv_timer_stop(&s->patience);
    if (s->has_event) uv_fs_event_stop(&s->event);
    s->calls.end(s->user, error);
}

static void on_timer(uv_timer_t *timer)
{
    source *s = timer->data;
    /* A loop that is run step by step may run a timer before it has closed a handle that is to be
     * reopened. */
    if (s->has_stream && uv_is_closing(&s->handle))
        uv_timer_start(timer, on_timer, 1, 0);
    else
        s->due(s);
}

void source_later(source *s, unsigned ms, void (*due)(source *s))
{
    if (s->closing) return;
    s->due = due;
    uv_timer_start(&s->timer, on_timer, ms, 0);
}

void source_start(source *s)
{
    s->kind->start(s);
}

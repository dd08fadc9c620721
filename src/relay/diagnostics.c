#include "relay/diagnostics.h"

#include <hectic/render.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

/* A thousand at once; as many again as seconds go by. */
enum { AT_ONCE = 1000, SECOND = 1000000000, NOTE_MAX = 1024 };

void diagnostics_begin(diagnostics *n, void (*say)(void *user, const char *text), void *user)
{
    *n = (diagnostics){.say = say, .user = user};
    pthread_mutex_init(&n->lock, NULL);
}

static bool has_room(diagnostics *n)
{
    const uint64_t now = uv_hrtime();
    if (n->due < now) n->due = now;
    if (n->due >= now + (uint64_t)AT_ONCE * SECOND) return false;
    n->due += SECOND;
    return true;
}

static void say_left_out(diagnostics *n)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " messages suppressed here", n->left_out);
    if (n->left_out > 0) n->say(n->user, text);
    n->left_out = 0;
}

void diagnostics_report_list(diagnostics *n, const char *format, va_list arguments)
{
    char raw[NOTE_MAX], text[4 * NOTE_MAX + 1];
    if (!n->say) return;
    vsnprintf(raw, sizeof raw, format, arguments);
    /* Who connects chooses much of it: names, paths, what it asks for. */
    text[hectic_render_visible(raw, strlen(raw), text)] = 0;
    pthread_mutex_lock(&n->lock);
    if (has_room(n)) {
        say_left_out(n);
        n->say(n->user, text);
    } else {
        n->left_out++;
    }
    pthread_mutex_unlock(&n->lock);
}

void diagnostics_report(diagnostics *n, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_report_list(n, format, arguments);
    va_end(arguments);
}

void diagnostics_end(diagnostics *n)
{
    if (n->say) say_left_out(n);
    pthread_mutex_destroy(&n->lock);
}

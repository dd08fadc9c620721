#include "clients/diagnostics.h"

#include <hectic/render.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

/* A burst of a thousand lines; one more per second. */
enum { BURST = 1000, SECOND = 1000000000, MESSAGE_SIZE = 1024 };

void diagnostics_begin(diagnostics *d, void (*report)(void *user, const char *text), void *user)
{
    *d = (diagnostics){.report = report, .user = user};
    pthread_mutex_init(&d->lock, NULL);
}

static bool within_rate(diagnostics *d)
{
    const uint64_t now = uv_hrtime();
    if (d->due < now) d->due = now;
    if (d->due >= now + (uint64_t)BURST * SECOND) return false;
    d->due += SECOND;
    return true;
}

static void report_suppressed(diagnostics *d)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " messages suppressed here", d->suppressed);
    if (d->suppressed > 0) d->report(d->user, text);
    d->suppressed = 0;
}

void diagnostics_report_list(diagnostics *d, const char *format, va_list arguments)
{
    char raw[MESSAGE_SIZE], text[4 * MESSAGE_SIZE + 1];
    if (!d->report) return;
    vsnprintf(raw, sizeof raw, format, arguments);
    /* Clients choose parts of it: names, paths, requests. */
    text[hectic_render_visible(raw, strlen(raw), text)] = 0;
    pthread_mutex_lock(&d->lock);
    if (within_rate(d)) {
        report_suppressed(d);
        d->report(d->user, text);
    } else {
        d->suppressed++;
    }
    pthread_mutex_unlock(&d->lock);
}

void diagnostics_report(diagnostics *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_report_list(d, format, arguments);
    va_end(arguments);
}

void diagnostics_end(diagnostics *d)
{
    if (d->report) report_suppressed(d);
    pthread_mutex_destroy(&d->lock);
}

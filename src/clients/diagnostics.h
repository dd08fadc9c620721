/* Diagnostics for the operator, one line each, from any thread. Rate-limited, so that a client that
 * causes many of them cannot fill the disk. */
#ifndef HECTIC_SRC_DIAGNOSTICS_H
#define HECTIC_SRC_DIAGNOSTICS_H

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>

typedef struct diagnostics {
    void (*report)(void *user, const char *text); /* one call at a time; NULL: discard */
    void *user;
    pthread_mutex_t lock;
    uint64_t due; /* ns: when the next line would be due at one line per second */
    uint64_t suppressed;
} diagnostics;

void diagnostics_begin(diagnostics *d, void (*report)(void *user, const char *text), void *user);
void diagnostics_end(diagnostics *d);

void diagnostics_report(diagnostics *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void diagnostics_report_list(diagnostics *d, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif

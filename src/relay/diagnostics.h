/* What the operator is told, a line each. Of very many only some, as who makes the relay complain
 * is not to fill its disk. By any thread. */
#ifndef HECTIC_SRC_DIAGNOSTICS_H
#define HECTIC_SRC_DIAGNOSTICS_H

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>

typedef struct diagnostics {
    void (*say)(void *user, const char *text); /* one at a time; NULL: nobody listens */
    void *user;
    pthread_mutex_t lock;
    uint64_t due; /* ns: when the line after the last would be, if there was one each second */
    uint64_t left_out;
} diagnostics;

void diagnostics_begin(diagnostics *n, void (*say)(void *user, const char *text), void *user);
void diagnostics_end(diagnostics *n);

void diagnostics_report(diagnostics *n, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void diagnostics_report_list(diagnostics *n, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif

/* What the operator is told, a line each. Of very many only some, as who makes the relay complain
 * is not to fill its disk. By any thread. */
#ifndef HECTIC_SRC_NOTES_H
#define HECTIC_SRC_NOTES_H

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>

typedef struct notes {
    void (*say)(void *user, const char *text); /* one at a time; NULL: nobody listens */
    void *user;
    pthread_mutex_t lock;
    uint64_t due; /* ns: when the line after the last would be, if there was one each second */
    uint64_t left_out;
} notes;

void notes_begin(notes *n, void (*say)(void *user, const char *text), void *user);
void notes_end(notes *n);

void notes_say(notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_say_all(notes *n, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif

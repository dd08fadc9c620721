/* diagnostics.c — see diagnostics.h. */
#define _GNU_SOURCE /* fopencookie */
#include "tool/output/stderr_buffer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 512 * 1024, LINE_MAX = 128 * 1024, PIECE = 4096, END_S = 1 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t writer;
    bool begun, ending, at_exit;
    char room[ROOM]; /* a ring: what is to be written, from `from` on */
    size_t from, size;
    uint64_t dropped; /* lines, since the last that was written */
} said = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t lines_of(const char *text, size_t size)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* How many lines of it could not be written. */
static uint64_t write_text(const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(STDERR_FILENO, text, size);
        if (written >= 0) {
            text += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            break;
        }
    }
    return lines_of(text, size);
}

/* --- The thread ------------------------------------------------------------------------------ */

/* With the lock: a piece of what waits, or else the line that counts what was dropped. */
static size_t take(char piece[PIECE])
{
    size_t size = said.size < PIECE ? said.size : PIECE;
    const size_t first = ROOM - said.from < size ? ROOM - said.from : size;
    if (size == 0) {
        const unsigned long long dropped = said.dropped;
        said.dropped = 0;
        return (size_t)snprintf(piece, PIECE, "hectic: %llu lines were dropped here\n", dropped);
    }
    memcpy(piece, said.room + said.from, first);
    memcpy(piece + first, said.room, size - first);
    said.from = (said.from + size) % ROOM;
    said.size -= size;
    return size;
}

static void *write_all(void *user)
{
    (void)user;
    char piece[PIECE];
    bool lost = false; /* the last line that counted others could not be written either */
    pthread_mutex_lock(&said.lock);
    for (;;) {
        while (said.size == 0 && (said.dropped == 0 || lost) && !said.ending)
            pthread_cond_wait(&said.changed, &said.lock);
        if (said.size == 0 && (said.dropped == 0 || lost)) break;
        const uint64_t counted = said.size == 0 ? said.dropped : 0;
        const size_t size = take(piece);
        pthread_mutex_unlock(&said.lock);
        const uint64_t missed = write_text(piece, size);
        pthread_mutex_lock(&said.lock);
        lost = missed > 0;
        said.dropped += lost && counted > 0 ? counted : missed;
        pthread_cond_broadcast(&said.changed);
    }
    said.begun = false;
    pthread_cond_broadcast(&said.changed);
    pthread_mutex_unlock(&said.lock);
    return NULL;
}

void stderr_buffer_begin(void)
{
    sigset_t all, before;
    pthread_condattr_t monotonic;
    pthread_mutex_lock(&said.lock);
    if (!said.begun) {
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&said.changed, &monotonic);
        pthread_condattr_destroy(&monotonic);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* SIGPIPE, too, is the thread's own */
        said.ending = false;
        if (!said.at_exit) said.at_exit = atexit(stderr_buffer_end) == 0;
        said.begun = pthread_create(&said.writer, NULL, write_all, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_mutex_unlock(&said.lock);
}

/* --- Its callers ----------------------------------------------------------------------------- */

static void put(const char *text, size_t size)
{
    const size_t to = (said.from + said.size) % ROOM, first = ROOM - to < size ? ROOM - to : size;
    memcpy(said.room + to, text, first);
    memcpy(said.room, text + first, size - first);
    said.size += size;
}

void stderr_buffer_write(const char *lines, size_t size)
{
    pthread_mutex_lock(&said.lock);
    const bool begun = said.begun;
    if (begun && size <= ROOM - said.size)
        put(lines, size);
    else if (begun)
        said.dropped += lines_of(lines, size);
    if (begun) pthread_cond_broadcast(&said.changed);
    pthread_mutex_unlock(&said.lock);
    if (!begun) fwrite(lines, 1, size, stderr);
}

static ssize_t write_lines(void *user, const char *lines, size_t size)
{
    (void)user;
    stderr_buffer_write(lines, size);
    return (ssize_t)size;
}

FILE *stderr_buffer_stream(void)
{
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_lines});
    if (stream) setvbuf(stream, NULL, _IOFBF, LINE_MAX);
    return stream;
}

static struct timespec later(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += END_S;
    return time;
}

void stderr_buffer_end(void)
{
    pthread_mutex_lock(&said.lock);
    said.ending = true;
    const bool begun = said.begun;
    if (begun) pthread_cond_broadcast(&said.changed);
    int result = 0;
    while (said.begun && result != ETIMEDOUT) {
        const struct timespec until = later();
        result = pthread_cond_timedwait(&said.changed, &said.lock, &until);
    }
    const bool written = begun && !said.begun;
    pthread_mutex_unlock(&said.lock);
    if (written) pthread_join(said.writer, NULL);
}

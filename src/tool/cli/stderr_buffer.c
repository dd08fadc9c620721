/* stderr_buffer.c — see stderr_buffer.h. */
#define _GNU_SOURCE /* fopencookie */
#include "tool/cli/stderr_buffer.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 512 * 1024, LINE_MAX = 128 * 1024, PIECE = 4096, END_MS = 1000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t writer;
    bool begun, ending, at_exit;
    char room[ROOM]; /* a ring buffer of lines to write, beginning at `from` */
    size_t from, size;
    uint64_t dropped; /* lines, since the last one that was written */
} buffer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t lines_of(const char *text, size_t size)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Returns the number of lines that could not be written. */
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

/* With the lock: takes the next piece, or the line that counts what was dropped. */
static size_t take(char piece[PIECE])
{
    size_t size = buffer.size < PIECE ? buffer.size : PIECE;
    const size_t first = ROOM - buffer.from < size ? ROOM - buffer.from : size;
    if (size == 0) {
        const unsigned long long dropped = buffer.dropped;
        buffer.dropped = 0;
        return (size_t)snprintf(piece, PIECE, "hectic: %llu lines were dropped here\n", dropped);
    }
    memcpy(piece, buffer.room + buffer.from, first);
    memcpy(piece + first, buffer.room, size - first);
    buffer.from = (buffer.from + size) % ROOM;
    buffer.size -= size;
    return size;
}

static void *write_all(void *user)
{
    (void)user;
    char piece[PIECE];
    bool lost = false; /* the last such line could not be written either */
    pthread_mutex_lock(&buffer.lock);
    for (;;) {
        while (buffer.size == 0 && (buffer.dropped == 0 || lost) && !buffer.ending)
            pthread_cond_wait(&buffer.changed, &buffer.lock);
        if (buffer.size == 0 && (buffer.dropped == 0 || lost)) break;
        const uint64_t counted = buffer.size == 0 ? buffer.dropped : 0;
        const size_t size = take(piece);
        pthread_mutex_unlock(&buffer.lock);
        const uint64_t missed = write_text(piece, size);
        pthread_mutex_lock(&buffer.lock);
        lost = missed > 0;
        buffer.dropped += lost && counted > 0 ? counted : missed;
        pthread_cond_broadcast(&buffer.changed);
    }
    buffer.begun = false;
    pthread_cond_broadcast(&buffer.changed);
    pthread_mutex_unlock(&buffer.lock);
    return NULL;
}

void stderr_buffer_begin(void)
{
    sigset_t all, before;
    pthread_condattr_t monotonic;
    pthread_mutex_lock(&buffer.lock);
    if (!buffer.begun) {
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&buffer.changed, &monotonic);
        pthread_condattr_destroy(&monotonic);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* also SIGPIPE */
        buffer.ending = false;
        if (!buffer.at_exit) buffer.at_exit = atexit(stderr_buffer_end) == 0;
        buffer.begun = pthread_create(&buffer.writer, NULL, write_all, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_mutex_unlock(&buffer.lock);
}

/* --- Interface ------------------------------------------------------------------------------- */

static void put(const char *text, size_t size)
{
    const size_t to = (buffer.from + buffer.size) % ROOM,
                 first = ROOM - to < size ? ROOM - to : size;
    memcpy(buffer.room + to, text, first);
    memcpy(buffer.room, text + first, size - first);
    buffer.size += size;
}

void stderr_buffer_write(const char *lines, size_t size)
{
    pthread_mutex_lock(&buffer.lock);
    const bool begun = buffer.begun;
    if (begun && size <= ROOM - buffer.size)
        put(lines, size);
    else if (begun)
        buffer.dropped += lines_of(lines, size);
    if (begun) pthread_cond_broadcast(&buffer.changed);
    pthread_mutex_unlock(&buffer.lock);
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

void stderr_buffer_end(void)
{
    pthread_mutex_lock(&buffer.lock);
    buffer.ending = true;
    const bool begun = buffer.begun;
    if (begun) pthread_cond_broadcast(&buffer.changed);
    int result = 0;
    while (buffer.begun && result != ETIMEDOUT) {
        const struct timespec until = clock_timespec(clock_ms() + END_MS);
        result = pthread_cond_timedwait(&buffer.changed, &buffer.lock, &until);
    }
    const bool written = begun && !buffer.begun;
    pthread_mutex_unlock(&buffer.lock);
    if (written) pthread_join(buffer.writer, NULL);
}

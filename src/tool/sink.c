/* sink.c — where a verb's output goes.
 *
 * The verb fills one buffer while a thread writes the others, so that computing and write(2)
 * overlap. A file is written under a temporary name in its own directory and renamed when it is
 * whole; a signal that ends the program removes it.
 */
#define _GNU_SOURCE /* mkostemp */
#include "diagnostics.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFERS = 3, BUFFER_SIZE = 256 * 1024, PAGE = 4096 };

/* Bytes lie in a buffer as they will lie in the file's pages: the kernel copies them three times as
 * fast than from a buffer that lies a few bytes off, as malloc's do. */
struct buffer {
    char *bytes;        /* begin at a page */
    size_t start, used; /* what is to be written: [start, used) */
    size_t capacity;
};

struct sink {
    int fd;
    char *path;      /* what messages call it, and the final name of a file */
    char *temporary; /* its name until then; NULL: written in place */
    mode_t mode;     /* of the final file */
    bool colored, terminal;
    bool is_diagnostics; /* fd only tells whether it is a terminal */

    struct buffer buffer[BUFFERS];
    unsigned filling;  /* the buffer that the verb fills; the `queued` ones before it are written */
    uint64_t position; /* in the output, of the bytes in it */

    pthread_t writer;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned queued;
    bool closing;
    atomic_int error; /* the errno of the first write that failed */
};

/* --- The temporary file ---------------------------------------------------------------------- */

static const char *volatile unfinished; /* what a signal has to remove */
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static void remove_unfinished(int signal)
{
    if (unfinished) unlink(unfinished);
    raise(signal); /* SA_RESETHAND: now it ends the program */
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++) {
        struct sigaction old;
        const int signal = ending_signals[i];
        if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signal, &action, NULL);
    }
}

static bool open_temporary(struct sink *sink)
{
    const char *slash = strrchr(sink->path, '/');
    const int folder = slash ? (int)(slash - sink->path + 1) : 0;
    if (asprintf(&sink->temporary, "%.*s.%s.XXXXXX", folder, sink->path, sink->path + folder) < 0) {
        sink->temporary = NULL;
        return false;
    }
    sink->fd = mkostemp(sink->temporary, O_CLOEXEC);
    if (sink->fd < 0) {
        free(sink->temporary);
        sink->temporary = NULL;
        return false;
    }
    unfinished = sink->temporary;
    handle_signals();
    return true;
}

static bool open_file(struct sink *sink, const char *path)
{
    /* A link stays a link: it is what it points to that is replaced. */
    char *real = realpath(path, NULL);
    sink->path = real ? real : strdup(path);
    if (sink->path == NULL) return false;
    struct stat status;
    if (stat(path, &status) == 0) {
        sink->mode = status.st_mode & 07777;
        if (S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            return false;
        }
        if (!S_ISREG(status.st_mode)) {
            sink->fd = open(path, O_WRONLY | O_CLOEXEC);
            return sink->fd >= 0;
        }
    } else {
        const mode_t mask = umask(0);
        umask(mask);
        sink->mode = 0666 & ~mask;
    }
    return open_temporary(sink);
}

/* --- The writing thread ---------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int write_whole(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static void *write_buffers(void *argument)
{
    struct sink *sink = argument;
    pthread_mutex_lock(&sink->lock);
    for (;;) {
        while (sink->queued == 0 && !sink->closing)
            pthread_cond_wait(&sink->changed, &sink->lock);
        if (sink->queued == 0) break;
        struct buffer *buffer = &sink->buffer[(sink->filling + BUFFERS - sink->queued) % BUFFERS];
        pthread_mutex_unlock(&sink->lock);
        if (sink->is_diagnostics)
            diagnostics_write(buffer->bytes + buffer->start, buffer->used - buffer->start);
        else if (sink->error == 0)
            sink->error =
                write_whole(sink->fd, buffer->bytes + buffer->start, buffer->used - buffer->start);
        pthread_mutex_lock(&sink->lock);
        sink->queued--;
        pthread_cond_signal(&sink->changed);
    }
    pthread_mutex_unlock(&sink->lock);
    return NULL;
}

void sink_flush(struct sink *sink)
{
    const struct buffer *full = &sink->buffer[sink->filling];
    if (full->used == full->start) return;
    sink->position += full->used - full->start;
    pthread_mutex_lock(&sink->lock);
    sink->queued++;
    sink->filling = (sink->filling + 1) % BUFFERS;
    pthread_cond_signal(&sink->changed);
    while (sink->queued == BUFFERS)
        pthread_cond_wait(&sink->changed, &sink->lock);
    pthread_mutex_unlock(&sink->lock);
    struct buffer *next = &sink->buffer[sink->filling];
    next->start = next->used = sink->position % PAGE;
}

/* --- The stream ------------------------------------------------------------------------------ */

static bool wants_color(const struct output_settings *settings, int fd)
{
    if (settings->color != COLOR_AUTO) return settings->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (no_color == NULL || *no_color == 0) && isatty(fd) && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

static void sink_free(struct sink *sink)
{
    for (int i = 0; i < BUFFERS; i++)
        free(sink->buffer[i].bytes);
    if (sink->temporary) unlink(sink->temporary);
    unfinished = NULL;
    free(sink->temporary);
    free(sink->path);
    free(sink);
}

/* To a file, or to `fd`, which messages call `name`. */
static struct sink *sink_new(const struct output_settings *settings, int fd, const char *name)
{
    const bool is_file = settings->path && strcmp(settings->path, "-") != 0;
    struct sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) goto out_of_memory;
    sink->fd = fd;
    if (is_file && !open_file(sink, settings->path)) {
        tool_complain("%s: %s", settings->path, strerror(errno));
        sink_free(sink);
        return NULL;
    }
    if (!is_file && (sink->path = strdup(name)) == NULL) goto out_of_memory;
    for (int i = 0; i < BUFFERS; i++) {
        sink->buffer[i].capacity = BUFFER_SIZE;
        if ((sink->buffer[i].bytes = aligned_alloc(PAGE, BUFFER_SIZE)) == NULL) goto out_of_memory;
    }
    sink->colored = wants_color(settings, sink->fd);
    sink->terminal = sink->colored || isatty(sink->fd);
    pthread_mutex_init(&sink->lock, NULL);
    pthread_cond_init(&sink->changed, NULL);
    if (pthread_create(&sink->writer, NULL, write_buffers, sink) == 0) return sink;

out_of_memory:
    tool_complain("out of memory");
    if (sink) sink_free(sink);
    return NULL;
}

struct sink *sink_open(const struct output_settings *settings)
{
    return sink_new(settings, STDOUT_FILENO, "standard output");
}

struct sink *sink_open_for_log(const struct output_settings *settings)
{
    struct sink *sink = sink_open(settings);
    if (!sink || !isatty(sink->fd)) return sink;
    tool_complain("%s: a log is not for a terminal: name a file, or pipe it", sink->path);
    sink_close(sink, TOOL_UNUSABLE);
    return NULL;
}

struct sink *sink_on_stderr(void)
{
    struct sink *sink =
        sink_new(&(struct output_settings){0}, dup(STDERR_FILENO), "standard error");
    if (sink) sink->is_diagnostics = true;
    return sink;
}

char *sink_room(struct sink *sink, size_t size)
{
    struct buffer *buffer = &sink->buffer[sink->filling];
    if (buffer->capacity - buffer->used < size) {
        sink_flush(sink);
        buffer = &sink->buffer[sink->filling];
        if (buffer->capacity - buffer->used < size) { /* it is empty */
            buffer->capacity = ((buffer->used + size) / PAGE + 1) * PAGE;
            free(buffer->bytes);
            buffer->bytes = aligned_alloc(PAGE, buffer->capacity);
            if (buffer->bytes == NULL) {
                tool_complain("out of memory");
                sink_free(sink);
                exit(TOOL_UNUSABLE);
            }
        }
    }
    return buffer->bytes + buffer->used;
}

char *sink_space(struct sink *sink, size_t least, size_t *size)
{
    char *room = sink_room(sink, least);
    const struct buffer *buffer = &sink->buffer[sink->filling];
    *size = buffer->capacity - buffer->used;
    return room;
}

void sink_fill(struct sink *sink, size_t size)
{
    sink->buffer[sink->filling].used += size;
}

void sink_text(struct sink *sink, const char *text, size_t size)
{
    while (size > 0) {
        const size_t piece = size < BUFFER_SIZE ? size : BUFFER_SIZE;
        memcpy(sink_room(sink, piece), text, piece);
        sink_fill(sink, piece);
        text += piece;
        size -= piece;
    }
}

bool sink_failed(const struct sink *sink)
{
    return sink->error != 0;
}

bool sink_is_colored(const struct sink *sink)
{
    return sink->colored;
}

bool sink_is_terminal(const struct sink *sink)
{
    return sink->terminal;
}

/* Gives the temporary file its name. Returns 0 or an errno. */
static int publish(struct sink *sink)
{
    if (fchmod(sink->fd, sink->mode) != 0) return errno;
    if (close(sink->fd) != 0) return errno;
    if (rename(sink->temporary, sink->path) != 0) return errno;
    free(sink->temporary);
    sink->temporary = NULL;
    return 0;
}

int sink_close(struct sink *sink, int code)
{
    sink_flush(sink);
    pthread_mutex_lock(&sink->lock);
    sink->closing = true;
    pthread_cond_signal(&sink->changed);
    pthread_mutex_unlock(&sink->lock);
    pthread_join(sink->writer, NULL);

    const bool is_wanted = code != TOOL_UNUSABLE && code != TOOL_USAGE;
    int error = sink->error;
    if (error == 0 && is_wanted && sink->temporary)
        error = publish(sink);
    else if (error == 0 && !sink->temporary && close(sink->fd) != 0)
        error = errno;
    if (error != 0) {
        tool_complain("%s: %s", sink->path, strerror(error));
        code = TOOL_UNUSABLE;
    }
    sink_free(sink);
    return code;
}

/* sink.c — the output of a verb.
 *
 * The verb fills one buffer while a thread writes the others, so that computation and write(2)
 * overlap.
 */
#include "tool/files/sink.h"
#include "os/thread.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/cli/progress.h"
#include "tool/cli/signals.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/cli/verb.h"
#include "tool/files/input_files.h"
#include "tool/files/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFERS = 3, BUFFER_SIZE = 512 * 1024, PAGE = 4096 };

/* Bytes are aligned in a buffer as in the pages of the file: the kernel then copies them three
 * times as fast as from a buffer of malloc, which is a few bytes off. */
struct buffer {
    char *bytes;        /* aligned to a page */
    size_t start, used; /* the bytes to write: [start, used) */
    size_t capacity;
};

struct sink {
    struct output_file file;
    bool colored, terminal;
    bool is_diagnostics; /* file is only used to detect a terminal */

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

/* --- The writing thread ---------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int write_buffer(int fd, const struct buffer *buffer)
{
    const char *bytes = buffer->bytes + buffer->start;
    size_t size = buffer->used - buffer->start;
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
        if (sink->is_diagnostics) {
            stderr_buffer_write(buffer->bytes + buffer->start, buffer->used - buffer->start);
        } else if (sink->error == 0) {
            const int error = write_buffer(sink->file.fd, buffer);
            sink->error = error;
            if (error != 0) signals_end_now();
        }
        pthread_mutex_lock(&sink->lock);
        sink->queued--;
        pthread_cond_signal(&sink->changed);
    }
    pthread_mutex_unlock(&sink->lock);
    return NULL;
}

static struct sink *opened; /* the newest; a verb has one for its results */

void sink_flush_all(void)
{
    if (opened) sink_flush(opened);
}

bool sink_has_reader(void)
{
    struct pollfd output = {.fd = opened && !opened->is_diagnostics ? opened->file.fd : -1};
    return poll(&output, 1, 0) <= 0 || !(output.revents & POLLERR);
}

void sink_flush(struct sink *sink)
{
    const struct buffer *full = &sink->buffer[sink->filling];
    if (full->used == full->start) return;
    if (sink->terminal) progress_hide();
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

void sink_wait(struct sink *sink)
{
    sink_flush(sink);
    pthread_mutex_lock(&sink->lock);
    while (sink->queued > 0)
        pthread_cond_wait(&sink->changed, &sink->lock);
    pthread_mutex_unlock(&sink->lock);
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
    if (opened == sink) opened = NULL;
    for (int i = 0; i < BUFFERS; i++)
        free(sink->buffer[i].bytes);
    output_file_close(&sink->file);
    free(sink);
}

/* Of a descriptor; `name` is used in messages. */
static bool open_descriptor(struct output_file *file, int fd, const char *name)
{
    *file = (struct output_file){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .path = strdup(name)};
    if (file->fd < 0) tool_message("%s: %s", name, strerror(errno));
    return file->fd >= 0;
}

/* Takes ownership of the file. */
static struct sink *sink_new(struct output_file file, const struct output_settings *settings)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) output_file_close(&file);
    if (sink == NULL) goto out_of_memory;
    sink->file = file;
    if (sink->file.path == NULL) goto out_of_memory;
    for (int i = 0; i < BUFFERS; i++) {
        sink->buffer[i].capacity = BUFFER_SIZE;
        if ((sink->buffer[i].bytes = aligned_alloc(PAGE, BUFFER_SIZE)) == NULL) goto out_of_memory;
    }
    sink->colored = wants_color(settings, sink->file.fd);
    sink->terminal = sink->colored || isatty(sink->file.fd);
    pthread_mutex_init(&sink->lock, NULL);
    pthread_cond_init(&sink->changed, NULL);
    if (thread_start(&sink->writer, write_buffers, sink) == 0) return opened = sink;

out_of_memory:
    tool_message("out of memory");
    if (sink) sink_free(sink);
    return NULL;
}

static bool is_to_file(const struct output_settings *settings)
{
    return settings->path && strcmp(settings->path, "-") != 0;
}

bool sink_may_replace(const struct output_settings *settings)
{
    struct stat status;
    if (is_to_file(settings) && !input_files_allow(settings->path)) return false;
    if (settings->force || !is_to_file(settings) || stat(settings->path, &status) != 0 ||
        !S_ISREG(status.st_mode) || status.st_size == 0)
        return true;
    tool_message("%s already exists: use --force to replace it", settings->path);
    return false;
}

bool sink_is_for_terminal(const struct output_settings *settings)
{
    return !is_to_file(settings) && isatty(STDOUT_FILENO);
}

struct sink *sink_open(const struct output_settings *settings)
{
    struct output_file file;
    if (!sink_may_replace(settings)) return NULL;
    const bool is_open = is_to_file(settings)
                             ? output_file_open(&file, settings->path)
                             : open_descriptor(&file, STDOUT_FILENO, "standard output");
    return is_open ? sink_new(file, settings) : NULL;
}

struct sink *sink_open_for_log(const struct output_settings *settings)
{
    struct sink *sink = sink_open(settings);
    if (!sink || !isatty(sink->file.fd)) return sink;
    tool_message("%s: not writing a log to a terminal: name a file, or use a pipe",
                 sink->file.path);
    sink_close(sink, TOOL_UNUSABLE);
    return NULL;
}

struct sink *sink_open_on(int fd, const char *name)
{
    struct output_file file;
    if (!open_descriptor(&file, fd, name)) return NULL;
    return sink_new(file, &(struct output_settings){0});
}

struct sink *sink_on_stderr(void)
{
    struct sink *sink = sink_open_on(STDERR_FILENO, "standard error");
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
            if (buffer->bytes == NULL) tool_out_of_memory();
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

bool sink_is_kept(const struct sink *sink)
{
    const struct buffer *last = &sink->buffer[sink->filling];
    return signals_input_is_live() && sink->position + last->used - last->start > 0;
}

bool sink_is_colored(const struct sink *sink)
{
    return sink->colored;
}

bool sink_is_terminal(const struct sink *sink)
{
    return sink->terminal;
}

int sink_close(struct sink *sink, int code)
{
    return sink_close_if(sink, code, NULL, NULL);
}

int sink_close_if(struct sink *sink, int code, bool (*accept)(void *user, const char *path),
                  void *user)
{
    const bool is_live = sink_is_kept(sink);
    struct stat status;
    sink_flush(sink);
    pthread_mutex_lock(&sink->lock);
    sink->closing = true;
    pthread_cond_signal(&sink->changed);
    pthread_mutex_unlock(&sink->lock);
    pthread_join(sink->writer, NULL);

    /* A live input cannot be read again: the output is kept as far as it was written. */
    const int error = sink->error;
    const bool is_kept =
        is_live && !(error && fstat(sink->file.fd, &status) == 0 && status.st_size == 0);
    bool is_wanted = !error && code != TOOL_UNUSABLE && code != TOOL_USAGE;
    if (error)
        tool_message("%s: %s%s", sink->file.path, strerror(error),
                     is_kept && sink->file.is_regular ? "; it holds what could be written" : "");
    if (is_wanted && accept && sink->file.is_regular) {
        char path[OUTPUT_FILE_PATH];
        is_wanted = accept(user, output_file_readable(&sink->file, path));
        if (!is_wanted) code = TOOL_UNUSABLE;
    }
    if ((is_wanted || is_kept) && !output_file_publish(&sink->file, error != 0))
        code = TOOL_UNUSABLE;
    if (error) code = TOOL_UNUSABLE;
    sink_free(sink);
    return code;
}

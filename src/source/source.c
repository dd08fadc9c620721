/* The public functions of sources. */
#include "read/file.h"
#include "source/source_kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool refuse_to_listen(source *s, char *address, char *message, size_t size)
{
    (void)s;
    return source_refuse(message, size,
                         "listen:%s: only the relay listens for programs: hectic relay --from "
                         "listen:%s --listen unix:PATH",
                         address, address);
}

static const struct source_kind source_listen = {.prefix = "listen:", .parse = refuse_to_listen};

static const struct source_kind *const kinds[] = {
    &source_file, &source_fifo, &source_unix, &source_tcp, &source_fd, &source_run, &source_listen};

/* Shared by all sources, which are in one thread: the user takes bytes at once. */
static uint8_t buffer[SOURCE_PIECE_MAX];

/* --- Opening ---------------------------------------------------------------------------------- */

/* The kind of a text without a scheme. */
static const struct source_kind *kind_of_path(const char *path)
{
    struct stat status;
    if (strcmp(path, "-") == 0) return &source_fd;
    if (stat(path, &status) < 0) return &source_file;
    if (S_ISSOCK(status.st_mode)) return &source_unix;
    return S_ISFIFO(status.st_mode) ? &source_fifo : &source_file;
}

static const struct source_kind *kind_of_scheme(const char *text)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(text, kinds[i]->prefix, strlen(kinds[i]->prefix)) == 0) return kinds[i];
    return NULL;
}

bool source_has_scheme(const char *text)
{
    return kind_of_scheme(text) != NULL;
}

bool source_is_program(const char *text)
{
    return kind_of_scheme(text) == &source_run;
}

static bool parse(source *s, char *text, char *message, size_t size)
{
    s->kind = kind_of_scheme(text);
    if (s->kind)
        text += strlen(s->kind->prefix);
    else
        s->kind = kind_of_path(text);
    if (!*text)
        return source_refuse(message, size, "incomplete source \"%s\": nothing follows the colon",
                             s->name);
    return s->kind->parse(s, text, message, size);
}

/* No log has begun in time. */
static void on_patience(uv_timer_t *timer)
{
    source_end(timer->data, SOURCE_NO_LOG);
}

static void start_timers(source *s)
{
    enum { MS = 1000000 };
    uv_timer_init(s->loop, &s->timer);
    uv_timer_init(s->loop, &s->patience);
    s->timer.data = s->patience.data = s;
    s->open = 2;
    if (s->options.wait > 0)
        uv_timer_start(&s->patience, on_patience, (s->options.wait + MS - 1) / MS, 0);
    source_later(s, 0, source_start);
}

source *source_open(uv_loop_t *loop, const char *text, const struct source_options *options,
                    const struct source_calls *calls, void *user, char *message, size_t size)
{
    const char *name = options && options->name ? options->name
                       : strcmp(text, "-") == 0 ? "standard input"
                                                : text;
    const size_t length = strlen(name) + 1;
    source *s = calloc(1, sizeof *s);
    if (!s) goto no_memory;
    s->fd = s->flags = -1;
    s->name = malloc(length + strlen(text) + 1);
    s->buffer = buffer;
    if (!s->name) goto no_memory;
    memcpy(s->name, name, length);
    memcpy(s->name + length, text, strlen(text) + 1);
    s->loop = loop;
    s->calls = *calls;
    s->user = user;
    s->retry_ms = SOURCE_MIN_RETRY_MS;
    if (options) s->options = *options;
    s->options.name = s->name;
    message[0] = 0;
    if (!parse(s, s->name + length, message, size)) {
        const int error = s->error;
        source_release(s);
        errno = error;
        return NULL;
    }
    start_timers(s);
    return s;

no_memory:
    if (s) source_release(s);
    source_refuse(message, size, "out of memory");
    errno = ENOMEM;
    return NULL;
}

bool source_stat(const source *s, struct stat *status)
{
    const char *path = s->kind->file ? s->kind->file(s) : s->path;
    return s->fd >= 0 ? fstat(s->fd, status) == 0 : path && stat(path, status) == 0;
}

bool source_is_in_log(const source *s)
{
    return s->begun;
}

const char *source_error_text(int error)
{
    if (error == SOURCE_INTERRUPTED) return "no log began before the interrupt";
    return error == SOURCE_NO_LOG ? "no log began within the time of --wait" : uv_strerror(error);
}

const char *source_name(const source *s)
{
    return s->name;
}

/* --- Finishing -------------------------------------------------------------------------------- */

static int descriptor_of(const source *s)
{
    uv_os_fd_t fd;
    return s->has_stream && uv_fileno(&s->handle, &fd) == 0 ? fd : s->fd;
}

/* Bytes available for reading. */
static uint64_t available(int fd)
{
    struct stat status;
    int bytes;
    if (fd < 0 || fstat(fd, &status) < 0) return 0;
    if (S_ISREG(status.st_mode)) {
        const off_t at = lseek(fd, 0, SEEK_CUR);
        return at < status.st_size ? (uint64_t)(status.st_size - at) : 0;
    }
    return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (uint64_t)bytes : 0;
}

static void deliver_rest(source *s)
{
    while (s->left > 0 && !s->paused && !s->closing) {
        const size_t wanted = s->left < SOURCE_PIECE_MAX ? (size_t)s->left : SOURCE_PIECE_MAX;
        const ssize_t length = file_read(descriptor_of(s), s->buffer, wanted);
        s->left -= length > 0 ? (uint64_t)length : s->left;
        if (length > 0) source_deliver(s, (size_t)length);
    }
    if (s->left == 0) source_end(s, 0);
}

void source_finish(source *s)
{
    if (s->ended || s->closing || s->finishing) return;
    s->finishing = true;
    if (s->kind->finish && s->kind->finish(s)) return;
    if (s->connected) uv_read_stop(&s->stream);
    uv_timer_stop(&s->timer);
    if (s->has_event) uv_fs_event_stop(&s->event);
    s->left = available(descriptor_of(s));
    deliver_rest(s);
}

/* --------------------------------------------------------------------------------------------- */

void source_pause(source *s, bool paused)
{
    if (s->paused == paused) return;
    s->paused = paused;
    if (s->ended || s->closing) return;
    if (s->finishing && s->left > 0) {
        if (!paused) deliver_rest(s);
    } else if (!s->connected) {
        if (!paused && s->kind->resume) s->kind->resume(s);
    } else if (paused) {
        uv_read_stop(&s->stream);
    } else {
        source_read(s);
    }
}

/* --- Closing ---------------------------------------------------------------------------------- */

void source_close(source *s)
{
    if (!s || s->closing) return;
    s->closing = true;
    if (s->kind->close) s->kind->close(s);
    source_close_stream(s);
    uv_close((uv_handle_t *)&s->timer, source_on_closed);
    uv_close((uv_handle_t *)&s->patience, source_on_closed);
    if (s->has_event) uv_close((uv_handle_t *)&s->event, source_on_closed);
    if (s->resolving) uv_cancel((uv_req_t *)&s->resolve);
}

/* A file that grows. If it is truncated or replaced, another log begins. Changes are reported by
 * libuv where possible, and detected by polling. */
#include "read/file.h"
#include "source/source_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MAX_READS = 4 }; /* per turn of the loop */

static bool parse(source *s, char *text, char *message, size_t size)
{
    struct stat status;
    s->path = text;
    if (stat(text, &status) < 0 || !S_ISDIR(status.st_mode)) return true;
    return source_refuse(message, size, "%s: is a directory; name a log in it", s->name);
}

static void remember(source *s, size_t length)
{
    s->position += length;
    s->sampled = length < SOURCE_SAMPLE ? length : SOURCE_SAMPLE;
    memcpy(s->sample, s->buffer + length - s->sampled, s->sampled);
}

/* Has it been truncated, and perhaps rewritten, since it was read? */
static bool is_rewritten(const source *s)
{
    uint8_t sample[SOURCE_SAMPLE];
    if (s->sampled == 0) return false;
    const off_t at = (off_t)(s->position - s->sampled);
    return file_pread(s->fd, sample, s->sampled, at) != (ssize_t)s->sampled ||
           memcmp(sample, s->sample, s->sampled) != 0;
}

static bool is_replaced(const source *s)
{
    struct stat status;
    return stat(s->path, &status) == 0 &&
           (status.st_ino != s->status.st_ino || status.st_dev != s->status.st_dev);
}

static void restart(source *s)
{
    s->begun = false;
    s->position = 0;
    s->sampled = 0;
}

static void check(source *s)
{
    if (s->paused || s->ended || s->closing || s->fd < 0) return;
    if (is_rewritten(s)) {
        restart(s);
        lseek(s->fd, 0, SEEK_SET);
    }
    for (int i = 0; i < MAX_READS; i++) {
        const ssize_t length = file_read(s->fd, s->buffer, SOURCE_PIECE_MAX);
        if (length < 0) {
            source_end(s, uv_translate_sys_error(errno));
            return;
        }
        if (length == 0) goto at_end;
        remember(s, (size_t)length);
        source_deliver(s, (size_t)length);
        if (s->paused || s->closing) return;
    }
    source_later(s, 0, check);
    return;

at_end:
    if (s->options.once && s->begun) {
        source_end(s, 0);
    } else if (is_replaced(s)) {
        close(s->fd);
        s->fd = -1;
        source_later(s, 0, source_start);
    } else {
        if (!s->begun) source_wait(s, "waiting for a program to write to %s", s->name);
        source_later(s, SOURCE_POLL_MS, check);
    }
}

/* Handles changes since the last check. */
static bool finish(source *s)
{
    if (s->fd < 0) s->fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (s->fd < 0 || !is_rewritten(s)) return false;
    restart(s);
    lseek(s->fd, 0, SEEK_SET);
    return false;
}

static void on_event(uv_fs_event_t *event, const char *name, int events, int status)
{
    (void)name, (void)events, (void)status;
    check(event->data);
}

static void watch(source *s)
{
    if (s->has_event) {
        uv_fs_event_stop(&s->event);
    } else {
        uv_fs_event_init(s->loop, &s->event);
        s->event.data = s;
        s->has_event = true;
        s->open++;
    }
    uv_fs_event_start(&s->event, on_event, s->path, 0);
}

static void start(source *s)
{
    s->fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const int error = s->fd < 0 ? uv_translate_sys_error(errno) : 0;
    if (error == UV_ENOENT || error == UV_ENOTDIR) {
        source_wait(s, "waiting for %s to appear", s->name);
        source_later(s, SOURCE_POLL_MS, source_start);
    } else if (error || fstat(s->fd, &s->status) < 0) {
        source_end(s, error ? error : uv_translate_sys_error(errno));
    } else if (S_ISFIFO(s->status.st_mode)) {
        s->kind = &source_fifo;
        source_start(s);
    } else {
        restart(s);
        watch(s);
        check(s);
    }
}

const struct source_kind source_file = {
    .prefix = "file:",
    .parse = parse,
    .start = start,
    .resume = check,
    .finish = finish,
};

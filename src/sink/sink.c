/* Creates sinks. */
#include "sink/sink.h"

#include <errno.h>
#include <stdlib.h>

static const struct sink_kind *const kinds[] = {
    [HECTIC_TO_FILE] = &sink_to_file, [HECTIC_TO_FIFO] = &sink_to_fifo,
    [HECTIC_TO_FD] = &sink_to_fd,     [HECTIC_TO_UNIX] = &sink_to_unix,
    [HECTIC_TO_TCP] = &sink_to_tcp,   [HECTIC_TO_WRITER] = &sink_to_writer,
};

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* Copies *text to *at, and advances *at. */
static void copy_text(const char **text, char **at)
{
    const size_t size = text_size(*text);
    if (size) *text = memcpy(*at, *text, size);
    *at += size;
}

sink *sink_new(const hectic_destination *destination)
{
    const size_t kind = (size_t)destination->kind;
    if (kind < sizeof kinds / sizeof *kinds) return sink_new_of(kinds[kind], destination);
    errno = EINVAL;
    return NULL;
}

sink *sink_new_of(const struct sink_kind *kind, const hectic_destination *destination)
{
    sink *s = calloc(1, sizeof *s + text_size(destination->path) + text_size(destination->host) +
                            text_size(destination->port) + text_size(destination->token_file));
    if (!s) return NULL;
    s->kind = kind;
    s->destination = *destination;
    s->fd = -1;
    char *at = s->strings;
    copy_text(&s->destination.path, &at);
    copy_text(&s->destination.host, &at);
    copy_text(&s->destination.port, &at);
    copy_text(&s->destination.token_file, &at);
    if (destination->writer) {
        s->writer = *destination->writer;
        s->destination.writer = &s->writer;
    }
    const int error = s->kind->prepare(s);
    if (!error) return s;
    free(s);
    errno = error;
    return NULL;
}

void sink_free(sink *s)
{
    if (s && s->kind->release) s->kind->release(s);
    free(s);
}

/* Compares the rendered text of all logs in a directory that have a LOG.show. The renderer gets a
 * buffer of exactly the declared size. */
#ifndef HECTIC_TEST_GOLDEN_H
#define HECTIC_TEST_GOLDEN_H

#include "bytes.h"
#include "render/renderer.h"

#include <glob.h>

static inline int golden_by_time(const void *a, const void *b)
{
    const hectic_event *const x = a, *const y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* All events of a log, ordered by time, then by position. */
static inline struct found golden_read(const struct bytes *log)
{
    struct found events = found_in(log->data, log->length);
    if (events.count) qsort(events.event, events.count, sizeof *events.event, golden_by_time);
    return events;
}

/* Renders into a buffer of exactly hectic_render_bound bytes; the caller frees it. Bytes after it
 * must not change, also in builds without a sanitizer. */
static inline char *golden_render(const hectic_renderer *renderer, const hectic_event *event,
                                  bool json, size_t *length)
{
    enum { GUARD = 64 };
    const size_t bound = hectic_render_bound(event);
    char *const room = malloc(bound + GUARD);
    assert_non_null(room);
    memset(room + bound, 0x5a, GUARD);
    *length =
        json ? hectic_render_json(renderer, event, room)
             : hectic_render_line(renderer, event, HECTIC_TIME_RAW, HECTIC_UNKNOWN_DESCRIBED, room);
    assert_true(*length <= bound);
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(room[bound + i], 0x5a);
    return room;
}

static inline void golden_check(const char *log_path, const char *show_path)
{
    struct bytes log = bytes_of_file(log_path), show = bytes_of_file(show_path), text = {0};
    struct found events = golden_read(&log);
    const hectic_header *const header = hectic_decoder_header(events.decoder);
    if (header) {
        size_t count, length;
        const hectic_event_type *const types = hectic_header_types(header, &count);
        hectic_renderer *const renderer = hectic_renderer_new(header);
        bytes_write(&text, "Event Types:\n", 13);
        for (size_t i = 0; i < count; i++) {
            char *const room = malloc(64 + 4 * (size_t)types[i].description_length);
            bytes_write(&text, room, render_type(&types[i], room));
            bytes_write(&text, "\n", 1);
            free(room);
        }
        bytes_write(&text, "\nEvents:\n", 9);
        for (size_t i = 0; i < events.count; i++) {
            char *const room = golden_render(renderer, &events.event[i], false, &length);
            bytes_write(&text, room, length);
            bytes_write(&text, "\n", 1);
            free(room);
        }
        bytes_write(&text, "\n", 1);
        hectic_renderer_free(renderer);
    }
    size_t same = 0;
    while (same < text.length && same < show.length && text.data[same] == show.data[same])
        same++;
    if (same < text.length || same < show.length)
        fail_msg("%s: byte %zu: rendered %.40s, expected %.40s", show_path, same,
                 text.length > same ? (const char *)text.data + same : "nothing",
                 show.length > same ? (const char *)show.data + same : "nothing");
    found_free(&events);
    bytes_free(&log);
    bytes_free(&show);
    bytes_free(&text);
}

/* Returns the number of logs compared. */
static inline size_t golden_check_directory(const char *directory)
{
    char pattern[4096];
    glob_t found;
    size_t count = 0;
    snprintf(pattern, sizeof pattern, "%s/*.show", directory);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (; count < found.gl_pathc; count++) {
            char log[4096];
            const char *const show = found.gl_pathv[count];
            snprintf(log, sizeof log, "%.*s.eventlog", (int)(strlen(show) - 5), show);
            golden_check(log, show);
        }
        globfree(&found);
    }
    return count;
}

#endif

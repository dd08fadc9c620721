/* view.h — what a page that shows a log asks, and the answers: the same code answers in the
 * page (compiled to wasm) and in the server of hectic view.
 *
 *     hectic_view *v = hectic_view_new(&source);
 *     while (hectic_view_read(v, 1 << 20) == HECTIC_VIEW_MORE) …;
 *     hectic_view_answer a;
 *     if (hectic_view_ask(v, "stat?from=0&to=1000000", &a)) … a.bytes, a.length …
 *
 * A request is a line of text, as the query of a URL: NAME?KEY=VALUE&…, with %XX for bytes. An
 * answer is JSON, or bytes (little-endian). docs/requests.md has all requests, their keys and the
 * members of their answers.
 *
 * Some requests take long: each answer does a part of the work. Until it is done, the answer is the
 * JSON {"complete":false,"progress":P}, P from 0 to 1: ask the same again. A few such requests may
 * be under way; if there are more, the one that was not asked for the longest time begins again.
 */
#ifndef HECTIC_SRC_VIEW_H
#define HECTIC_SRC_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hectic_timeline_bytes; /* timeline/timeline.h */
typedef struct hectic_view hectic_view;

/* A log whose bytes can be read at any position. */
typedef struct hectic_view_source {
    void *user;
    const char *name; /* of the log, as commands take it; NULL: unknown */
    uint64_t size;    /* bytes, for progress; 0: unknown */
    unsigned logs;    /* how many there are beside each other, with this one; 0: one */
    /* Reads up to `size` bytes; returns their number, 0 at the end, -1 if it failed. */
    ptrdiff_t (*read)(void *user, uint64_t position, void *buffer, size_t size);
    /* What this request, or the next part of it, reads next: see timeline/timeline.h. NULL: it
     * need not be known. */
    void (*expect)(void *user, const struct hectic_timeline_bytes *bytes, size_t count,
                   bool at_once);
    /* At its end: may bytes follow? If they do although it said no, they are read, too. NULL:
     * never. */
    bool (*grows)(void *user);
    /* Sets why there are no more bytes yet; false: it is not known. NULL: never. */
    bool (*waits)(void *user, char *text, size_t size);
    /* Calls `task` for each number below `threads`, in a thread each, and waits for all; `read` is
     *  then called by several threads. NULL: the log is read by one thread. */
    void (*run)(void (*task)(void *argument, unsigned number), void *argument, unsigned threads);
    unsigned threads; /* for run */
} hectic_view_source;

/* NULL: out of memory. */
hectic_view *hectic_view_new(const hectic_view_source *source);
void hectic_view_free(hectic_view *view);

typedef enum hectic_view_result {
    HECTIC_VIEW_MORE,  /* there is more to read */
    HECTIC_VIEW_END,   /* everything so far was read; the log may grow */
    HECTIC_VIEW_FAILED /* out of memory, no log, or the source failed: see the request `error` */
} hectic_view_result;

/* Reads about `size` bytes of the log into the index. */
hectic_view_result hectic_view_read(hectic_view *view, size_t size);

/* Has it read a header? */
bool hectic_view_has_log(const hectic_view *view);

typedef struct hectic_view_answer {
    const char *type; /* "application/json" or "application/octet-stream" */
    const uint8_t *bytes;
    size_t length;
    bool is_part; /* it is not done: ask the same again */
} hectic_view_answer;

/* Answers a request; the answer is owned by the view, and valid until the next call. False: the
 *  request is malformed or failed; the answer is then JSON with the members message and code. */
bool hectic_view_ask(hectic_view *view, const char *request, hectic_view_answer *answer);

/* Why reading or the last request failed: as in the answer of `error`, but not as JSON. NULL: it
 * did not. */
const char *hectic_view_message(const hectic_view *view);

#endif

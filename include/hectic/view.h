/* hectic/view.h — what a page that shows a log asks, and the answers: the same code answers in the
 * page (compiled to wasm) and in the server of hectic view.
 *
 *     hectic_view *v = hectic_view_new(&source);
 *     while (hectic_view_read(v, 1 << 20) == HECTIC_VIEW_MORE) …;
 *     hectic_view_answer a;
 *     if (hectic_view_ask(v, "stat?from=0&to=1000000", &a)) … a.bytes, a.length …
 *
 * A request is a line of text, as the query of a URL: NAME?KEY=VALUE&…, with %XX for bytes. Times
 * are ns from the beginning of the log's clock. Unknown keys are ignored. An answer is JSON, or
 * bytes (little-endian).
 *
 * | request | keys | answer |
 * |---|---|---|
 * | overview | section | JSON: sections, from_ns, to_ns, caps, program, recorded, progress, complete |
 * | columns | section, from, to, width | bytes: "HCOL", u32 width, u32 caps, u32 1 if exact; then, cap
 *   by cap and column by column, 4 bytes: the shares (0 … 255) of running, collecting, waiting; 0 |
 * | labels | section, from, to, width | JSON: spans of caps that are at least 24 columns wide:
 *   cap, from_ns, to_ns, thread, label, stop |
 * | curves | section, from, to, width | JSON: of heap_size, blocks, live and allocated: min, max of
 *   each column; null where there is no value |
 * | stat | section, from, to | JSON: the object of hectic stat --json --from --to |
 * | error | | JSON: message, if a request fails |
 */
#ifndef HECTIC_VIEW_H
#define HECTIC_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_view hectic_view;

/** A log whose bytes can be read at any position; it may grow. */
typedef struct hectic_view_source {
    void *user;
    /** Reads up to `size` bytes; returns their number, 0 at the end, -1 if it failed. */
    ptrdiff_t (*read)(void *user, uint64_t position, void *buffer, size_t size);
} hectic_view_source;

/** NULL: out of memory. */
hectic_view *hectic_view_new(const hectic_view_source *source);
void hectic_view_free(hectic_view *view);

typedef enum hectic_view_result {
    HECTIC_VIEW_MORE,  /**< there is more to read */
    HECTIC_VIEW_END,   /**< everything so far was read; the log may grow */
    HECTIC_VIEW_FAILED /**< out of memory, no log, or the source failed: see the request `error` */
} hectic_view_result;

/** Reads about `size` bytes of the log into the index. */
hectic_view_result hectic_view_read(hectic_view *view, size_t size);

typedef struct hectic_view_answer {
    const char *type; /**< "application/json" or "application/octet-stream" */
    const uint8_t *bytes;
    size_t length;
} hectic_view_answer;

/** Answers a request; the answer is owned by the view, and valid until the next call. False: the
 *  request is malformed or failed; the answer is then that of `error`. */
bool hectic_view_ask(hectic_view *view, const char *request, hectic_view_answer *answer);

#ifdef __cplusplus
}
#endif
#endif

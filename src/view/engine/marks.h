/* marks.h — what pictures show of collections, spans, markers and messages: lists in memory, made
 * from the excerpt of a section. */
#ifndef HECTIC_SRC_VIEW_MARKS_H
#define HECTIC_SRC_VIEW_MARKS_H

#include "view/engine/engine.h"

#include "facts/collections.h"
#include "facts/spans.h"

enum {
    MARKS_MAX = 1 << 20, /* of each kind */
    SEGMENT_MARKS = 1 << 15,
    MARK_SEGMENTS = MARKS_MAX / SEGMENT_MARKS,
    DEPTHS = 8,
    NO_ROW = UINT32_MAX
};

struct collection_mark {
    uint64_t from, to;  /* of the pause */
    uint64_t safepoint; /* ns before it, in which caps were waited for */
    uint32_t generation;
    uint16_t cap;
    bool has_generation, has_cap;
};

/* Spans have rows by what started them, or by their labels. */
enum rows_by { BY_THREAD, BY_NAME, ROWS_BY };

struct span_mark {
    uint64_t from, to;
    const char *label;
    uint32_t row[ROWS_BY];  /* NO_ROW: none */
    uint8_t depth[ROWS_BY]; /* spans that overlap have different ones, except in the last */
    bool is_stopped, is_across;
};

/* A row of spans. */
struct span_row {
    bool has_thread; /* otherwise the spans of a cap that were started by no known thread */
    uint32_t thread;
    uint16_t cap;
    const char *label; /* BY_NAME */
    uint64_t total;
    uint8_t depths;
    uint64_t busy[DEPTHS]; /* up to when */
};

struct message_mark {
    uint64_t time;
    const uint8_t *text; /* in the excerpt */
    uint32_t thread;
    uint16_t size, cap;
    bool is_marker, has_thread;
};

struct marks {
    const struct excerpt *excerpt;
    uint64_t taken; /* excerpt_taken, of what it is made of */
    struct {
        uint64_t collections, spans, messages;
    } cut; /* ns: from then on some are left out, since there are more than MARKS_MAX, or too many
              rows; UINT64_MAX: all are there */
    size_t collections, spans, messages;
    struct collection_mark *collection[MARK_SEGMENTS];
    struct span_mark *span; /* in order of their beginnings */
    struct message_mark *message[MARK_SEGMENTS];
    size_t rows[ROWS_BY];
    struct span_row *row[ROWS_BY];
    uint32_t *rank[ROWS_BY];     /* of each row: 0 has the longest time in total */
    struct marks_making *making; /* NULL: complete */
    hectic_spans *analysis;      /* it has the labels */
};

void marks_free(struct marks *marks);

static inline struct collection_mark *collection_at(const struct marks *marks, size_t i)
{
    return &marks->collection[i / SEGMENT_MARKS][i % SEGMENT_MARKS];
}

static inline struct message_mark *message_at(const struct marks *marks, size_t i)
{
    return &marks->message[i / SEGMENT_MARKS][i % SEGMENT_MARKS];
}

/* The marks of a section. RANGE_MORE: there are none yet, and it sets *progress. RANGE_END: it sets
 * *marks; RANGE_STOPPED: there are too many events for them. RANGE_FAILED: view_fail. */
range_result view_marks(hectic_view *view, const struct section *section,
                        const struct marks **marks, double *progress);

#endif

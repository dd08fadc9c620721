/* snapshot.h — what a report has instead of a log: the pictures of its sections, and the answers to
 * requests about the whole run. An engine reads it as it reads a log.
 *
 * "hectic-snapshot 1\n", then records: a byte that says what it is, the number of its bytes (u32,
 * little-endian), and these:
 *
 *     S   a section, as timeline_save writes it
 *     P   its process, if the log has several: a byte (1: the capset is known, 2: the process id),
 *         and these (u32, big-endian)
 *     A   an answer: a byte of enum saved_answer, the request as text, a NUL, and the answer
 */
#ifndef HECTIC_SRC_VIEW_SNAPSHOT_H
#define HECTIC_SRC_VIEW_SNAPSHOT_H

#include "view/engine/engine.h"

enum { SNAPSHOT_MAX = 1 << 26 /* bytes */, SAVED_ANSWERS_MAX = 1024 };

/* What is known of an answer. */
enum saved_answer {
    SAVED_BYTES = 1,     /* it is not JSON */
    SAVED_FAILED = 2,    /* it is why the request failed */
    SAVED_FOR_PARTS = 4, /* it also answers for parts of the run: a picture of rows */
    SAVED_ERROR = 4,     /* from this bit on: enum view_error */
};

/* Does the input begin as a snapshot does? */
bool snapshot_begins(const uint8_t *bytes, size_t size);

/* Keeps bytes of a snapshot. False: failed (view_fail). */
bool snapshot_take(hectic_view *view, const uint8_t *bytes, size_t size);

/* Makes the sections of a snapshot that was taken as a whole. False: failed (view_fail). */
bool snapshot_load(hectic_view *view);

/* Answers by an answer of the snapshot. False: failed (view_fail). */
bool answer_saved(hectic_view *view);

void snapshot_free(hectic_view *view);

#endif

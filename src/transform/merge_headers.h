/* One header for the events of several logs. */
#ifndef HECTIC_SRC_MERGE_HEADERS_H
#define HECTIC_SRC_MERGE_HEADERS_H

#include <hectic/header.h>

typedef struct merged_headers {
    hectic_header *header;
    /* For each log, by the index of a type in its header: the type in this one. */
    const hectic_event_type ***type;
    size_t logs;
} merged_headers;

/* Types of one number and size are one, with the first log's description. So are those that the
 * catalogue reads alike although one has more bytes at its end: the other then gets zeros there.
 * Otherwise the number stays with the type of which the catalogue knows more fields, and others get
 * numbers from MERGE_HEADERS_FREE on that no log declares: they keep their bytes and description,
 * which is what tools show of types they do not know. An event is never given fields that it did
 * not have.
 *
 * False: no memory, or what hectic_header_new does not take. */
bool unite(merged_headers *u, const hectic_header *const *headers, size_t count);
void merged_headers_clear(merged_headers *u);

enum { MERGE_HEADERS_FREE = 1000 };

#endif

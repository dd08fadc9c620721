/* Merges the headers of several logs. */
#ifndef HECTIC_SRC_MERGE_HEADERS_H
#define HECTIC_SRC_MERGE_HEADERS_H

#include <hectic/header.h>

typedef struct merged_headers {
    hectic_header *header;
    /* For each log, by the index of a type in its header: the merged type. */
    const hectic_event_type ***type;
    size_t logs;
} merged_headers;

/* Types with the same number and size become one, with the first log's description; also types with
 * the same shape in the catalogue but different sizes: smaller payloads are padded with zeros.
 * Otherwise the type with more fields in the catalogue keeps the number, and others get numbers
 * from MERGE_HEADERS_FREE on that no log declares: they keep their bytes and description, which
 * tools show for unknown types. An event never gets fields that it did not have.
 *
 * False: out of memory, or hectic_header_new fails. */
bool merge_header_types(merged_headers *u, const hectic_header *const *headers, size_t count);
void merged_headers_clear(merged_headers *u);

enum { MERGE_HEADERS_FREE = 1000 };

#endif

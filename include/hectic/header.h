/* hectic/header.h — a log's header: the table of its event types.
 *
 * A header is immutable, so any thread may read it.
 */
#ifndef HECTIC_HEADER_H
#define HECTIC_HEADER_H

#include <hectic/catalogue.h>
#include <hectic/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The declared size of an event type whose events carry their own length. */
#define HECTIC_VARIABLE 0xffffu

/** The number that marks the end of the events; not an event type. */
#define HECTIC_DATA_END 0xffffu

/** Limits of an accepted header; real ones have less than 10 KB and 100 types. They prevent an
 *  arbitrary file from being buffered as a whole in search of its header. */
#define HECTIC_HEADER_MAX      (4u << 20) /**< bytes of a header */
#define HECTIC_DESCRIPTION_MAX (1u << 16) /**< bytes of a description, or of the extra info */

/** One event type of a header. The texts are not NUL-terminated and belong to the header. */
typedef struct hectic_event_type {
    uint16_t number;
    uint16_t size; /**< the payload's bytes, or HECTIC_VARIABLE */
    uint32_t description_length;
    uint32_t extra_length;
    const char *description;
    const uint8_t *extra;      /**< bytes that the format reserves for extensions; usually none */
    const hectic_shape *shape; /**< its row in the catalogue; NULL: an unknown event or size */
} hectic_event_type;

typedef struct hectic_header hectic_header;

/** Parses a header that starts at bytes[0]. Returns
 *  - its length in bytes, with *header set (free it with hectic_header_free);
 *  - 0 with *header NULL and error->kind HECTIC_OK: more bytes are needed;
 *  - 0 with *header NULL and another error->kind: not a valid header (positions count from
 *    bytes[0]).
 *
 *  The header keeps its own copy of the bytes. */
size_t hectic_header_parse(hectic_header **header, const uint8_t *bytes, size_t length,
                           hectic_error *error);

/** A header with the given types, for a writer; the types' texts are copied, their `shape` is
 *  ignored and looked up. NULL if out of memory, or a limit is exceeded. */
hectic_header *hectic_header_new(const hectic_event_type *types, size_t count);

void hectic_header_free(hectic_header *header);

/** The types in the order of the header; sets *count. */
const hectic_event_type *hectic_header_types(const hectic_header *header, size_t *count);

/** The type with this number (the last one if several are declared), or NULL. */
const hectic_event_type *hectic_header_type(const hectic_header *header, uint16_t number);

/** The encoded header, from "hdrb" to "datb"; sets *length. Owned by the header. */
const uint8_t *hectic_header_bytes(const hectic_header *header, size_t *length);

/** True if status numbers of STOP_THREAD from 8 on are one too high, as in logs of GHC 7.8.2. These
 *  declare USER_MARKER, but not HACK_BUG_T9003, which was added as a mark of the correct numbers.
 */
bool hectic_header_shifted_stop_status(const hectic_header *header);

#ifdef __cplusplus
}
#endif
#endif

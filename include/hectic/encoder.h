/* hectic/encoder.h — events in, bytes out.
 *
 * The functions write to the caller's memory, keep no state and can be called from any thread. Each
 * returns the number of bytes written, or the number needed if `capacity` is too small (nothing is
 * written then): compare the result with the capacity.
 */
#ifndef HECTIC_ENCODER_H
#define HECTIC_ENCODER_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a BLOCK_MARKER event, which its `size` field includes. */
#define HECTIC_BLOCK_MARKER_SIZE 24u

/** A header, from "hdrb" to "datb", with its types in order and their extra info. */
size_t hectic_encode_header(uint8_t *out, size_t capacity, const hectic_event_type *types,
                            size_t count);

/** One event: its type, time, length (if its declared size is variable) and payload. `declared`,
 *  `type`, `time`, `size` and `payload` are used; `cap` and `position` are not. The size of a
 *  fixed-size event must be the declared one: otherwise 0 is returned. */
size_t hectic_encode_event(uint8_t *out, size_t capacity, const hectic_event *event);

/** One event from the values of its fields: numbers for integers, bytes and length for other fields
 *  (without a HECTIC_STRING's NUL or a HECTIC_U32S's count). `declared` gives number, size and
 *  shape; declared bytes beyond the shape are zero. Optional fields at the end may be omitted. 0:
 *  the type has no shape, a number does not fit its field, a HECTIC_STRING contains a NUL, or the
 *  payload would exceed 65,535 bytes or the declared size. */
size_t hectic_encode_fields(uint8_t *out, size_t capacity, const hectic_event_type *declared,
                            uint64_t time, const hectic_value *value, size_t count);

/** A BLOCK_MARKER: the block begins at `time`, ends at `end_time`, and has `size` bytes, including
 *  HECTIC_BLOCK_MARKER_SIZE. cap HECTIC_CAP_NONE: global events. */
size_t hectic_encode_block_marker(uint8_t *out, size_t capacity, uint64_t time, uint32_t size,
                                  uint64_t end_time, uint16_t cap);

/** The end marker, 2 bytes. */
size_t hectic_encode_data_end(uint8_t *out, size_t capacity);

/** The event type for a writer's header: event `number` in the shape that hectic writes
 *  (hectic_shape_by_number), with GHC's description. All zero, with shape NULL, if the catalogue
 *  has no such event. */
hectic_event_type hectic_type_of(uint16_t number);

#ifdef __cplusplus
}
#endif
#endif

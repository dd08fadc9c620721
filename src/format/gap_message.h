/* Messages that tell of gaps: their texts are in hectic/gaps.h. */
#ifndef HECTIC_SRC_GAP_MESSAGE_H
#define HECTIC_SRC_GAP_MESSAGE_H

#include <hectic/decoder.h>

enum gap_kind { GAP_NONE, GAP_DROPPED, GAP_OFF, GAP_ON };

/* Beside HECTIC_CLASS_BITs: logging as a whole, and what is none of our classes. */
#define GAP_LOGGING (UINT64_C(1) << 63)
#define GAP_UNKNOWN (UINT64_C(1) << 62)

/* What the text of a LOG_MSG tells. *number: how many events were dropped (above 0), or the bits of
 * the switches that were turned. */
enum gap_kind gap_message(const uint8_t *text, size_t size, uint64_t *number);

#endif

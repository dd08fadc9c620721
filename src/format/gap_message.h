/* Messages that tell of gaps: their texts are in hectic/gaps.h. */
#ifndef HECTIC_SRC_GAP_MESSAGE_H
#define HECTIC_SRC_GAP_MESSAGE_H

#include <hectic/decoder.h>

enum gap_kind { GAP_NONE, GAP_DROPPED, GAP_OFF, GAP_ON };

/* What the text of a LOG_MSG tells. *number: how many events were dropped (above 0), or how many
 * switches, of logging or of classes, were turned. */
enum gap_kind gap_message(const uint8_t *text, size_t size, uint64_t *number);

#endif

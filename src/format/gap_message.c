/* The texts of messages that tell of gaps, read. */
#include "format/gap_message.h"

#include <hectic/gaps.h>

#include <string.h>

/* Goes behind what the text begins with. */
static bool skip(const uint8_t **text, size_t *size, const char *what)
{
    const size_t length = strlen(what);
    if (*size < length || memcmp(*text, what, length) != 0) return false;
    *text += length;
    *size -= length;
    return true;
}

static enum gap_kind dropped(const uint8_t *text, size_t size, uint64_t *number)
{
    if (!skip(&text, &size, HECTIC_GAP_BEGINS)) return GAP_NONE;
    for (*number = 0; size > 0 && *text >= '0' && *text <= '9'; text++, size--) {
        if (*number > (UINT64_MAX - 9) / 10) return GAP_NONE;
        *number = 10 * *number + (*text - (unsigned)'0');
    }
    return *number > 0 && skip(&text, &size, HECTIC_GAP_DROPPED) && size == 0 ? GAP_DROPPED
                                                                              : GAP_NONE;
}

enum gap_kind gap_message(const uint8_t *text, size_t size, uint64_t *number)
{
    enum { NAMES_MOST = 512 };
    const uint8_t *at = text;
    size_t rest = size;
    if (!skip(&at, &rest, HECTIC_GAP_LOGGING)) return dropped(text, size, number);
    /* " of gc, nonmoving", or nothing */
    *number = 1;
    for (unsigned i = 0; i < NAMES_MOST && rest > 0; i++, at++, rest--) {
        if (skip(&at, &rest, HECTIC_GAP_OFF)) return GAP_OFF;
        if (skip(&at, &rest, HECTIC_GAP_ON)) return GAP_ON;
        if (rest > 0) *number += *at == ',';
    }
    return GAP_NONE;
}

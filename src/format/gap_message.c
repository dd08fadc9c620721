/* Parses the texts of gap messages. */
#include "format/gap_message.h"

#include <hectic/catalogue.h>
#include <hectic/gaps.h>

#include <string.h>

/* Skips a prefix of the text. */
static bool skip(const uint8_t **text, size_t *size, const char *what)
{
    const size_t length = strlen(what);
    if (*size < length || memcmp(*text, what, length) != 0) return false;
    *text += length;
    *size -= length;
    return true;
}

static enum gap_kind missing(const uint8_t *text, size_t size, uint64_t *number)
{
    if (skip(&text, &size, HECTIC_GAP_MISSING)) return size == 0 ? GAP_MISSING : GAP_NONE;
    if (!skip(&text, &size, HECTIC_GAP_BEGINS)) return GAP_NONE;
    for (*number = 0; size > 0 && *text >= '0' && *text <= '9'; text++, size--) {
        if (*number > (UINT64_MAX - 9) / 10) return GAP_NONE;
        *number = 10 * *number + (*text - (unsigned)'0');
    }
    const enum gap_kind kind = skip(&text, &size, HECTIC_GAP_DROPPED) ? GAP_DROPPED
                               : skip(&text, &size, HECTIC_GAP_LOST)  ? GAP_LOST
                                                                      : GAP_NONE;
    return *number > 0 && size == 0 ? kind : GAP_NONE;
}

/* The bit of the class with this name. */
static uint64_t bit_of(const uint8_t *name, size_t size)
{
    for (unsigned c = 0; c < HECTIC_CLASS_COUNT; c++) {
        const char *class_ = hectic_class_name((hectic_class)c);
        if (strlen(class_) == size && memcmp(class_, name, size) == 0) return HECTIC_CLASS_BIT(c);
    }
    return GAP_UNKNOWN;
}

enum gap_kind gap_message(const uint8_t *text, size_t size, uint64_t *number)
{
    enum { NAMES_MAX = 512 };
    const uint8_t *at = text;
    size_t rest = size;
    if (!skip(&at, &rest, HECTIC_GAP_LOGGING)) return missing(text, size, number);
    /* " of gc, nonmoving", or nothing */
    const bool is_all = !skip(&at, &rest, " of ");
    const uint8_t *const end = at + (rest < NAMES_MAX ? rest : NAMES_MAX), *name = at;
    for (*number = 0; at < end;) {
        const size_t length = (size_t)(at - name);
        const bool off = skip(&at, &rest, HECTIC_GAP_OFF);
        if (off || skip(&at, &rest, HECTIC_GAP_ON)) {
            *number |= is_all ? GAP_LOGGING : bit_of(name, length);
            return off ? GAP_OFF : GAP_ON;
        }
        if (skip(&at, &rest, ", ")) {
            *number |= bit_of(name, length);
            name = at;
        } else {
            at++;
            rest--;
        }
    }
    return GAP_NONE;
}

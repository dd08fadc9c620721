/* screen.c — see screen.h. */
#include "screen.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const uint32_t bad = 0xfffd;

size_t screen_character(const char *text, size_t length, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const unsigned char first = bytes[0];
    const size_t size = first < 0x80                    ? 1
                        : first >= 0xc2 && first < 0xe0 ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    *character = bad;
    if (size == 0 || size > length) return 1;
    uint32_t value = size == 1 ? first : first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 1;
    *character = value;
    return size;
}

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range *range, size_t count, uint32_t character)
{
    for (size_t i = 0; i < count && range[i].first <= character; i++)
        if (character <= range[i].last) return true;
    return false;
}

/* How many columns a character takes, by blocks of Unicode: combining marks none, those of East
 * Asia and pictures two. */
static size_t width_of(uint32_t character)
{
    static const struct range none[] = {
        {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},     {0x64b, 0x65f},
        {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},   {0x2060, 0x2064},
        {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
    };
    static const struct range two[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
        {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
        {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
        {0x20000, 0x3fffd},
    };
    if (character < none[0].first) return 1;
    if (is_in(none, sizeof none / sizeof *none, character)) return 0;
    return is_in(two, sizeof two / sizeof *two, character) ? 2 : 1;
}

/* Controls, and what turns the direction of text or ends lines. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x2028 ||
           character == 0x2029 || (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

static size_t escape(uint32_t character, char *out)
{
    char text[16];
    const char *name = character < 0x20 ? strchr("\aa\bb\tt\nn\vv\ff\rr", (int)character) : NULL;
    int length;
    if (name && character != 0)
        length = snprintf(text, sizeof text, "\\%c", name[1]);
    else
        length = snprintf(text, sizeof text, character < 0x100 ? "\\x%02x" : "\\u%04x", character);
    memcpy(out, text, (size_t)length);
    return (size_t)length;
}

/* One character; *width: its columns. Returns the bytes. */
static size_t put_character(uint32_t character, const char *text, size_t size, char *out,
                            size_t *width)
{
    if (is_control(character)) return *width = escape(character, out);
    *width = width_of(character);
    if (character == bad) {
        text = "\xef\xbf\xbd";
        size = 3;
    }
    memcpy(out, text, size);
    return size;
}

size_t screen_text(const char *text, size_t length, size_t most, char *out, size_t *width)
{
    static const char more[] = "\xe2\x80\xa6";    /* "…" */
    size_t written = 0, fits = 0, fits_width = 0; /* fits: as much as leaves a column free */
    *width = 0;
    while (length > 0) {
        uint32_t character;
        size_t columns;
        const size_t size = screen_character(text, length, &character);
        written += put_character(character, text, size, out + written, &columns);
        *width += columns;
        if (*width > most) {
            memcpy(out + fits, more, sizeof more - 1);
            *width = fits_width + 1;
            return fits + sizeof more - 1;
        }
        if (*width < most) {
            fits = written;
            fits_width = *width;
        }
        text += size;
        length -= size;
    }
    return written;
}

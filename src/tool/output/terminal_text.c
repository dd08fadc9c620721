/* terminal_text.c — see terminal_text.h. */
#include "tool/output/terminal_text.h"

#include "render/visible.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range *range, size_t count, uint32_t character)
{
    for (size_t i = 0; i < count && range[i].first <= character; i++)
        if (character <= range[i].last) return true;
    return false;
}

/* The columns of a character, by Unicode block: 0 for combining marks, 2 for East Asian characters
 * and emoji. */
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

bool terminal_is_utf8(void)
{
    /* By the locale's name: loading a locale can fail for lack of memory, and is slow. */
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = getenv(variables[i]);
        if (!name || !*name) continue;
        const char *charset = strchr(name, '.');
        return charset &&
               (strncasecmp(charset, ".UTF-8", 6) == 0 || strncasecmp(charset, ".UTF8", 5) == 0);
    }
    return false;
}

size_t terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    const long wanted = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (wanted > 0) return (size_t)wanted;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

size_t terminal_text_fit(const char *text, size_t length, size_t most, char *out, size_t *width)
{
    static const char more[] = "\xe2\x80\xa6";    /* "…" */
    size_t written = 0, fits = 0, fits_width = 0; /* fits: what leaves a column for "…" */
    *width = 0;
    while (length > 0) {
        uint32_t character;
        size_t size;
        char *const end =
            put_visible(out + written, (const uint8_t *)text, length, &size, &character);
        *width += character ? width_of(character) : (size_t)(end - out) - written;
        written = (size_t)(end - out);
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

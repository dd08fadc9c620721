/* shell_word.c — see shell_word.h. */
#include "render/shell_word.h"

#include "render/put.h"
#include "render/visible.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Three octal digits: with hexadecimal ones, shells differ in where they end. */
static char *put_octal(char *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        *out++ = '\\';
        for (unsigned shift = 9; shift > 0; shift -= 3)
            *out++ = (char)('0' + (bytes[i] >> (shift - 3) & 7));
    }
    return out;
}

/* For $'...'. Sets *is_visible: nothing but quotes and backslashes had to be escaped. */
static char *put_escaped(char *out, const char *text, bool *is_visible)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t length = strlen(text), size;
    *is_visible = true;
    for (; length > 0; bytes += size, length -= size) {
        char shown[VISIBLE_MAX * VISIBLE_MAX];
        uint32_t character;
        put_visible(shown, bytes, length, &size, &character);
        if (!character) *is_visible = false;
        out = !character || character == '\'' || character == '\\' ? put_octal(out, bytes, size)
                                                                   : put_bytes(out, bytes, size);
    }
    return out;
}

static char *put_quoted(char *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') out = put_string(out, "'\\'");
        *out++ = *text;
    }
    return out;
}

char *shell_word(const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-,./:=@_%";
    static const char here[] = "./", dollar[] = "$'";
    char *word = malloc(sizeof here + sizeof dollar + 4 * strlen(text) + sizeof "'");
    bool is_visible;
    if (!word) return NULL;
    char *end = put_string(word, *text == '-' ? here : "");
    if (*text && text[strspn(text, plain)] == 0) return strcpy(end, text), word;
    char *escaped = put_escaped(put_string(end, dollar), text, &is_visible);
    if (is_visible) escaped = put_quoted(put_string(end, "'"), text);
    *put_string(escaped, "'") = 0;
    return word;
}

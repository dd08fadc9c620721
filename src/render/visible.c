#include "render/visible.h"

#include "render/printable.h"
#include "render/put.h"
#include "render/text.h"

#include <hectic/render.h>

/* An escape \x, \u or \U with `digits` hexadecimal digits. */
static char *put_escape(char *out, char kind, uint32_t value, unsigned digits)
{
    *out++ = '\\';
    *out++ = kind;
    while (digits-- > 0)
        *out++ = "0123456789abcdef"[value >> 4 * digits & 15];
    return out;
}

char *put_visible(char *out, const uint8_t *bytes, size_t length, size_t *size, uint32_t *character)
{
    static const char letters[] = {['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',
                                   ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};
    const uint32_t c = decode_utf8(bytes, length, size);
    *character = 0;
    if (c == BAD_CHARACTER) return put_escape(out, 'x', bytes[0], 2);
    if (c < sizeof letters && letters[c]) {
        *out++ = '\\';
        *out++ = letters[c];
        return out;
    }
    if (is_printable(c)) {
        *character = c;
        return put_bytes(out, bytes, *size);
    }
    if (c < 0x80) return put_escape(out, 'x', c, 2);
    return c < 0x10000 ? put_escape(out, 'u', c, 4) : put_escape(out, 'U', c, 8);
}

size_t hectic_render_visible(const char *text, size_t length, char *out)
{
    const uint8_t *const bytes = (const uint8_t *)text;
    char *end = out;
    for (size_t i = 0, size; i < length; i += size) {
        uint32_t character;
        end = put_visible(end, bytes + i, length - i, &size, &character);
    }
    return (size_t)(end - out);
}

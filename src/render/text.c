#include "render/text.h"

#include "render/printable.h"
#include "render/put.h"

/* A table: the length of a sequence by its first byte, and the range of its second byte, which
 * excludes overlong forms, surrogates and values above U+10FFFF. */
uint32_t decode_utf8(const uint8_t *bytes, size_t length, size_t *size)
{
    static const struct {
        uint8_t first, size, second_low, second_high;
    } leads[] = {
        {0xf5, 0, 0, 0},       {0xf4, 4, 0x80, 0x8f}, {0xf1, 4, 0x80, 0xbf}, {0xf0, 4, 0x90, 0xbf},
        {0xee, 3, 0x80, 0xbf}, {0xed, 3, 0x80, 0x9f}, {0xe1, 3, 0x80, 0xbf}, {0xe0, 3, 0xa0, 0xbf},
        {0xc2, 2, 0x80, 0xbf}, {0x80, 0, 0, 0},
    };
    *size = 1;
    if (bytes[0] < 0x80) return bytes[0];
    size_t lead = 0;
    while (bytes[0] < leads[lead].first)
        lead++;
    const size_t count = leads[lead].size;
    if (count == 0 || length < count || bytes[1] < leads[lead].second_low ||
        bytes[1] > leads[lead].second_high)
        return BAD_CHARACTER;
    uint32_t character = bytes[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return BAD_CHARACTER;
        character = character << 6 | (bytes[i] & 0x3fu);
    }
    *size = count;
    return character;
}

/* The number of ASCII bytes at the beginning, rounded down to a multiple of 8. */
static size_t ascii_length(const uint8_t *bytes, size_t length)
{
    size_t i = 0;
    for (uint64_t eight; i + 8 <= length; i += 8) {
        memcpy(&eight, bytes + i, 8);
        if (eight & 0x8080808080808080) break;
    }
    while (i < length && bytes[i] < 0x80)
        i++;
    return i;
}

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

bool text_is_utf8(const uint8_t *bytes, size_t length)
{
    size_t size;
    for (size_t i = 0; i < length; i += size) {
        size = 1;
        if (bytes[i] >= 0x80 && decode_utf8(bytes + i, length - i, &size) == BAD_CHARACTER)
            return false;
    }
    return true;
}

char *put_utf8(char *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0, size; i < length; i += size) {
        size = ascii_length(bytes + i, length - i);
        if (size > 0)
            out = put_bytes(out, bytes + i, size);
        else if (decode_utf8(bytes + i, length - i, &size) == BAD_CHARACTER)
            out = put_literal(out, replacement);
        else
            out = put_bytes(out, bytes + i, size);
    }
    return out;
}

static char *put_latin1_character(char *out, uint8_t character)
{
    if (character >= 0x80) {
        *out++ = (char)(0xc0 | character >> 6);
        character = 0x80 | (character & 0x3f);
    }
    *out++ = (char)character;
    return out;
}

char *put_latin1(char *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        out = put_latin1_character(out, bytes[i]);
    return out;
}

char *put_dots(char *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0, size; i < length; i += size) {
        const uint32_t character = decode_utf8(bytes + i, length - i, &size);
        if (character != BAD_CHARACTER && is_printable(character))
            out = put_bytes(out, bytes + i, size);
        else
            *out++ = '.';
    }
    return out;
}

size_t without_trailing_nuls(const uint8_t *bytes, size_t length)
{
    while (length > 0 && bytes[length - 1] == 0)
        length--;
    return length;
}

bool text_list_next(struct text_list *list)
{
    if (!list->next) return false;
    const size_t left = (size_t)(list->end - list->next);
    const uint8_t *const nul = memchr(list->next, 0, left);
    list->text = list->next;
    list->length = nul ? (size_t)(nul - list->next) : left;
    list->next = nul ? nul + 1 : NULL;
    return true;
}

static char *put_escape(char *out, uint32_t character)
{
    static const char controls[][4] = {
        "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "a",   "b",   "t",   "n",
        "v",   "f",   "r",   "SO",  "SI",  "DLE", "DC1", "DC2", "DC3", "DC4", "NAK",
        "SYN", "ETB", "CAN", "EM",  "SUB", "ESC", "FS",  "GS",  "RS",  "US",
    };
    *out++ = '\\';
    if (character < 0x20) return put_string(out, controls[character]);
    if (character == 0x7f) return put_literal(out, "DEL");
    if (character < 0x7f) {
        *out++ = (char)character;
        return out;
    }
    char digits[8 + PUT_SLACK];
    const char *const end = put_below_1e8(digits, character);
    return put_bytes(out, digits, (size_t)(end - digits));
}

char *put_haskell_list(char *out, const uint8_t *bytes, size_t length)
{
    enum {
        NOTHING,
        NUMBER,
        SO
    } last = NOTHING; /* an escape that the next character could extend */
    length = without_trailing_nuls(bytes, length);
    out = put_literal(out, "[\"");
    for (size_t i = 0, size; i < length; i += size) {
        uint32_t c = decode_utf8(bytes + i, length - i, &size);
        if (c == BAD_CHARACTER) c = 0xfffd;
        if (c == 0) {
            out = put_literal(out, "\",\"");
            last = NOTHING;
            continue;
        }
        if ((last == NUMBER && c >= '0' && c <= '9') || (last == SO && c == 'H'))
            out = put_literal(out, "\\&");
        last = c == 0x0e ? SO : c > 0x7f ? NUMBER : NOTHING;
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
            out = put_escape(out, c);
        else
            *out++ = (char)c;
    }
    return put_literal(out, "\"]");
}

char *put_hex_bytes(char *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        *out++ = "0123456789abcdef"[bytes[i] >> 4];
        *out++ = "0123456789abcdef"[bytes[i] & 15];
    }
    return out;
}

/* An invalid byte: \xE4. */
static char *put_byte_escape(char *out, uint8_t byte)
{
    out = put_literal(out, "\\x");
    *out++ = "0123456789ABCDEF"[byte >> 4];
    *out++ = "0123456789ABCDEF"[byte & 15];
    return out;
}

/* A UTF-16 code unit. */
static char *put_json_unit(char *out, uint32_t unit)
{
    const uint8_t bytes[] = {(uint8_t)(unit >> 8), (uint8_t)unit};
    out = put_literal(out, "\\u");
    return put_hex_bytes(out, bytes, sizeof bytes);
}

/* A non-ASCII character in a JSON string: `bytes` are its UTF-8. Unprintable ones are escaped,
 * since they may affect a terminal. */
static char *put_json_character(char *out, uint32_t character, const uint8_t *bytes, size_t size)
{
    if (is_printable(character)) return put_bytes(out, bytes, size);
    if (character < 0x10000) return put_json_unit(out, character);
    out = put_json_unit(out, 0xd7c0 + (character >> 10));
    return put_json_unit(out, 0xdc00 + (character & 0x3ff));
}

/* Is it a character that a JSON string has as it is? */
static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* An ASCII character inside a JSON string. */
static char *put_json_ascii(char *out, uint8_t c)
{
    static const char letters[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
    };
    if (is_plain(c)) {
        *out++ = (char)c;
        return out;
    }
    if (c == 0x7f || (c < 0x20 && !letters[c])) return put_json_unit(out, c);
    *out++ = '\\';
    *out++ = c >= 0x20 ? (char)c : letters[c];
    return out;
}

char *put_exact(char *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0, size; i < length; i += size) {
        const uint32_t character = decode_utf8(bytes + i, length - i, &size);
        if (character == BAD_CHARACTER)
            out = put_byte_escape(out, bytes[i]);
        else
            out = put_bytes(character == '\\' ? put_literal(out, "\\") : out, bytes + i, size);
    }
    return out;
}

char *text_as_utf8(const char *text, size_t length, char *room)
{
    const uint8_t *bytes = (const uint8_t *)text;
    char *end = text_is_utf8(bytes, length) ? put_bytes(room, bytes, length)
                                            : put_exact(room, bytes, length);
    *end = 0;
    return room;
}

char *text_cut_as_utf8(const void *text, size_t length, size_t most, char *room)
{
    return text_as_utf8(text, text_cut(text, strnlen(text, length), most), room);
}

/* Of UTF-8; with `exact`, of what put_exact writes. */
static char *put_json(char *out, const uint8_t *bytes, size_t length, bool exact)
{
    *out++ = '"';
    for (size_t i = 0, size; i < length; i += size) {
        for (; i < length && is_plain(bytes[i]); i++)
            *out++ = (char)bytes[i];
        if (i == length) break;
        const uint32_t character = decode_utf8(bytes + i, length - i, &size);
        if (character == BAD_CHARACTER)
            out = exact ? put_byte_escape(put_literal(out, "\\"), bytes[i])
                        : put_literal(out, replacement);
        else if (character >= 0x80)
            out = put_json_character(out, character, bytes + i, size);
        else
            out = put_json_ascii(exact && character == '\\' ? put_literal(out, "\\\\") : out,
                                 bytes[i]);
    }
    *out++ = '"';
    return out;
}

char *put_json_utf8(char *out, const uint8_t *bytes, size_t length)
{
    return put_json(out, bytes, length, false);
}

char *put_json_exact(char *out, const uint8_t *bytes, size_t length)
{
    return put_json(out, bytes, length, true);
}

char *put_json_latin1(char *out, const uint8_t *bytes, size_t length)
{
    *out++ = '"';
    for (size_t i = 0; i < length; i++) {
        char utf8[2];
        put_latin1_character(utf8, bytes[i]);
        if (bytes[i] == '\\') out = put_literal(out, "\\\\");
        out = bytes[i] < 0x80
                  ? put_json_ascii(out, bytes[i])
                  : put_json_character(out, bytes[i], (const uint8_t *)utf8, sizeof utf8);
    }
    *out++ = '"';
    return out;
}

size_t text_cut(const void *text, size_t length, size_t most)
{
    enum { CONTINUATIONS = 3 }; /* bytes of a character after its first, at most */
    const uint8_t *bytes = text;
    if (length <= most) return length;
    size_t end = most;
    while (end > 0 && most - end < CONTINUATIONS && (bytes[end] & 0xc0) == 0x80)
        end--;
    return end;
}

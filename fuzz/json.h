/* Checks whether a text is one JSON object, in UTF-8, on one line. For tests only. */
#ifndef HECTIC_FUZZ_JSON_H
#define HECTIC_FUZZ_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The length of the UTF-8 sequence at p, shortest form, no surrogates; 0: invalid. */
static inline size_t utf8_sequence(const char *p, const char *end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = (uint8_t)*p;
    size_t length = first < 0x80             ? 1
                    : (first & 0xe0) == 0xc0 ? 2
                    : (first & 0xf0) == 0xe0 ? 3
                    : (first & 0xf8) == 0xf0 ? 4
                                             : 0;
    if (length < 2) return length;
    if ((size_t)(end - p) < length) return 0;
    uint32_t point = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (((uint8_t)p[i] & 0xc0) != 0x80) return 0;
        point = point << 6 | ((uint8_t)p[i] & 0x3f);
    }
    bool surrogate = point >= 0xd800 && point <= 0xdfff;
    return point < least[length] || point > 0x10ffff || surrogate ? 0 : length;
}

static inline bool is_utf8(const char *text, size_t length)
{
    for (const char *p = text, *end = text + length; p < end;) {
        size_t step = utf8_sequence(p, end);
        if (step == 0) return false;
        p += step;
    }
    return true;
}

/* Each of these returns the position after the parsed text, or NULL. */

static inline const char *json_string(const char *p, const char *end)
{
    if (p == end || *p++ != '"') return NULL;
    while (p < end && *p != '"') {
        if ((uint8_t)*p < 0x20) return NULL;
        if (*p == '\\') {
            if (++p == end || !memchr("\"\\/bfnrtu", *p, 9)) return NULL;
            if (*p == 'u') {
                for (int digit = 0; digit < 4; digit++)
                    if (++p == end || !memchr("0123456789abcdefABCDEF", *p, 22)) return NULL;
            }
        }
        p++;
    }
    return p < end ? p + 1 : NULL;
}

static inline const char *json_digits(const char *p, const char *end)
{
    const char *begin = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p == begin ? NULL : p;
}

static inline const char *json_number(const char *p, const char *end)
{
    if (p < end && *p == '-') p++;
    const char *begin = p;
    p = json_digits(p, end);
    if (!p || (p - begin > 1 && *begin == '0')) return NULL;
    if (p < end && *p == '.') p = json_digits(p + 1, end);
    if (!p || p == end || *p != 'e') return p;
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    return json_digits(p, end);
}

static inline const char *json_scalar(const char *p, const char *end)
{
    static const char *const words[] = {"null", "true", "false"};
    if (p == end) return NULL;
    if (*p == '"') return json_string(p, end);
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - p) >= length && memcmp(p, words[i], length) == 0) return p + length;
    }
    return json_number(p, end);
}

static inline const char *json_members(const char *p, const char *end);

static inline const char *json_value(const char *p, const char *end)
{
    if (end - p > 1 && p[0] == '{' && p[1] == '}') return p + 2;
    if (p < end && *p == '{') return json_members(p + 1, end);
    if (p == end || *p != '[') return json_scalar(p, end);
    if (++p < end && *p == ']') return p + 1;
    for (;;) {
        p = json_value(p, end);
        if (!p || p == end) return NULL;
        if (*p == ']') return p + 1;
        if (*p++ != ',') return NULL;
    }
}

/* After the "{" of an object. */
static inline const char *json_members(const char *p, const char *end)
{
    for (;;) {
        p = json_string(p, end);
        if (!p || p == end || *p++ != ':') return NULL;
        p = json_value(p, end);
        if (!p || p == end) return NULL;
        if (*p == '}') return p + 1;
        if (*p++ != ',') return NULL;
    }
}

static inline bool is_json_object(const char *text, size_t length)
{
    return is_utf8(text, length) && length > 0 && *text == '{' &&
           json_members(text + 1, text + length) == text + length;
}

/* The same of any value. */
static inline bool is_json(const char *text, size_t length)
{
    return is_utf8(text, length) && json_value(text, text + length) == text + length;
}

#endif

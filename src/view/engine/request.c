/* request.c — see request.h. */
#include "view/engine/request.h"

#include <string.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Decodes %XX in place. False: no digits follow, or the byte is 0. */
static bool decode(char *text)
{
    char *out = text;
    for (const char *p = text; *p; p++) {
        if (*p != '%') {
            *out++ = *p;
            continue;
        }
        const int high = digit_of(p[1]), low = high < 0 ? -1 : digit_of(p[2]);
        if (low < 0 || high * 16 + low == 0) return false;
        *out++ = (char)(high * 16 + low);
        p += 2;
    }
    *out = 0;
    return true;
}

bool request_parse(struct request *r, const char *text)
{
    const size_t length = strcspn(text, "\n");
    if (length >= sizeof r->text) return false;
    memcpy(r->text, text, length);
    r->text[length] = 0;
    r->name = r->text;
    r->keys = 0;
    char *next = strchr(r->text, '?');
    while (next) {
        *next++ = 0;
        char *key = next, *value = strchr(key, '=');
        next = strchr(key, '&');
        if (!value || (next && value > next)) {
            if (*key == 0 || next == key) continue;
            return false;
        }
        *value++ = 0;
        if (next) *next = 0;
        if (r->keys == REQUEST_KEYS || !decode(key) || !decode(value)) return false;
        r->pair[r->keys].key = key;
        r->pair[r->keys++].value = value;
    }
    return true;
}

const char *request_text(const struct request *r, const char *key)
{
    for (size_t i = 0; i < r->keys; i++)
        if (strcmp(r->pair[i].key, key) == 0) return r->pair[i].value;
    return NULL;
}

bool request_number(const struct request *r, const char *key, uint64_t otherwise, uint64_t *number)
{
    const char *text = request_text(r, key);
    *number = otherwise;
    if (!text) return true;
    *number = 0;
    for (const char *p = text; *p; p++) {
        const int digit = digit_of(*p);
        if (digit < 0 || digit > 9 || *number > (UINT64_MAX - (uint64_t)digit) / 10) return false;
        *number = *number * 10 + (uint64_t)digit;
    }
    return *text;
}

/* json.c — see json.h. */
#include "tables/json.h"

#include "render/text.h"
#include "render/units.h"

#include <hectic/render.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(struct json *json, const char *text)
{
    json->put(json->to, text, strlen(text));
}

/* Writes pieces, each without its quotes, so that nothing is allocated. Well-formed characters are
 * not split. */
static void put_string(struct json *json, const char *text, size_t length)
{
    enum { PIECE = 120, ESCAPED = 6 };
    char room[2 + ESCAPED * PIECE];
    put(json, "\"");
    while (length > 0) {
        const size_t size = text_cut(text, length, PIECE);
        const char *end =
            (json->exact ? put_json_exact : put_json_utf8)(room, (const uint8_t *)text, size);
        json->put(json->to, room + 1, (size_t)(end - room) - 2);
        text += size;
        length -= size;
    }
    put(json, "\"");
}

static void begin(struct json *json, const char *key)
{
    if (json->follows) put(json, ",");
    json->follows = true;
    if (!key) return;
    put_string(json, key, strlen(key));
    put(json, ":");
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    json->put(json->to, &bracket, 1);
    json->follows = false;
}

void json_close(struct json *json, char bracket)
{
    json->put(json->to, &bracket, 1);
    json->follows = true;
}

void json_number(struct json *json, const char *key, bool known, uint64_t number)
{
    char digits[20];
    begin(json, key);
    if (known)
        json->put(json->to, digits, hectic_render_u64(number, digits));
    else
        put(json, "null");
}

/* The shortest form that reads back as the same double, never that of an integer. */
void json_real(struct json *json, const char *key, bool known, double real)
{
    char digits[32] = "null";
    known = known && isfinite(real);
    if (known) snprintf(digits, sizeof digits, "%.17g", real);
    begin(json, key);
    put(json, digits);
    if (known && !strpbrk(digits, ".e")) put(json, ".0");
}

void json_literal(struct json *json, const char *key, const char *literal)
{
    begin(json, key);
    put(json, literal);
}

void json_rounded(struct json *json, const char *key, bool known, double real)
{
    char digits[32] = "null";
    if (known && isfinite(real)) snprintf(digits, sizeof digits, "%.6g", real);
    begin(json, key);
    put(json, digits);
}

void json_flag(struct json *json, const char *key, bool known, bool flag)
{
    begin(json, key);
    put(json, !known ? "null" : flag ? "true" : "false");
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text)
        put_string(json, text, strlen(text));
    else
        put(json, "null");
}

void json_bytes(struct json *json, const char *key, const char *text, size_t length)
{
    begin(json, key);
    put_string(json, text, length);
}

void json_end_line(struct json *json)
{
    put(json, "\n");
    json->follows = false;
}

/* json.h — writes JSON as a stream; nothing is kept. Integers are exact up to 2^64-1; readers that
 * convert them to double lose digits from 2^53 on. */
#ifndef HECTIC_SRC_TABLES_JSON_H
#define HECTIC_SRC_TABLES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    void (*put)(void *to, const char *bytes, size_t size);
    void *to;
    bool follows; /* the next value needs a comma */
    bool exact;   /* texts are in the exact form (render/text.h), so that different ones differ */
};

/* Each writes "key":VALUE, or VALUE if the key is NULL (elements of arrays). Unknown values are
 * null. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
void json_number(struct json *json, const char *key, bool known, uint64_t number);
void json_real(struct json *json, const char *key, bool known, double real);
void json_rounded(struct json *json, const char *key, bool known, double real); /* 6 digits */
void json_flag(struct json *json, const char *key, bool known, bool flag);
void json_text(struct json *json, const char *key, const char *text);       /* NULL: unknown */
void json_literal(struct json *json, const char *key, const char *literal); /* a number */
void json_bytes(struct json *json, const char *key, const char *text, size_t length);

/* Ends a value that has a line of its own. */
void json_end_line(struct json *json);

#endif
